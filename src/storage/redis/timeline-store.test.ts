import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { forThisFile, startRedis, startRedisCluster } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { beginExpiredRebuild, describeTimelineStore } from '../../timelines/contract/timeline-store.ts';
import {
  homeTimeline,
  type TimelineName,
  TimelinesUnavailableError,
} from '../../timelines/timeline-store.ts';
import { RedisConnection, RedisUnavailableError } from './connection.ts';
import { RedisTimelineStore } from './timeline-store.ts';

const parts = { clock: systemClock, log: silentLogger, events: silentEvents };
const sleep = (ms: number): Promise<void> => systemClock.sleep(ms);

/** More concurrent pages than fit into one script, some of missing timelines. */
async function readAtOnce(store: RedisTimelineStore): Promise<void> {
  const homes = Array.from({ length: 120 }, (_, n) => homeTimeline(`reader-${n}`));
  const entry = (at: number) => ({ id: `d${at}`, createdAt: at });
  const isThere = (n: number): boolean => n % 10 !== 3;
  for (const [n, home] of homes.entries())
    if (isThere(n))
      await store.merge(
        home,
        { entries: [entry(1), entry(2 + n)], floor: null },
        await beginExpiredRebuild(store, home),
      );
  await store.add(entry(500), homes.slice(0, 60));
  const read = async (home: TimelineName, range = {}, mark = false) => {
    const window = await store.page(home, { limit: 100, ...range }, { mark });
    return window && { ids: window.entries.map(({ id }) => id), epoch: window.mark?.epoch };
  };
  const whole = homes.map((home) => read(home, {}, true));
  const below = homes.map((home) => read(home, { before: entry(2) }));
  const again = homes.map((home) => read(home, {}, true));
  const pages = await Promise.all(whole);
  const ids = (n: number) => [...(n < 60 ? ['d500'] : []), `d${2 + n}`, 'd1'];
  expect(pages.map((page) => page?.ids ?? null)).toEqual(homes.map((_, n) => (isThere(n) ? ids(n) : null)));
  expect((await Promise.all(below)).map((page) => page?.ids ?? null)).toEqual(
    homes.map((_, n) => (isThere(n) ? ['d1'] : null)),
  );
  expect(await Promise.all(again)).toEqual(pages);
  // A cursor of one home never passes for that of another.
  const epochs = pages.flatMap((page) => page?.epoch ?? []);
  expect(new Set(epochs).size).toBe(homes.filter((_, n) => isThere(n)).length);
}

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

  const HOME = homeTimeline('ann');
  const build = async (
    store: RedisTimelineStore,
    timeline: TimelineName,
    ids: readonly number[],
  ): Promise<void> => {
    const entries = ids.map((at) => ({ id: `d${at}`, createdAt: at }));
    await store.merge(timeline, { entries, floor: null }, await beginExpiredRebuild(store, timeline));
  };

  it('C14 C22 concurrent pages each have their own timeline, range and mark', async () => {
    await readAtOnce(await fresh());
  });

  describe('the pages requested in one iteration of the event loop', () => {
    const openSpied = async () => {
      const store = await fresh();
      await build(store, HOME, [1, 2]);
      const run = vi.spyOn(await connect(), 'run');
      onTestFinished(() => run.mockRestore());
      const read = async (home = HOME) =>
        (await store.page(home, { limit: 10 }))?.entries.map(({ id }) => id) ?? null;
      return { store, run, read };
    };

    it('C14 are read by one script for fifty timelines, each timeline once', async () => {
      const { run, read } = await openSpied();
      const homes = [HOME, ...Array.from({ length: 59 }, (_, n) => homeTimeline(`reader-${n}`))];
      const pages = await Promise.all([...homes, ...homes].map(read));
      expect(run.mock.calls.map(([, keys]) => keys.length)).toEqual([50, 10]);
      expect([pages[0], pages[60], pages[1]]).toEqual([['d2', 'd1'], ['d2', 'd1'], null]);
    });

    it('C15 do not join a read under way, which may miss what was written since', async () => {
      const { store, run, read } = await openSpied();
      const answered = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const connection = await connect();
      const real = RedisConnection.prototype.run.bind(connection);
      run.mockImplementationOnce(async (...args) => {
        const reply = await real(...args);
        answered.resolve();
        await released.promise;
        return reply;
      });
      const early = read();
      await answered.promise;
      await store.add({ id: 'd3', createdAt: 3 }, [HOME]);
      expect(await read()).toEqual(['d3', 'd2', 'd1']);
      released.resolve();
      expect(await early).toEqual(['d2', 'd1']);
    });

    it('C18 fail together, and the next are read', async () => {
      const { run, read } = await openSpied();
      run.mockRejectedValueOnce(new RedisUnavailableError('page', 'did not answer'));
      const outcomes = await Promise.allSettled([read(), read(), read(homeTimeline('ben'))]);
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ reason: expect.any(TimelinesUnavailableError) });
      expect(await read()).toEqual(['d2', 'd1']);
    });
  });

  it('C1 C8 C17 a cached page equals the page that another replica reads, after any changes', async () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const), at: fc.nat(12) }),
      fc.record({ kind: fc.constant('removeElsewhere' as const), at: fc.nat(12) }),
      fc.record({
        kind: fc.constantFrom('rebuild' as const, 'merge' as const, 'drop' as const),
        at: fc.nat(12),
      }),
    );
    const connection = await connect();
    const open = () => new RedisTimelineStore({ connection, clock: systemClock, cap: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 5, maxLength: 30, size: 'max' }),
        fc.integer({ min: 1, max: 7 }),
        async (changes, limit) => {
          await redis().command('FLUSHALL');
          const [knowing, writing] = [open(), open()];
          await build(writing, HOME, [3, 5, 7]);
          const drop = (at: number) => ({ id: `d${at}`, createdAt: at });
          for (const { kind, at } of changes) {
            if (kind === 'add') await writing.add(drop(at), [HOME]);
            else if (kind === 'remove') await writing.remove(`d${at}`, [HOME]);
            else if (kind === 'removeElsewhere') await writing.remove(`d${at}`, ['timeline:local']);
            else if (kind === 'rebuild')
              await writing.evict(HOME).then(() => build(writing, HOME, [0, at, 13]));
            else if (kind === 'merge') await writing.merge(HOME, { entries: [drop(at)], floor: null });
            else await writing.evict(HOME);
            for (const range of [{ limit }, { limit, before: drop(8) }, { limit, after: drop(4) }])
              for (const mark of [false, true])
                expect(await knowing.page(HOME, range, { mark })).toEqual(
                  await open().page(HOME, range, { mark }),
                );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a page that did not change is not sent again', async () => {
    const store = await fresh();
    await build(store, HOME, [1, 2, 3]);
    const [first, second] = [await store.page(HOME, { limit: 2 }), await store.page(HOME, { limit: 2 })];
    expect(second).toBe(first);
    await store.add({ id: 'd4', createdAt: 4 }, [HOME]);
    expect((await store.page(HOME, { limit: 2 }))?.entries.map(({ id }) => id)).toEqual(['d4', 'd3']);
  });

  it('C8 C12 a late event does not restore a deleted drop after Redis lost its tombstone', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(() => RedisConnection.open({ nodes: [redis().address], ...parts })),
    );
    if (one === undefined || other === undefined) throw new Error('both are open');
    onTestFinished(async () => {
      for (const connection of [one, other]) await connection[Symbol.asyncDispose]();
    });
    const [deleting, late] = [one, other].map(
      (connection) => new RedisTimelineStore({ connection, clock: systemClock }),
    );
    if (deleting === undefined || late === undefined) throw new Error('both are open');
    const drop = { id: 'gone', createdAt: systemClock.now() };
    await late.size('timeline:local');
    await deleting.remove(drop.id, ['timeline:local']);
    await redis().kill();
    await redis().start();
    const asked: string[] = [];
    const exists = (id: string, answer: boolean) => async () => {
      asked.push(id);
      return answer;
    };
    const add = (entry: typeof drop, answer: boolean) =>
      late.add(entry, ['timeline:local'], { exists: exists(entry.id, answer) });
    await expect.poll(() => add(drop, false).catch(() => null), { timeout: 30_000 }).toEqual([]);
    expect(await add({ ...drop, id: 'there' }, true)).toEqual(['timeline:local']);
    expect(new Set(asked)).toEqual(new Set(['gone', 'there']));
    // Drops created after the start of this server are not looked up.
    expect(await add({ id: 'new', createdAt: systemClock.now() + 60_000 }, true)).toEqual(['timeline:local']);
    expect(asked).not.toContain('new');
  });

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

  it('one call adds to thousands of timelines and returns those that contain the drop', async () => {
    const store = await fresh();
    const homes = Array.from({ length: 3500 }, (_, n) => homeTimeline(`u${n}`));
    for (const home of homes.filter((_, n) => n % 7 === 0)) await build(store, home, [1]);
    const added = await store.add({ id: 'x', createdAt: 2 }, homes);
    expect(added).toEqual(homes.filter((_, n) => n % 7 === 0));
  });

  it('C17 late and repeated drops leave no gap, whatever the other timelines of the call contain', async () => {
    const cap = 4;
    const all = [1, 2, 3, 4].map((n) => homeTimeline(`hole-${n}`));
    const run = fc.asyncProperty(
      fc.array(
        fc.record({
          at: fc.integer({ min: 1, max: 30 }),
          to: fc.subarray(all, { minLength: 1 }),
          merged: fc.boolean(),
        }),
        { minLength: 8, maxLength: 25 },
      ),
      async (adds) => {
        const store = await fresh({ cap });
        const truth = new Map(all.map((home) => [home, new Set<number>()]));
        for (const home of all) await build(store, home, []);
        for (const { at, to, merged } of adds) {
          const entry = { id: `d${at}`, createdAt: at };
          // A rebuild may add a drop before its fan-out.
          if (merged && to[0] !== undefined) await store.merge(to[0], { entries: [entry], floor: null });
          const added = await store.add(entry, to);
          for (const home of to) truth.get(home)?.add(at);
          for (const home of all) {
            const window = await store.page(home, { limit: 10 });
            const floor = window?.floor?.createdAt ?? 0;
            const times = window?.entries.map(({ createdAt }) => createdAt) ?? [];
            const newest = [...(truth.get(home) ?? [])].sort((a, b) => b - a);
            expect(times).toEqual(newest.filter((time) => time >= floor));
            expect(times.length).toBeLessThanOrEqual(cap);
            expect(times.length).toBeGreaterThanOrEqual(Math.min(cap - 1, newest.length));
            expect(!to.includes(home) || added.includes(home) === times.includes(at)).toBe(true);
          }
        }
      },
    );
    await fc.assert(run, { numRuns: 40 });
  });

  it('a script that the server has lost is loaded again', async () => {
    const store = await fresh();
    await build(store, HOME, [1]);
    await redis().command('SCRIPT', 'FLUSH');
    expect(await store.add({ id: 'd2', createdAt: 2 }, [HOME])).toEqual([HOME]);
    expect(await store.size(HOME)).toBe(2);
  });

  it.each([
    ['the list', 'timeline:home:ann'],
    ['what is known about it', '{timeline:home:ann}:state'],
  ])('C16 an eviction of %s is detected, and not mistaken for an empty timeline', async (_, key) => {
    const store = await fresh();
    await build(store, HOME, [1, 2]);
    await redis().command('DEL', key);
    expect(await store.page(HOME, { limit: 9 })).toBeNull();
    expect(await store.add({ id: 'd3', createdAt: 3 }, [HOME])).toEqual([]);
    await build(store, HOME, [2]);
    expect((await store.page(HOME, { limit: 9 }))?.entries.map(({ id }) => id)).toEqual(['d2']);
  });

  it('C10 no key is left of an unread home', async () => {
    const store = await fresh({ idleMs: 150 });
    await build(store, HOME, [1]);
    await store.add({ id: 'd2', createdAt: 2 }, [HOME]);
    // The newest entry is recorded once for all timelines.
    await expect.poll(() => redis().command('KEYS', '*')).toEqual(['timeline_newest']);
  });

  describe('the newest entry of all', () => {
    const full = async (store: RedisTimelineStore): Promise<void> => {
      await build(store, HOME, [5, 6, 7]);
      await build(store, homeTimeline('ben'), [1, 2, 3]);
    };
    const times = async (store: RedisTimelineStore, of: TimelineName): Promise<readonly number[]> =>
      (await store.page(of, { limit: 9 }))?.entries.map(({ createdAt }) => createdAt) ?? [];
    const newest = (): Promise<unknown> => redis().command('GET', 'timeline_newest');

    it('is recorded by every script that adds it, and never decreases', async () => {
      const store = await fresh({ cap: 3 });
      await full(store);
      expect(await newest()).toBe('7 d7');
      await store.add({ id: 'd4', createdAt: 4 }, [HOME, homeTimeline('ben')]);
      expect(await newest()).toBe('7 d7');
      expect(await times(store, HOME)).toEqual([7, 6]);
      expect(await times(store, homeTimeline('ben'))).toEqual([4, 3, 2]);
      await store.add({ id: 'd8', createdAt: 8 }, [HOME, homeTimeline('ben')]);
      expect(await newest()).toBe('8 d8');
      expect(await times(store, HOME)).toEqual([8, 7, 6]);
      expect(await times(store, homeTimeline('ben'))).toEqual([8, 4, 3]);
    });

    it('is trusted only if Redis has evicted nothing', async () => {
      const store = await fresh({ cap: 3 });
      await full(store);
      await redis().command('DEL', 'timeline_newest');
      await store.add({ id: 'd4', createdAt: 4 }, [HOME, homeTimeline('ben')]);
      expect(await times(store, homeTimeline('ben'))).toEqual([4, 3, 2]);
      expect(await newest()).toBe('4 d4');

      await redis().command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
      await redis().command('SET', 'something', 'x'.repeat(1000));
      await redis().command('CONFIG', 'SET', 'maxmemory', '1');
      await redis().command('GET', 'something');
      await expect.poll(() => redis().command('DBSIZE')).toBe(0);
      await redis().command('CONFIG', 'SET', 'maxmemory', '0');
      await full(store);
      await store.add({ id: 'd8', createdAt: 8 }, [HOME]);
      expect(Number(String(await newest()).split(' ')[0])).toBeGreaterThan(systemClock.now() + 500_000);
      expect(await times(store, HOME)).toEqual([8, 7, 6]);
      await redis().command('CONFIG', 'RESETSTAT');
    });
  });

  it('names with braces stay apart from each other', async () => {
    const store = await fresh();
    for (const user of ['a{b}c', 'a{}c', '{}', '}{']) await build(store, homeTimeline(user), [1]);
    expect(await store.size(homeTimeline('a{b}c'))).toBe(1);
    expect(await store.size(homeTimeline('b'))).toBeNull();
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
    deletesBySlot: true,
    now: () => systemClock.now(),
    passTime: sleep,
  }));

  it('C6 C14 C22 concurrent pages each have their own timeline, range and mark', async () => {
    await readAtOnce(await fresh());
  });

  it('C6 timelines are spread over all nodes, and one call reaches them', async () => {
    const store = await fresh();
    const homes = Array.from({ length: 300 }, (_, n) => homeTimeline(`u${n}`));
    for (const home of homes)
      await store.merge(home, { entries: [], floor: null }, await beginExpiredRebuild(store, home));
    expect(await store.add({ id: 'x', createdAt: 2 }, [...homes, 'timeline:local'])).toHaveLength(301);
    await store.remove('x', homes);
    expect(await store.add({ id: 'x', createdAt: 2 }, homes)).toEqual([]);
    for (const server of cluster().servers) expect(await server.command('DBSIZE')).toBeGreaterThan(50);
  });
});

