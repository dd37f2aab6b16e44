import type { BenchOptions, Result } from './bench.ts';
import { fanOutResults } from './timeline/fan-out.ts';
import { startBenchRedis } from './timeline/redis-server.ts';

export const about = 'fan-out, streams, delivery across copies and rebuilds on a real Redis';

export async function run(options: BenchOptions): Promise<readonly Result[]> {
  const redis = await startBenchRedis();
  try {
    return [...(await fanOutResults(redis, options))];
  } finally {
    await redis[Symbol.asyncDispose]();
  }
}
