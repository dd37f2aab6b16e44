import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { RedisTimelineStore } from '../../src/storage/redis/timeline-store.ts';
import { systemClock } from '../../src/time/clock.ts';
import { homeTimeline } from '../../src/timelines/timeline-store.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { median, rounds } from '../rounds.ts';
import { openPlainClients, type PlainClient } from './plain-clients.ts';
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
  const homes = ids.map(homeTimeline);
  const keys = ids.map((id) => `plain:${id}`);
  let time = 1_700_000_000_000;
  const entries = Array.from({ length: CAP }, () => ({ id: randomUUID(), createdAt: ++time }));
  const members = entries.flatMap(({ id, createdAt }) => [String(createdAt), id]);
  for (let n = 0; n < count; n += 500)
    await Promise.all([
      ...homes
        .slice(n, n + 500)
        .map(async (home) =>
          store.merge(home, { entries, floor: null }, (await store.beginRebuild(home, 0)) ?? ''),
        ),
      ...keys.slice(n, n + 500).map((key) => connection.send(key, ['ZADD', key, ...members])),
    ]);

  const clients = await openPlainClients(redis.port, log);
  const plain = async (client: PlainClient): Promise<number> => {
    const began = performance.now();
    const id = randomUUID();
    time += 1;
    for (let n = 0; n < count; n += DEPTH) await client.addAll(keys.slice(n, n + DEPTH), id, time, CAP);
    return (1000 * count) / (performance.now() - began);
  };
  const spent = new Map<string, { redis: number[]; client: number[] }>();
  const metered = (name: string, work: () => Promise<number>) => async (): Promise<number> => {
    const [redisBefore, clientBefore] = [await processor(connection), process.cpuUsage()];
    const rate = await work();
    const { user, system } = process.cpuUsage(clientBefore);
    const seen = spent.get(name) ?? { redis: [], client: [] };
    seen.redis.push(((await processor(connection)) - redisBefore) / count);
    seen.client.push((user + system) / count);
    spent.set(name, seen);
    return rate;
  };
  try {
    const { ioredis } = clients;
    const measured = await rounds(
      quick ? 3 : 5,
      {
        ours: metered('ours', async () => {
          const began = performance.now();
          const reached = await store.add({ id: randomUUID(), createdAt: ++time }, homes);
          if (reached.length !== count) throw new Error(`only ${reached.length} took it`);
          return (1000 * count) / (performance.now() - began);
        }),
        benchmark: metered('redis-benchmark', async () => {
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
        }),
        nodeRedis: metered('node-redis', () => plain(clients.nodeRedis)),
        nodeRedisOneByOne: metered('node-redis, Promise.all', () => plain(clients.nodeRedisOneByOne)),
        ioredis: ioredis ? metered('ioredis', () => plain(ioredis)) : () => Number.NaN,
      },
      quick ? 8_000 : 60_000,
    );
    log(JSON.stringify(measured));
    for (const [name, { redis, client }] of spent)
      log(
        `processor time a timeline, ${name}: Redis ${median(redis).toFixed(2)} µs, this process ${median(client).toFixed(2)} µs`,
      );
    const { ours, benchmark: limit, ...peers } = measured;
    const name = `one drop to ${count} home timelines`;
    const compared = (peer: string, value: number, goal: string, met: boolean): Result =>
      result({
        name,
        ours: Math.round(ours),
        unit: 'timelines/s',
        ...(value > 0 && { peer: { name: peer, value: Math.round(value) } }),
        limit: { name: 'redis-benchmark, same depth', value: Math.round(limit) },
        goal,
        met,
      });
    const enough = ours >= 0.8 * limit;
    return [
      compared(
        'ioredis pipeline, as open servers do it',
        peers.ioredis,
        'at least 0.8× redis-benchmark and 3× an ioredis pipeline',
        enough && ours >= 3 * peers.ioredis,
      ),
      compared('node-redis execAsPipeline', peers.nodeRedis, 'at least 3×', ours >= 3 * peers.nodeRedis),
      compared(
        'node-redis, Promise.all',
        peers.nodeRedisOneByOne,
        'at least 3×',
        ours >= 3 * peers.nodeRedisOneByOne,
      ),
    ];
  } finally {
    clients.close();
  }
}

/** CPU time of the server so far, in microseconds: on a busy machine more meaningful than the rate. */
async function processor(connection: RedisConnection): Promise<number> {
  const info = String(await connection.send('', ['INFO', 'cpu']));
  const used = (what: string): number => Number(new RegExp(`used_cpu_${what}:([\\d.]+)`).exec(info)?.[1]);
  return 1e6 * (used('user') + used('sys'));
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
  if (!(rate > 0)) throw new Error(`unexpected output of redis-benchmark: ${stdout.slice(0, 200)}`);
  return rate;
}
