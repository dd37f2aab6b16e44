import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { createClient } from 'redis';
import { systemClock } from '../../src/time/clock.ts';
import { RedisTimelineStore } from '../../src/timeline/redis/redis-timeline-store.ts';
import { homeOf } from '../../src/timeline/timeline-store.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { rounds } from '../rounds.ts';
import type { BenchRedis } from './redis-server.ts';

/** Full timelines, so that every insert trims; short ones, so that 100,000 of them fit into memory. */
const CAP = 20;
const DEPTH = 1000;

/** One drop into all home timelines, beside the same two commands a timeline from redis-benchmark and a plain client. */
export async function fanOutResults(
  redis: BenchRedis,
  { quick, log }: BenchOptions,
): Promise<readonly Result[]> {
  const count = quick ? 20_000 : 100_000;
  log(`${count} home timelines of ${CAP} drops`);
  const connection = await redis.connect();
  const store = new RedisTimelineStore({ connection, clock: systemClock, cap: CAP });
  const ids = Array.from({ length: count }, (_, n) => String(n).padStart(12, '0'));
  const homes = ids.map(homeOf);
  for (let n = 0; n < count; n += 500)
    await Promise.all(
      homes
        .slice(n, n + 500)
        .map(async (home) => store.merge(home, { entries: [], floor: null }, await store.begin(home))),
    );
  let time = 1_700_000_000_000;
  for (let n = 0; n < CAP; n++) await store.add({ id: randomUUID(), createdAt: ++time }, homes);

  const client = createClient({ RESP: 2, socket: { host: '127.0.0.1', port: redis.port } });
  await client.connect();
  const plain = async (prefix: string): Promise<number> => {
    const began = performance.now();
    const id = randomUUID();
    time += 1;
    for (let n = 0; n < count; n += DEPTH) {
      const batch = client.multi();
      for (const user of ids.slice(n, n + DEPTH)) {
        batch.zAdd(`${prefix}${user}`, { score: time, value: id });
        batch.zRemRangeByRank(`${prefix}${user}`, 0, -(CAP + 1));
      }
      await batch.execAsPipeline();
    }
    return (1000 * count) / (performance.now() - began);
  };
  try {
    for (let n = 0; n < CAP; n++) await plain('plain:');
    const measured = await rounds(quick ? 2 : 4, {
      ours: async () => {
        const began = performance.now();
        const held = await store.add({ id: randomUUID(), createdAt: ++time }, homes);
        if (held.length !== count) throw new Error(`only ${held.length} took it`);
        return (1000 * count) / (performance.now() - began);
      },
      benchmark: async () => {
        // Both commands one after the other: the rate of pairs.
        time += 1;
        const add = await benchmark(redis.port, count, [
          'ZADD',
          'plain:__rand_int__',
          `${time}`,
          `${randomUUID()}`,
        ]);
        const trim = await benchmark(redis.port, count, [
          'ZREMRANGEBYRANK',
          'plain:__rand_int__',
          '0',
          `-${CAP + 1}`,
        ]);
        return 1 / (1 / add + 1 / trim);
      },
      plain: () => plain('plain:'),
    });
    log(JSON.stringify(measured));
    const { ours, benchmark: limit, plain: peer } = measured;
    return [
      result({
        name: `one drop to ${count} home timelines`,
        ours: Math.round(ours),
        unit: 'timelines/s',
        peer: { name: 'a plain client pipeline', value: Math.round(peer) },
        limit: { name: 'redis-benchmark, same depth', value: Math.round(limit) },
        goal: 'at least 0.8× redis-benchmark and 3× a plain pipeline',
        met: ours >= 0.8 * limit && ours >= 3 * peer,
      }),
    ];
  } finally {
    client.destroy();
  }
}

async function benchmark(port: number, count: number, command: readonly string[]): Promise<number> {
  const args = [
    '-p',
    `${port}`,
    '-c',
    '1',
    '-P',
    `${DEPTH}`,
    '-n',
    `${count}`,
    '-r',
    `${count}`,
    '--csv',
    ...command,
  ];
  const { stdout } = await promisify(execFile)('redis-benchmark', args);
  const rate = Number(/"[^"]*","([\d.]+)"/.exec(stdout.split('\n').at(-2) ?? '')?.[1]);
  if (!(rate > 0)) throw new Error(`redis-benchmark said ${stdout.slice(0, 200)}`);
  return rate;
}
