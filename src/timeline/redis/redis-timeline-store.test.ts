import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { forThisFile, startRedis, startRedisCluster } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { RedisConnection } from '../../redis/connection.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { describeTimelineStore } from '../contract/timeline-store-contract.ts';
import { homeOf, type TimelineName } from '../timeline-store.ts';
import { RedisTimelineStore } from './redis-timeline-store.ts';

const parts = { clock: systemClock, log: silentLogger, events: silentEvents };
const sleep = (ms: number): Promise<void> => systemClock.sleep(ms);

requires('redis-server')('timelines in Redis', () => {
  const redis = forThisFile(() => startRedis());
  const connections = new Map<string, Promise<RedisConnection>>();
  afterAll(async () => {
    for (const connection of connections.values()) await (await connection)[Symbol.asyncDispose]();
  });
  const connect = (): Promise<RedisConnection> => {
    const known = connections.get('one') ?? RedisConnection.open({ nodes: [redis().address], ...parts });
    connections.set('one', known);
    return known;
  };
  const fresh = async (options: { cap?: number; idleMs?: number } = {}): Promise<RedisTimelineStore> => {
    await redis().command('FLUSHALL');
    return new RedisTimelineStore({ connection: await connect(), clock: systemClock, ...options });
  };

  describeTimelineStore('Redis', async (cap) => ({
    store: await fresh({ cap, idleMs: 600 }),
    idleMs: 600,
    now: () => systemClock.now(),
    passTime: sleep,
  }));

  const HOME = homeOf('ann');
  const build = async (
    store: RedisTimelineStore,
    timeline: TimelineName,
    ids: readonly number[],
  ): Promise<void> => {
    const entries = ids.map((at) => ({ id: `d${at}`, createdAt: at }));
    await store.merge(timeline, { entries, floor: null }, await store.begin(timeline));
  };

  it('C1 the keys, scores and members are those of the contract', async () => {
    const store = await fresh();
    await build(store, HOME, [5, 7]);
    await store.add({ id: 'd9', createdAt: 9 }, [HOME, 'timeline:local', 'timeline:global']);
    expect(await redis().command('ZRANGE', 'timeline:home:ann', '0', '-1', 'WITHSCORES')).toEqual([
      'd5',
      '5',
      'd7',
      '7',
      'd9',
      '9',
    ]);
    for (const key of ['timeline:local', 'timeline:global'])
      expect(await redis().command('ZRANGE', key, '0', '-1', 'WITHSCORES')).toEqual(['d9', '9']);
  });

  it('one call carries thousands of timelines and says which hold the drop', async () => {
    const store = await fresh();
    const homes = Array.from({ length: 3500 }, (_, n) => homeOf(`u${n}`));
    for (const home of homes.filter((_, n) => n % 7 === 0)) await build(store, home, [1]);
    const held = await store.add({ id: 'x', createdAt: 2 }, homes);
    expect(held).toEqual(homes.filter((_, n) => n % 7 === 0));
  });

  it('C17 what comes late or twice leaves no hole, whatever the other timelines of the call hold', async () => {
    const cap = 4;
    const all = [1, 2, 3, 4].map((n) => homeOf(`hole-${n}`));
    const run = fc.asyncProperty(
      fc.array(fc.record({ at: fc.integer({ min: 1, max: 30 }), to: fc.subarray(all, { minLength: 1 }) }), {
        minLength: 8,
        maxLength: 25,
      }),
      async (adds) => {
        const store = await fresh({ cap });
        const truth = new Map(all.map((home) => [home, new Set<number>()]));
        for (const home of all) await build(store, home, []);
        for (const { at, to } of adds) {
          const held = await store.add({ id: `d${at}`, createdAt: at }, to);
          for (const home of to) truth.get(home)?.add(at);
          for (const home of all) {
            const window = await store.page(home, { limit: 10 });
            const floor = window?.floor?.createdAt ?? 0;
            const times = window?.entries.map(({ createdAt }) => createdAt) ?? [];
            const newest = [...(truth.get(home) ?? [])].sort((a, b) => b - a);
            expect(times).toEqual(newest.filter((time) => time >= floor));
            expect(times.length).toBeLessThanOrEqual(cap);
            expect(times.length).toBeGreaterThanOrEqual(Math.min(cap - 1, newest.length));
            if (to.includes(home)) expect(held.includes(home)).toBe(times.includes(at));
          }
        }
      },
    );
    await fc.assert(run, { numRuns: 40 });
  }, 60_000);

  it('a script that the server has forgotten is taught again', async () => {
    const store = await fresh();
    await build(store, HOME, [1]);
    await redis().command('SCRIPT', 'FLUSH');
    expect(await store.add({ id: 'd2', createdAt: 2 }, [HOME])).toEqual([HOME]);
    expect(await store.size(HOME)).toBe(2);
  });

  it.each([
    ['the list', 'timeline:home:ann'],
    ['what is known about it', '{timeline:home:ann}:state'],
  ])('C16 an eviction of %s is seen, and not taken for an empty timeline', async (_, key) => {
    const store = await fresh();
    await build(store, HOME, [1, 2]);
    await redis().command('DEL', key);
    expect(await store.page(HOME, { limit: 9 })).toBeNull();
    expect(await store.add({ id: 'd3', createdAt: 3 }, [HOME])).toEqual([]);
    await build(store, HOME, [2]);
    expect((await store.page(HOME, { limit: 9 }))?.entries.map(({ id }) => id)).toEqual(['d2']);
  });

  it('C10 nothing is left of a home that nobody read', async () => {
    const store = await fresh({ idleMs: 150 });
    await build(store, HOME, [1]);
    await store.add({ id: 'd2', createdAt: 2 }, [HOME]);
    await expect.poll(() => redis().command('KEYS', '*'), { timeout: 5000 }).toEqual([]);
  });

  it('names with braces stay apart from each other', async () => {
    const store = await fresh();
    for (const user of ['a{b}c', 'a{}c', '{}', '}{']) await build(store, homeOf(user), [1]);
    expect(await store.size(homeOf('a{b}c'))).toBe(1);
    expect(await store.size(homeOf('b'))).toBeNull();
  });
});

