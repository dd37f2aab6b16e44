import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { forThisFile, startRedis, startRedisCluster } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock as clock } from '../../time/clock.ts';
import { describeStreamLog } from '../../timelines/contract/stream-log.ts';
import { homeTimeline } from '../../timelines/timeline-store.ts';
import { MemoryReceivedDrops } from '../memory/timelines.ts';
import { RedisConnection } from './connection.ts';
import { RedisConnectionRegistry } from './connection-registry.ts';
import { RedisEventLog } from './event-log.ts';
import { RedisStreamLog } from './stream-log.ts';
import { RedisTimelineStore } from './timeline-store.ts';
import { createRedisTimelineBackend, RedisPullAuthors } from './timelines.ts';

const parts = { clock, log: silentLogger, events: silentEvents };
const opened: AsyncDisposable[] = [];
let prefixes = 0;
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(nodes: readonly string[], cluster: boolean) {
  const prefix = `s${++prefixes}:`;
  const replicas = [];
  for (let n = 0; n < 2; n++) {
    const connection = await RedisConnection.open({ nodes, cluster, prefix, ...parts });
    const streams = new RedisStreamLog({ connection, clock, log: silentLogger });
    opened.push(connection, streams);
    replicas.push({ connection, streams });
  }
  const [one, two] = replicas;
  if (!one || !two) throw new Error('two replicas');
  const store = new RedisTimelineStore({ connection: one.connection, clock });
  return { prefix, connection: one.connection, store, streams: one.streams, other: two.streams };
}

requires('redis-server')('events of streams in Redis', () => {
  const redis = forThisFile(() => startRedis());
  describeStreamLog('Redis', () => open([redis().address], false));

  it('C21 events published while the subscription is broken are fetched, once and in order', async () => {
    const { prefix, store, other } = await open([redis().address], false);
    const received: number[] = [];
    const { mark, stop } = await other.subscribe('timeline:local', {
      onEvent: ({ number }) => void received.push(number),
      onGap: () => void received.push(-1),
    });
    for (let n = 1; n <= 60; n++) {
      if (n % 20 === 0) await redis().command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await store.add({ id: `d${n}`, createdAt: n }, ['timeline:local']);
    }
    const expected = Array.from({ length: 60 }, (_, n) => mark.number + n + 1);
    await expect.poll(() => received, { interval: 50 }).toEqual(expected);
    expect(prefix).not.toBe('');
    await stop();
  });

  it('C20 C21 a drop that is added twice to a home without a window is sent once', async () => {
    const { store, streams, other } = await open([redis().address], false);
    const home = homeTimeline('ann');
    const { mark, stop } = await other.subscribe(home, { onEvent: () => {}, onGap: () => {} });
    expect(await store.add({ id: 'd1', createdAt: 1 }, [home])).toEqual([]);
    expect(await store.add({ id: 'd1', createdAt: 1 }, [home])).toEqual([]);
    expect((await streams.after(home, mark))?.map(({ event }) => event)).toEqual([
      { type: 'new_drop', dropId: 'd1', createdAt: 1 },
    ]);
    await stop();
  });

  it('C8 C20 a deleted drop is not delivered as new after Redis lost its tombstone, on every replica', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-tombstones-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const nodes = [redis().address];
    const prefix = `s${++prefixes}:`;
    const replicas = [];
    for (const name of ['one', 'two']) {
      const connection = await RedisConnection.open({ nodes, prefix, ...parts });
      const spool = join(folder, name);
      const received = { durable: new MemoryReceivedDrops(100) };
      const replica = createRedisTimelineBackend({ connection, spoolFile: spool, received, ...parts });
      opened.push(connection, replica);
      replicas.push(replica);
    }
    const [one, two] = replicas;
    if (!one || !two) throw new Error('two replicas');
    const received: string[] = [];
    const entry = { id: 'd1', createdAt: 1 };
    // Deleted at the first replica; the second one receives it by the channel alone.
    await one.eventLog.append({ type: 'drop_deleted', drop_id: 'd1', user_id: 'ann' });
    await one.store.remove('d1', ['timeline:local']);
    await expect
      .poll(async () => {
        await redis().command('FLUSHALL');
        return two.store.add(entry, ['timeline:local']);
      })
      .toEqual([]);
    await redis().command('FLUSHALL');
    const { stop } = await two.streams.subscribe('timeline:local', {
      onEvent: ({ event }) => void received.push(event.type),
      onGap: () => {},
    });
    for (const { store } of [two, one]) expect(await store.add(entry, ['timeline:local'])).toEqual([]);
    await one.store.add({ id: 'd2', createdAt: 2 }, ['timeline:local']);
    await expect.poll(() => received.filter((type) => type === 'new_drop')).toHaveLength(1);
    await stop();
  });

  it('C3 streams are listed under the names of the contract, counted, and cleaned up', async () => {
    const { prefix, connection } = await open([redis().address], false);
    const registry = new RedisConnectionRegistry({
      connection,
      clock,
      log: silentLogger,
      podName: 'pod-1',
    });
    opened.push(registry);
    expect(await registry.register('ann', 'c1', 2)).toBe(true);
    expect(await registry.register('ann', 'c2', 2)).toBe(true);
    expect(await registry.register('ann', 'c3', 2)).toBe(false);
    const members = (await redis().command('SMEMBERS', `${prefix}sse_connections:user:ann`)) as string[];
    expect(members.toSorted()).toEqual(['c1', 'c2']);
    const about = (await redis().command('HGETALL', `${prefix}sse_connection:c1`)) as string[];
    expect(about).toEqual(expect.arrayContaining(['pod_name', 'pod-1', 'created_at']));
    expect(await redis().command('EXISTS', `${prefix}sse_connection:c3`)).toBe(0);
    await registry.unregister('ann', 'c1');
    expect(await registry.register('ann', 'c3', 2)).toBe(true);
    // One that was not renewed expires, as after a replica died; the other one lives on.
    await registry.renew([{ userId: 'ann', connectionId: 'c3' }]);
    await redis().command('PEXPIRE', `${prefix}sse_connection:c2`, '1');
    await expect.poll(() => registry.register('ann', 'c4', 2)).toBe(true);
    expect(await redis().command('EXISTS', `${prefix}sse_connection:c3`)).toBe(1);
    await registry.unregister('ann', 'c3');
    await registry.unregister('ann', 'c4');
    const left = async () => (await redis().command('KEYS', `${prefix}sse_connection*`)) as string[];
    await expect.poll(left).toEqual([]);
  });

  it('C3 C23 the streams of a killed replica do not count once its heartbeat expired', async () => {
    const { prefix, connection } = await open([redis().address], false);
    const killed = new RedisConnectionRegistry({ connection, clock, log: silentLogger });
    const living = new RedisConnectionRegistry({ connection, clock, log: silentLogger });
    opened.push(living);
    expect(await killed.register('ann', 'of-the-killed', 2)).toBe(true);
    expect(await living.register('ann', 'of-the-living', 2)).toBe(true);
    expect(await living.register('ann', 'third', 2)).toBe(false);
    const heartbeats = async () => (await redis().command('KEYS', `${prefix}sse_replica:*`)) as string[];
    await expect.poll(async () => (await heartbeats()).length).toBe(2);
    const replica = await redis().command('HGET', `${prefix}sse_connection:of-the-killed`, 'replica');
    const remaining = Number(await redis().command('PTTL', String(replica)));
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(10_000);
    await killed[Symbol.asyncDispose]();
    // The hash of the connection is still there, as after a kill.
    expect(await redis().command('EXISTS', `${prefix}sse_connection:of-the-killed`)).toBe(1);
    expect(await living.register('ann', 'third', 2)).toBe(true);
    const members = (await redis().command('SMEMBERS', `${prefix}sse_connections:user:ann`)) as string[];
    expect(members.toSorted()).toEqual(['of-the-living', 'third']);
  });
});

