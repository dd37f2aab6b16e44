import type { BenchOptions, Result } from './bench.ts';
import { grpcResults } from './timeline/grpc.ts';

export const about = 'GetHomeTimeline of 50 IDs as an outside client sees it, beside a bare grpc-js server';

export const run = (options: BenchOptions): Promise<readonly Result[]> => grpcResults(options);