requires('redis-server')('timelines in a Redis Cluster', () => {
  const cluster = forThisFile(() => startRedisCluster());
  let connection: Promise<RedisConnection> | null = null;
  afterAll(async () => (await connection)?.[Symbol.asyncDispose]());
  const fresh = async (options: { cap?: number; idleMs?: number } = {}): Promise<RedisTimelineStore> => {
    for (const server of cluster().servers) await server.command('FLUSHALL');
    connection ??= RedisConnection.open({ nodes: cluster().addresses, cluster: true, ...parts });
    return new RedisTimelineStore({ connection: await connection, clock: systemClock, ...options });
  };

  describeTimelineStore('Redis Cluster', async (cap) => ({
    store: await fresh({ cap, idleMs: 600 }),
    idleMs: 600,
    now: () => systemClock.now(),
    passTime: sleep,
  }));

  it('C6 timelines are spread over all nodes, and one call reaches them', async () => {
    const store = await fresh();
    const homes = Array.from({ length: 300 }, (_, n) => homeOf(`u${n}`));
    for (const home of homes) await store.merge(home, { entries: [], floor: null }, await store.begin(home));
    expect(await store.add({ id: 'x', createdAt: 2 }, [...homes, 'timeline:local'])).toHaveLength(301);
    await store.remove('x', homes);
    expect(await store.add({ id: 'x', createdAt: 2 }, homes)).toEqual([]);
    for (const server of cluster().servers) expect(await server.command('DBSIZE')).toBeGreaterThan(50);
  });
});

describe('without a Redis', () => {
  it('C18 says at once that the timelines are away', async () => {
    const connection = await RedisConnection.open({ nodes: ['127.0.0.1:1'], ...parts, timeoutMs: 300 });
    const store = new RedisTimelineStore({ connection, clock: systemClock });
    await expect(store.page(homeOf('a'), { limit: 1 })).rejects.toMatchObject({
      name: 'TimelinesUnavailableError',
    });
    await connection[Symbol.asyncDispose]();
  });
});
