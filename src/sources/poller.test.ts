import { describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../item/item.ts';
import { MemorySourceStore } from '../storage/memory/source-store.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { PollBatch } from './admission.ts';
import { Poller, type PollerOptions } from './poller.ts';
import { newSourceRecord, type Source, type SourceReading, type SourceState } from './source.ts';
import type { PolledSource } from './source-reader.ts';

const signal = new AbortController().signal;
const START = Date.UTC(2026, 10, 15);

function sighting(n: number, publishedAt: number): Sighting {
  const url = `https://news.example/${n}`;
  return { key: url as ItemKey, url, title: `T${n}`, publishedAt, sourceId: 's', sourceName: 'S' };
}

function scripted(
  id: string,
  ...script: ((state: SourceState, signal: AbortSignal) => SourceReading | Promise<SourceReading>)[]
): Source & { readonly given: SourceState[] } {
  const given: SourceState[] = [];
  return {
    id,
    name: id,
    kind: 'feed',
    given,
    async read(state, stop) {
      given.push(state);
      const step = script[Math.min(given.length, script.length) - 1];
      if (step === undefined) throw new Error('no script');
      return await step(state, stop);
    },
  };
}

function read(sightings: readonly Sighting[], state: SourceState = {}): SourceReading {
  return { outcome: 'read', sightings, memory: state, warnings: [] };
}

interface Newsroom {
  readonly clock: ManualClock;
  readonly store: MemorySourceStore;
  readonly poller: Poller;
  /** The same as opened by another replica. */
  another(owner?: string): Poller;
  readonly arrivals: PollBatch[];
  /** One poll of each source, in their order. */
  round(force?: boolean): Promise<readonly string[]>;
}

function newsroom(
  sources: readonly (Source | PolledSource)[],
  more: Partial<PollerOptions> & { readonly admit?: () => Promise<void> } = {},
): Newsroom {
  const clock = new ManualClock(START);
  const store = new MemorySourceStore(clock);
  const arrivals: PollBatch[] = [];
  const polled = sources.map((one) => ('source' in one ? one : hourly(one)));
  const options: PollerOptions = {
    sources: new Map(polled.map((one) => [one.source.id, one])),
    store,
    clock,
    random: () => 0.5,
    owner: 'mine',
    admission: {
      admit: async (arrival) => {
        await more.admit?.();
        arrivals.push(arrival);
      },
      hasNewcomer: async () => false,
      takeAdmitted: () => arrivals.splice(0).length,
    },
    ...more,
  };
  const poller = new Poller(options);
  return {
    clock,
    store,
    poller,
    another: (owner = 'other') => new Poller({ ...options, owner }),
    arrivals,
    round: async (force = false) =>
      (await Promise.all(polled.map((one) => poller.poll(one, signal, force)))).map(({ outcome }) => outcome),
  };
}

function hourly(source: Source, changes: Partial<PolledSource> = {}): PolledSource {
  return { source, interval: { ms: HOUR, isFixed: true }, ...changes };
}

/** Reads until it is stopped. */
const hanging = (_: SourceState, aborted: AbortSignal): Promise<SourceReading> =>
  new Promise((_resolve, reject) => aborted.addEventListener('abort', () => reject(aborted.reason)));

const flushPromises = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a poll', () => {
  it('X5 advances the marker only after the items are stored', async () => {
    let broken = true;
    const source = scripted('a', () => read([sighting(1, 0)], { etag: 'v1' }));
    const { poller, store, clock } = newsroom([source], {
      admit: async () => {
        if (broken) throw new Error('the disk is full');
      },
    });
    const failed = await poller.poll(hourly(source), signal);
    expect(failed).toMatchObject({ outcome: 'not_stored', detail: 'the disk is full' });
    expect(await store.load('a')).toBeNull();
    broken = false;
    await clock.advance(MINUTE);
    expect((await poller.poll(hourly(source), signal)).outcome).toBe('read');
    expect(source.given).toEqual([{}, {}]);
    expect((await store.load('a'))?.memory).toEqual({ etag: 'v1' });
  });

  it('R2 a source that is removed during its reading leaves nothing behind', async () => {
    const answer = Promise.withResolvers<SourceReading>();
    const source = scripted('a', () => answer.promise);
    const sources = new Map([['a', hourly(source)]]);
    const { poller, store, arrivals } = newsroom([source], { sources });
    const poll = poller.poll(hourly(source), signal);
    await flushPromises();
    sources.delete('a');
    answer.resolve(read([sighting(1, 0)]));
    expect((await poll).outcome).toBe('stopped');
    expect(arrivals).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it('R2 a source that is added is polled at once, and one that comes back by its record', async () => {
    const [a, b] = ['a', 'b'].map((id) => scripted(id, () => read([sighting(1, 0)]))) as [
      ReturnType<typeof scripted>,
      ReturnType<typeof scripted>,
    ];
    const sources = new Map([['a', hourly(a)]]);
    const { poller } = newsroom([], { sources });
    const stop = new AbortController();
    const polling = poller.keepPolling(stop.signal);
    await flushPromises();
    sources.set('b', hourly(b));
    poller.wake();
    await flushPromises();
    expect([a.given.length, b.given.length]).toEqual([1, 1]);
    // Paused and resumed: not due yet.
    sources.delete('b');
    poller.wake();
    await flushPromises();
    sources.set('b', hourly(b));
    poller.wake();
    await flushPromises();
    expect(b.given).toHaveLength(1);
    expect(poller.pollNow('b')).toBe(true);
    await flushPromises();
    expect(b.given).toHaveLength(2);
    expect(poller.pollNow('c')).toBe(false);
    stop.abort();
    await polling;
    await poller[Symbol.asyncDispose]();
  });

  it('counts each item once, however often it is listed', async () => {
    const [one, two, three] = [1, 2, 3].map((n) => sighting(n, n)) as [Sighting, Sighting, Sighting];
    const source = scripted(
      'a',
      () => read([one, two, two]),
      () => read([one, two]),
      () => ({ ...read([two, three]), known: new Set<ItemKey>() }) as SourceReading,
    );
    const { round, store } = newsroom([source]);
    for (const seen of [2, 2, 3]) {
      await round(true);
      expect((await store.load('a'))?.itemsSeen).toBe(seen);
    }
    // An earlier version did not record what it had shown.
    await store.save({ ...newSourceRecord('a'), itemsSeen: 40, baselineTakenAt: 1 });
    await round(true);
    expect((await store.load('a'))?.itemsSeen).toBe(40);
  });

  it('B19 the first reading is marked as such, with the setting of the source', async () => {
    const source = scripted(
      'a',
      () => read([sighting(1, 0)]),
      () => read([sighting(2, 0), sighting(1, 0)]),
    );
    const { round, clock, arrivals } = newsroom([hourly(source, { firstContact: { newest: 2 } })]);
    await round();
    await clock.advance(HOUR);
    await round();
    expect(arrivals.map(({ isFirst }) => isFirst)).toEqual([true, false]);
    expect(arrivals[0]?.firstContact).toEqual({ newest: 2 });
    // The keys it reported before are stored in its record.
    expect(arrivals[0]?.reported).toBeNull();
    expect([...(arrivals[1]?.reported ?? [])]).toEqual([sighting(1, 0).key]);
  });

  it('X19 items known under a changed identity are baseline, the rest is news', async () => {
    const [one, two] = [sighting(1, 0), sighting(2, 0)];
    const source = scripted(
      'a',
      () => read([one]),
      () => ({ ...read([one, two]), known: new Set([one.key]) }) as SourceReading,
    );
    const { round, clock, arrivals } = newsroom([source]);
    await round();
    await clock.advance(HOUR);
    await round();
    expect([...(arrivals[1]?.known ?? [])]).toEqual([one.key]);
  });

  it('D12 of a failed reading only the used quota is stored', async () => {
    const source = scripted(
      'a',
      () => ({ ...read([]), memory: { etag: 'one', quotaUsed: 1 } }),
      () => ({ outcome: 'failed', why: 'server_error', detail: 'status 500', spent: { quotaUsed: 3 } }),
      () => ({ outcome: 'offline', detail: 'no network', spent: { quotaUsed: 4 } }),
    );
    const { round, store, clock } = newsroom([source]);
    for (const quotaUsed of [1, 3, 4]) {
      await round(true);
      expect((await store.load('a'))?.memory).toEqual({ etag: 'one', quotaUsed });
      await clock.advance(HOUR);
    }
  });

  it('X5 a failing feed backs off further each time, shows why in plain words, and recovers', async () => {
    const failing = (): SourceReading => ({ outcome: 'failed', why: 'server_error', detail: 'status 500' });
    const source = scripted('a', failing, failing, failing, failing, failing, failing, () => read([]));
    const { round, store, clock } = newsroom([
      hourly(source, { interval: { ms: 10 * MINUTE, isFixed: false } }),
    ]);
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      await round();
      const record = await store.load('a');
      waits.push((record?.nextAt ?? 0) - clock.now());
      await clock.advance((record?.nextAt ?? 0) - clock.now());
    }
    expect(waits.map((wait) => wait / MINUTE)).toEqual([10, 10, 15, 30, 60, 120]);
    const record = await store.load('a');
    expect(record?.failuresInARow).toBe(6);
    expect(record?.lastTrouble?.detail).toBe('The server reported an internal error (status 500)');
    await round();
    expect(await store.load('a')).toMatchObject({
      failuresInARow: 0,
      lastTrouble: null,
      lastSuccessAt: clock.now(),
    });
  });

  it('X23 sources that become due together at a start are spread, unless their interval is fixed', async () => {
    const sources = ['a', 'b'].map((id) => scripted(id, () => ({ outcome: 'unchanged', memory: {} })));
    const [adaptive, fixed] = sources;
    if (adaptive === undefined || fixed === undefined) throw new Error('two sources');
    const { round, store, clock } = newsroom([
      hourly(adaptive, { interval: { ms: HOUR, isFixed: false } }),
      hourly(fixed),
    ]);
    const waits = async () => {
      await round(true);
      return Promise.all(
        ['a', 'b'].map(async (id) => ((await store.load(id))?.nextAt ?? 0) / MINUTE - clock.now() / MINUTE),
      );
    };
    expect(await waits()).toEqual([45, 58.5]);
    expect(await waits()).toEqual([58.5, 58.5]);
    await clock.advance(DAY);
    expect(await waits()).toEqual([45, 58.5]);
  });

  it('X23 the interval adapts to the feed', async () => {
    const hints = { freshForMs: null, gapMs: 6 * HOUR, newestAt: START, oldestAt: START - 9 * DAY };
    const source = scripted('a', () => ({ outcome: 'unchanged', memory: {}, hints }));
    const { round, store } = newsroom([hourly(source, { interval: { ms: 15 * MINUTE, isFixed: false } })], {
      random: () => 0,
    });
    await round();
    expect((await store.load('a'))?.nextAt).toBe(START + 90 * MINUTE);
  });

  it('X5 a feed that hangs, throws or fails never blocks the others', async () => {
    const slow = scripted('hanging', () => new Promise(() => {}));
    const throwing = scripted('throwing', () => {
      throw new TypeError('undefined is not a feed');
    });
    const fine = scripted('fine', () => read([sighting(1, 0)]));
    const { round, store, clock, arrivals } = newsroom([slow, throwing, fine]);
    const polls = round();
    await clock.advance(MINUTE);
    expect(arrivals.map((arrival) => arrival.source.id)).toEqual(['fine']);
    await clock.advance(2 * MINUTE);
    expect(await polls).toEqual(['failed', 'failed', 'read']);
    expect((await store.load('hanging'))?.lastTrouble?.why).toBe('timeout');
    expect((await store.load('throwing'))?.lastTrouble?.detail).toContain('undefined is not a feed');
  });

  it('X5 when nothing at all can be reached, no feed is blamed', async () => {
    const source = scripted(
      'a',
      () => ({ outcome: 'failed', why: 'timeout', detail: '' }),
      () => ({ outcome: 'offline', detail: 'no network' }),
    );
    const { round, store, clock } = newsroom([source]);
    await round();
    const before = await store.load('a');
    await clock.advance(2 * HOUR);
    await round();
    expect(await store.load('a')).toEqual({
      ...before,
      lastTriedAt: clock.now(),
      nextAt: clock.now() + MINUTE,
    });
  });

  it('X5 the new address of a moved feed stays stored', async () => {
    const source = scripted(
      'a',
      () => ({ ...read([]), movedTo: 'https://new.example/' }) as SourceReading,
      () => read([]),
    );
    const { round, store, clock } = newsroom([source]);
    await round();
    await clock.advance(HOUR);
    await round();
    expect((await store.load('a'))?.movedTo).toBe('https://new.example/');
  });

  it('reads nothing before its time unless forced, and never the same source twice at once', async () => {
    const source = scripted('a', () => read([]));
    const { poller, clock } = newsroom([source]);
    const poll = (force = false) => poller.poll(hourly(source), signal, force);
    await poll();
    expect((await poll()).outcome).toBe('not_due');
    expect((await poll(true)).outcome).toBe('read');
    await clock.advance(HOUR);
    expect((await Promise.all([poll(), poll()])).map(({ outcome }) => outcome)).toEqual(['read', 'read']);
    expect(source.given).toHaveLength(3);
  });

  it('X18 a second poll shares the one in flight, and reads itself when that one was stopped', async () => {
    const stop = new AbortController();
    const source = scripted('a', hanging, () => read([sighting(1, 0)]));
    const { poller } = newsroom([source]);
    const stopped = poller.poll(hourly(source), stop.signal);
    const second = poller.poll(hourly(source), signal);
    await flushPromises();
    expect(source.given).toHaveLength(1);
    stop.abort();
    expect((await stopped).outcome).toBe('stopped');
    expect(await second).toMatchObject({ outcome: 'read', sightings: 1 });
  });

  it('stops in the middle of a reading without blaming the source', async () => {
    const stop = new AbortController();
    const source = scripted(
      'a',
      () => read([]),
      hanging,
      () => read([]),
    );
    const { poller, another, store } = newsroom([source]);
    await poller.poll(hourly(source), signal);
    const before = await store.load('a');
    const poll = poller.poll(hourly(source), stop.signal, true);
    await flushPromises();
    stop.abort();
    expect((await poll).outcome).toBe('stopped');
    expect(await store.load('a')).toEqual(before);
    // Another replica continues at once.
    expect((await another().poll(hourly(source), signal, true)).outcome).toBe('read');
  });

  it('X21 a time recorded by a clock that was ahead blocks nothing', async () => {
    const source = scripted('a', () => read([]));
    const { round, clock } = newsroom([source]);
    clock.jump(DAY);
    await round();
    clock.jump(-DAY);
    expect(await round()).toEqual(['read']);
  });
});