describe('without a Redis', () => {
  it('C18 fails at once as unavailable', async () => {
    const connection = await RedisConnection.open({ nodes: ['127.0.0.1:1'], ...parts, timeoutMs: 300 });
    const store = new RedisTimelineStore({ connection, clock: systemClock });
    await expect(store.page(homeTimeline('a'), { limit: 1 })).rejects.toMatchObject({
      name: 'TimelinesUnavailableError',
    });
    await connection[Symbol.asyncDispose]();
  });
});

requires('redis-server', 'localedef')('timelines in a Redis that sorts texts by a locale', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-locale-'));
  const redis = forThisFile(async () => {
    const letters = 'fedcba'.split('').map((letter) => `<U00${letter.charCodeAt(0).toString(16)}>`);
    const source = `LC_COLLATE\norder_start forward\n${letters.join('\n')}\norder_end\nEND LC_COLLATE\n`;
    writeFileSync(join(folder, 'source'), source);
    // localedef warns about missing definitions.
    spawnSync('localedef', ['-c', '-i', 'source', '-f', 'ANSI_X3.4-1968', './turned'], { cwd: folder });
    return startRedis([], { LOCPATH: folder, LC_ALL: 'turned' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('C15 drops of one millisecond keep the order of their bytes, on every page', async () => {
    expect(await redis().command('EVAL', "return 'a' < 'b' and 1 or 0", '0')).toBe(0);
    await using connection = await RedisConnection.open({ nodes: [redis().address], ...parts });
    const store = new RedisTimelineStore({ connection, clock: systemClock, cap: 4 });
    const token = await beginExpiredRebuild(store, 'timeline:local');
    const entries = ['c', 'a', 'd', 'b'].map((id) => ({ id, createdAt: 5 }));
    await store.merge('timeline:local', { entries, floor: { id: 'b', createdAt: 5 } }, token);
    await store.add({ id: 'e', createdAt: 5 }, ['timeline:local']);
    const seen: string[] = [];
    for (let before = { id: 'z', createdAt: 9 }; ; ) {
      const window = await store.page('timeline:local', { limit: 1, before });
      const [next] = window?.entries ?? [];
      if (next === undefined || seen.length > 9) break;
      seen.push(next.id);
      before = next;
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b']);
    const after = await store.page('timeline:local', { limit: 9, after: { id: 'c', createdAt: 5 } });
    expect(after?.entries.map(({ id }) => id)).toEqual(['e', 'd']);
    // Below the lowest entry of a full timeline, so it is not added.
    expect(await store.add({ id: 'aa', createdAt: 5 }, ['timeline:local'])).toEqual([]);
  });
});
