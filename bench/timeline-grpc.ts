import type { BenchOptions, Result } from './bench.ts';
import { grpcResults } from './timeline/grpc.ts';

export const about = 'GetHomeTimeline of 50 IDs over gRPC beside an empty method';

export const run = (options: BenchOptions): Promise<readonly Result[]> => grpcResults(options);
