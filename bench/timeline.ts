import type { BenchOptions, Result } from './bench.ts';
import { fanOutResults } from './timeline/fan-out.ts';
import { rebuildResults } from './timeline/rebuild.ts';
import { startBenchRedis } from './timeline/redis-server.ts';
import { copiesResults } from './timeline/replicas.ts';
import { streamResults } from './timeline/streams.ts';

export const about =
  'fan-out, streams, delivery across replicas and rebuilds on a real Redis; see timeline-grpc too';

export async function run(options: BenchOptions): Promise<readonly Result[]> {
  const streams = await streamResults(options);
  const redis = await startBenchRedis();
  try {
    return [
      ...(await fanOutResults(redis, options)),
      ...streams,
      ...(await copiesResults(redis, options)),
      ...(await rebuildResults(redis, options)),
    ];
  } finally {
    await redis[Symbol.asyncDispose]();
  }
}
