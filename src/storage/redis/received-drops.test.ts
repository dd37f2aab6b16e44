import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { forThisFile, startRedis } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { type App, openApp } from '../../app/app.ts';
import { parseConfig } from '../../config/config.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { silentTelemetry } from '../../telemetry/telemetry.ts';
import { systemClock } from '../../time/clock.ts';
import { describeReceivedDrops } from '../../timelines/contract/received-drops.ts';
import { beginExpiredRebuild } from '../../timelines/contract/timeline-store.ts';
import type { ReceivedDrops } from '../../timelines/timeline-store.ts';
import { MemoryReceivedDrops } from '../memory/timelines.ts';
import { SqliteReceivedDrops } from '../sqlite/received-drops.ts';
import { RedisConnection } from './connection.ts';
import { RedisReceivedDrops } from './received-drops.ts';
import { RedisTimelineStore } from './timeline-store.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-received-'));
  folders.push(folder);
  return join(folder, 'received.db');
}

describeReceivedDrops('memory', async (cap) => ({
  received: new MemoryReceivedDrops(cap),
  reopened: async () => null,
}));

describeReceivedDrops('SQLite', async (cap) => {
  const path = file();
  const open = () => new SqliteReceivedDrops({ path, cap });
  return { received: open(), reopened: async () => open() };
});

it('no file is created without received drops', async () => {
  const path = file();
  await using received = new SqliteReceivedDrops({ path, cap: 5 });
  expect(await received.newest({ limit: 5 })).toEqual([]);
  expect(await received.removedIds()).toEqual([]);
  expect(existsSync(path)).toBe(false);
});

it('C6 C9 C12 the embedded engine has its received drops after a restart, without deleted ones', async () => {
  const data = join(file(), '..', 'data');
  const loaded = parseConfig(`data: ${data}\ntimelines: {}\n`, join(data, 'kawaraban.yaml'), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const open = () => openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
  const globalIds = async (app: App): Promise<readonly string[]> => {
    const answer = await app.newsroom.timelines.page('timeline:global', { limit: 9 });
    return answer.ok ? answer.page.entries.map(({ id }) => id) : [];
  };
  {
    await using app = await open();
    const { changes } = app.engine;
    for (const at of [1, 2, 3])
      await changes.append({ type: 'ap_drop_received', drop_id: `far${at}`, created_at: at });
    await changes.append({ type: 'drop_deleted', drop_id: 'far2', user_id: 'far' });
    await expect.poll(() => globalIds(app)).toEqual(['far3', 'far1']);
  }
  await using app = await open();
  expect(await globalIds(app)).toEqual(['far3', 'far1']);
  await app.engine.timelines.store.evict('timeline:global');
  expect(await globalIds(app)).toEqual(['far3', 'far1']);
});

requires('redis-server')('received drops in Redis', () => {
  const redis = forThisFile(() => startRedis());
  const opened: AsyncDisposable[] = [];
  let prefixes = 0;
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });
  const parts = { clock: systemClock, log: silentLogger, events: silentEvents };
  async function replica(
    prefix: string,
    cap = 5,
    durable: ReceivedDrops = new MemoryReceivedDrops(cap),
    shared = false,
  ) {
    const connection = await RedisConnection.open({ nodes: [redis().address], prefix, ...parts });
    const store = new RedisTimelineStore({ connection, clock: systemClock, cap });
    const received = new RedisReceivedDrops({
      connection,
      store,
      durable,
      shared,
      cap,
      intervalMs: 20,
      ...parts,
    });
    opened.push(connection, received);
    return { store, received, durable };
  }
  const fresh = (): string => `rd${++prefixes}:`;

  describeReceivedDrops('Redis', async (cap) => {
    const prefix = fresh();
    return {
      received: (await replica(prefix, cap)).received,
      reopened: async () => (await replica(prefix, cap)).received,
    };
  });

  const entry = (createdAt: number) => ({ id: `d${createdAt}`, createdAt });
  const idsOf = async (received: ReceivedDrops): Promise<readonly string[]> =>
    (await received.newest({ limit: 9 })).map(({ id }) => id);

  it('C12 drops received by one replica are stored by the others, and restored after Redis lost them', async () => {
    const prefix = fresh();
    const [one, two] = [await replica(prefix), await replica(prefix)];
    await one.received.add([entry(1), entry(2), entry(3)]);
    await one.received.remove(['d2']);
    await expect.poll(() => idsOf(two.durable)).toEqual(['d3', 'd1']);
    await expect.poll(() => two.durable.removedIds()).toEqual(['d2']);
    await one.received[Symbol.asyncDispose]();
    await redis().command('FLUSHALL');
    expect(await idsOf(two.received)).toEqual(['d3', 'd1']);
    await two.received.add([entry(2)]);
    expect(await idsOf(two.received)).toEqual(['d3', 'd1']);
  });

  it('C12 a shared store is restored by one replica after Redis lost its data', async () => {
    const prefix = fresh();
    const durable = new MemoryReceivedDrops(5);
    let asked = 0;
    const counted = new Proxy(durable, {
      get(target, name) {
        if (name === 'removedIds') asked += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const [one, two] = [await replica(prefix, 5, counted, true), await replica(prefix, 5, counted, true)];
    await one.received.add([entry(1), entry(2)]);
    await two.received.remove(['d1']);
    expect(await idsOf(one.received)).toEqual(['d2']);
    const before = asked;
    for (let n = 0; n < 5; n++) for (const { received } of [one, two]) await received.newest({ limit: 1 });
    expect(asked).toBe(before);
    await redis().command('FLUSHALL');
    for (const { received } of [one, two]) expect(await idsOf(received)).toEqual(['d2']);
    expect(asked).toBeGreaterThan(before);
  });

  it('C9 C12 drops that only another replica has are merged into a global timeline built without them', async () => {
    const prefix = fresh();
    const one = await replica(prefix);
    await one.received.add([entry(4)]);
    const token = await beginExpiredRebuild(one.store, 'timeline:global');
    await one.store.merge('timeline:global', { entries: [entry(4)], floor: null }, token);
    const durable = new MemoryReceivedDrops(5);
    await durable.add([entry(3)]);
    const two = await replica(prefix, 5, durable);
    await expect
      .poll(async () => (await two.store.page('timeline:global', { limit: 9 }))?.entries.map(({ id }) => id))
      .toEqual(['d4', 'd3']);
  });

  it('X22 drops that an earlier version stored only in the global timeline are adopted', async () => {
    const prefix = fresh();
    await redis().command('ZADD', `${prefix}timeline:global`, '1', 'own', '2', 'far');
    await redis().command('ZADD', `${prefix}timeline:local`, '1', 'own');
    const { received, durable } = await replica(prefix);
    expect(await received.newest({ limit: 9 })).toEqual([{ id: 'far', createdAt: 2 }]);
    await expect.poll(() => idsOf(durable)).toEqual(['far']);
  });
});