requires('redis-server')('events of streams in a Redis Cluster', () => {
  const cluster = forThisFile(() => startRedisCluster());
  describeStreamLog('Redis Cluster', () => open(cluster().addresses, true));

  it('C6 events, pull authors and open streams work there too', async () => {
    const { connection } = await open(cluster().addresses, true);
    const log = new RedisEventLog({
      connection,
      ...parts,
      spoolFile: `${import.meta.dirname}/never-written`,
    });
    const registry = new RedisConnectionRegistry({ connection, clock, log: silentLogger });
    opened.push(log, registry);
    const seen: string[] = [];
    const stop = new AbortController();
    const reading = log.consume(
      'g',
      async (event) => {
        seen.push(event.type);
        return undefined;
      },
      stop.signal,
    );
    await log.append({ type: 'drop_deleted', drop_id: 'd', user_id: 'u' });
    await log.append({ type: 'ap_drop_received', drop_id: 'e', created_at: 4 });
    await expect.poll(() => seen).toEqual(['drop_deleted', 'ap_drop_received']);
    await expect.poll(() => log.waiting('g')).toBe(0);
    stop.abort();
    await reading;
    const pullAuthors = new RedisPullAuthors(connection, clock);
    const before = await pullAuthors.list();
    await pullAuthors.add('big');
    const after = await pullAuthors.list();
    expect([...after.authors]).toEqual(['big']);
    expect(after.version).not.toBe(before.version);
    for (const id of ['c1', 'c2']) expect(await registry.register('ann', id, 2)).toBe(true);
    expect(await registry.register('ann', 'c3', 2)).toBe(false);
    expect(await registry.cleanUp()).toBe(0);
    expect(homeTimeline('ann')).toBe('timeline:home:ann');
  });
});