describe('the polling loop', () => {
  it('X23 reads every source at its own interval, with or without a pipeline', async () => {
    const often = scripted('often', () => read([]));
    const seldom = scripted('seldom', () => read([]));
    const { poller, clock } = newsroom([
      hourly(often, { interval: { ms: 10 * MINUTE, isFixed: true } }),
      seldom,
    ]);
    const stop = new AbortController();
    const going = poller.keepPolling(stop.signal);
    await clock.advance(59 * MINUTE);
    expect([often.given.length, seldom.given.length]).toEqual([7, 2]);
    stop.abort();
    await going;
  });

  it('X23 continues after a restart where it was before', async () => {
    const source = scripted('a', () => read([]));
    const { round, another, clock } = newsroom([source]);
    await round();
    const stop = new AbortController();
    const going = another().keepPolling(stop.signal);
    await clock.advance(50 * MINUTE);
    expect(source.given).toHaveLength(1);
    await clock.advance(10 * MINUTE);
    expect(source.given).toHaveLength(2);
    stop.abort();
    await going;
  });

  it('X5 bounds how many are read at once, and a source that hangs blocks no other', async () => {
    let now = 0;
    let max = 0;
    const counted = Array.from({ length: 20 }, (_, n) =>
      scripted(`s${n}`, async () => {
        max = Math.max(max, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        return read([]);
      }),
    );
    const stuck = scripted('stuck', () => new Promise(() => {}));
    const { poller, clock } = newsroom([stuck, ...counted], { concurrency: 3 });
    const stop = new AbortController();
    const going = poller.keepPolling(stop.signal);
    await clock.advance(MINUTE);
    expect(max).toBe(2);
    await clock.advance(HOUR);
    expect(counted.map(({ given }) => given.length)).toEqual(counted.map(() => 2));
    stop.abort();
    await clock.advance(3 * MINUTE);
    await going;
  });

  it('A16 ends with an error that stops the program, once polls in flight are done', async () => {
    const source = scripted('a', () => read([sighting(1, 0)]));
    const denied = Object.assign(new Error('permission denied'), { stops: 'program' });
    const { poller, clock } = newsroom([source], { admit: () => Promise.reject(denied) });
    const going = poller.keepPolling(new AbortController().signal);
    going.catch(() => {});
    await clock.advance(MINUTE);
    await expect(going).rejects.toThrow('permission denied');
  });

  it('A16 a reading that cannot be stored is repeated a minute later', async () => {
    const source = scripted('a', () => read([sighting(1, 0)]));
    let failures = 2;
    const { poller, clock, arrivals } = newsroom([source], {
      admit: async () => {
        if (failures-- > 0) throw new Error('away');
      },
    });
    const stop = new AbortController();
    const going = poller.keepPolling(stop.signal);
    await clock.advance(3 * MINUTE);
    expect(source.given).toHaveLength(3);
    expect(arrivals).toHaveLength(1);
    stop.abort();
    await going;
  });
});

describe('a run that needs its sources', () => {
  it('X23 waits for a reading in flight, and uses its items', async () => {
    const answer = Promise.withResolvers<SourceReading>();
    const source = scripted('a', () => answer.promise);
    const { poller, clock } = newsroom([source]);
    const stop = new AbortController();
    const going = poller.keepPolling(stop.signal);
    await clock.advance(0);
    let ready = false;
    const waiting = poller.readyFor('morning', ['a'], signal).then((read) => {
      ready = true;
      return read;
    });
    await flushPromises();
    expect(ready).toBe(false);
    answer.resolve(read([sighting(1, 0)]));
    expect(await waiting).toMatchObject({ read: 1, failed: 0, admitted: 1 });
    expect(source.given).toHaveLength(1);
    stop.abort();
    await going;
  });

  it('X23 reads only due sources, and all of them for a fresh reading', async () => {
    const source = scripted('a', () => read([]));
    const { poller } = newsroom([source]);
    await poller.readyFor('morning', ['a'], signal);
    expect(await poller.readyFor('morning', ['a'], signal)).toMatchObject({ read: 1, failed: 0 });
    expect(source.given).toHaveLength(1);
    await poller.readyFor('morning', ['a'], signal, { fresh: true });
    expect(source.given).toHaveLength(2);
  });

  it('X5 reports which of its sources failed at their last reading', async () => {
    const source = scripted('a', () => ({ outcome: 'failed', why: 'not_found', detail: '404' }));
    const { poller } = newsroom([source]);
    await poller.readyFor('morning', ['a'], signal);
    expect(await poller.readyFor('morning', ['a', 'unknown'], signal)).toEqual({
      read: 0,
      failed: 1,
      admitted: 0,
      failures: [{ source: 'a', reason: 'There is no feed at this address (404)' }],
    });
    expect(source.given).toHaveLength(1);
  });

  it('X5 an unreachable network is the reason of every source', async () => {
    const { poller } = newsroom([scripted('a', () => ({ outcome: 'offline', detail: 'no network' }))]);
    expect(await poller.readyFor('morning', ['a'], signal)).toMatchObject({
      read: 0,
      failed: 1,
      failures: [{ source: 'a', reason: 'the network is unreachable (no network)' }],
    });
  });

  it('X23 waits for the reading of another replica, and does not read a second time', async () => {
    const answer = Promise.withResolvers<SourceReading>();
    const source = scripted('a', () => answer.promise);
    const { poller, another, clock } = newsroom([source]);
    const other = another().poll(hourly(source), signal);
    await flushPromises();
    const waiting = poller.readyFor('morning', ['a'], signal, { fresh: true });
    await clock.advance(50 * SECOND);
    answer.resolve(read([sighting(1, 0)]));
    expect((await other).outcome).toBe('read');
    await clock.advance(3 * SECOND);
    expect(await waiting).toMatchObject({ read: 1 });
    expect(source.given).toHaveLength(1);
  });

  it('X21 takes over from a replica that died while it read', async () => {
    const source = scripted('a', () => read([]));
    const { poller, store, clock } = newsroom([source]);
    await store.claim('a', 'dead', MINUTE);
    const waiting = poller.readyFor('morning', ['a'], signal);
    await clock.advance(30 * SECOND);
    expect(source.given).toHaveLength(0);
    await clock.advance(31 * SECOND);
    expect(await waiting).toMatchObject({ read: 1 });
  });

  it.each([
    ['is reading', 20 * SECOND],
    ['has read', 0],
  ])('X21 a replica that wakes up while another %s its source stores nothing of it', async (is, passes) => {
    const answer = Promise.withResolvers<SourceReading>();
    const source = scripted(
      'a',
      () => answer.promise,
      () => read([], { by: 'the other' }),
    );
    const { poller, another, store, clock } = newsroom([source]);
    const first = poller.poll(hourly(source), signal);
    await flushPromises();
    // Suspended for so long that its claim expired.
    clock.jump(2 * MINUTE);
    await another().poll(hourly(source), signal);
    if (is === 'is reading') await store.claim('a', 'other', MINUTE);
    await clock.advance(passes);
    answer.resolve(read([], { by: 'the first' }));
    expect((await first).outcome).toBe('not_stored');
    expect((await store.load('a'))?.memory).toEqual({ by: 'the other' });
  });

  it('X23 a pipeline that is new to a source gets all that is listed, once', async () => {
    const source = scripted('a', () => read([sighting(1, 0)]));
    const fulls: unknown[] = [];
    const observed: Source = {
      ...source,
      read: (state, stop, options) => {
        fulls.push(options?.full);
        return source.read(state, stop);
      },
    };
    const isNew = { value: false };
    const { poller } = newsroom([observed], {
      admission: {
        admit: async () => {
          isNew.value = false;
        },
        hasNewcomer: async () => isNew.value,
        takeAdmitted: () => 0,
      },
    });
    await poller.readyFor('morning', ['a'], signal);
    isNew.value = true;
    for (let run = 0; run < 2; run++) await poller.readyFor('evening', ['a'], signal);
    expect(fulls).toEqual([false, true]);
  });

  it('X22 what an earlier version read last is read in full once, also if it is unchanged', async () => {
    const fulls: unknown[] = [];
    const source = scripted('a', () => read([sighting(1, 0)], { etag: 'v1' }));
    const watched: Source = {
      ...source,
      read: (state, stop, options) => {
        fulls.push(options?.full);
        return source.read(state, stop);
      },
    };
    const { clock, store, round } = newsroom([watched]);
    const record = { ...newSourceRecord('a'), memory: { etag: 'v1' }, baselineTakenAt: START - DAY };
    await store.save(record);
    await round();
    await clock.advance(HOUR);
    await round();
    expect(fulls).toEqual([true, false]);
  });
});
