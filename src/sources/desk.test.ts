import { describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../item/item.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { type Arrival, type FollowedSource, SourceDesk, type SourceDeskOptions } from './desk.ts';
import { MemorySourceStore } from './memory/memory-source-store.ts';
import type { Source, SourceMemory, SourceReading } from './source.ts';

const signal = new AbortController().signal;

function sighting(n: number, publishedAt: number): Sighting {
  const url = `https://news.example/${n}`;
  return { key: url as ItemKey, url, title: `T${n}`, publishedAt, sourceId: 's', sourceName: 'S' };
}

function scripted(
  id: string,
  ...script: ((memory: SourceMemory, signal: AbortSignal) => SourceReading | Promise<SourceReading>)[]
): Source & { readonly given: SourceMemory[] } {
  const given: SourceMemory[] = [];
  return {
    id,
    name: id,
    kind: 'feed',
    given,
    afresh: (memory) => ({ ...memory, etag: null }),
    async read(memory, stop) {
      given.push(memory);
      const step = script[Math.min(given.length, script.length) - 1];
      if (step === undefined) throw new Error('no script');
      return await step(memory, stop);
    },
  };
}

function read(sightings: readonly Sighting[], memory: SourceMemory = {}): SourceReading {
  return { outcome: 'read', sightings, memory, warnings: [] };
}

function deskWith(
  admit: (arrival: Arrival) => Promise<void> = async () => {},
  more: Partial<SourceDeskOptions> = {},
) {
  const clock = new ManualClock(Date.UTC(2026, 10, 15));
  const store = new MemorySourceStore();
  const options = { store, clock, random: () => 0.5, admit, ...more };
  return { clock, store, desk: new SourceDesk(options), another: () => new SourceDesk(options) };
}

function follow(source: Source, changes: Partial<FollowedSource> = {}): FollowedSource {
  return { source, every: HOUR, ...changes };
}

describe('the desk', () => {
  it('X5 moves the marker only after what was read is stored', async () => {
    let broken = true;
    const { desk, store, clock } = deskWith(async () => {
      if (broken) throw new Error('the disk is full');
    });
    const source = scripted('a', () => read([sighting(1, 0)], { etag: 'v1' }));
    const [failed] = await desk.round([follow(source)], signal);
    expect(failed).toMatchObject({ outcome: 'not_stored', detail: 'the disk is full' });
    expect(await store.load('a')).toBeNull();
    broken = false;
    await clock.advance(MINUTE);
    expect((await desk.round([follow(source)], signal))[0]?.outcome).toBe('read');
    expect(source.given).toEqual([{}, {}]);
    expect((await store.load('a'))?.memory).toEqual({ etag: 'v1' });
  });

  it('X5 what another process read last is read afresh for those who forget what waits', async () => {
    const { desk, another, clock } = deskWith(undefined, { forgetful: () => true });
    const source = scripted('a', () => read([sighting(1, 0)], { etag: 'v1', rules: 'r' }));
    const round = async (at: SourceDesk): Promise<void> => {
      await at.round([follow(source)], signal);
      await clock.advance(2 * HOUR);
    };
    await round(desk);
    await round(desk);
    const after = another();
    await round(after);
    await round(after);
    await round(desk);
    const [kept, forgotten] = [
      { etag: 'v1', rules: 'r' },
      { etag: null, rules: 'r' },
    ];
    expect(source.given).toEqual([{ etag: null }, kept, forgotten, kept, forgotten]);
  });

  it('B19 the first reading is told as such, with what the source says about it', async () => {
    const arrivals: Arrival[] = [];
    const { desk, clock } = deskWith(async (arrival) => void arrivals.push(arrival));
    const source = scripted(
      'a',
      () => read([sighting(1, 0)]),
      () => read([sighting(2, 0), sighting(1, 0)]),
    );
    const followed = follow(source, { firstContact: { newest: 2 } });
    await desk.round([followed], signal);
    await clock.advance(HOUR);
    await desk.round([followed], signal);
    expect(arrivals.map(({ isFirst }) => isFirst)).toEqual([true, false]);
    expect(arrivals[0]?.firstContact).toEqual({ newest: 2 });
  });

  it('X19 what a source knows under a changed identity is baseline, the rest is news', async () => {
    const arrivals: Arrival[] = [];
    const { desk, clock } = deskWith(async (arrival) => void arrivals.push(arrival));
    const [one, two] = [sighting(1, 0), sighting(2, 0)];
    const source = scripted(
      'a',
      () => read([one]),
      () => ({ ...read([one, two]), known: new Set([one.key]) }) as SourceReading,
    );
    await desk.round([follow(source)], signal);
    await clock.advance(HOUR);
    await desk.round([follow(source)], signal);
    expect([...(arrivals[1]?.known ?? [])]).toEqual([one.key]);
  });

  it('D12 what a failed reading has spent is remembered, and nothing else of it', async () => {
    const { desk, store, clock } = deskWith();
    const source = scripted(
      'a',
      () => ({ ...read([]), memory: { etag: 'one', quotaUsed: 1 } }),
      () => ({ outcome: 'failed', why: 'server_error', detail: 'status 500', spent: { quotaUsed: 3 } }),
      () => ({ outcome: 'offline', detail: 'no network', spent: { quotaUsed: 4 } }),
    );
    for (const quotaUsed of [1, 3, 4]) {
      await desk.round([follow(source)], signal, true);
      expect((await store.load('a'))?.memory).toEqual({ etag: 'one', quotaUsed });
      await clock.advance(HOUR);
    }
  });

  it('X5 a failing feed backs off further each time, shows why in plain words, and recovers', async () => {
    const { desk, store, clock } = deskWith();
    const failing = (): SourceReading => ({ outcome: 'failed', why: 'server_error', detail: 'status 500' });
    const source = scripted('a', failing, failing, failing, failing, failing, failing, () => read([]));
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      await desk.round([follow(source, { every: 10 * MINUTE })], signal);
      const record = await store.load('a');
      waits.push((record?.nextAt ?? 0) - clock.now());
      await clock.advance((record?.nextAt ?? 0) - clock.now());
    }
    expect(waits.map((wait) => wait / MINUTE)).toEqual([10, 10, 15, 30, 60, 120]);
    const record = await store.load('a');
    expect(record?.failuresInARow).toBe(6);
    expect(record?.lastTrouble?.detail).toBe('The server has a fault of its own. (status 500)');
    await desk.round([follow(source)], signal);
    expect(await store.load('a')).toMatchObject({
      failuresInARow: 0,
      lastTrouble: null,
      lastSuccessAt: clock.now(),
    });
  });

  it('X5 keeps Retry-After and the source’s own wish, within reason', async () => {
    const { desk, store, clock } = deskWith();
    const start = clock.now();
    const busy = scripted('busy', () => ({
      outcome: 'failed',
      why: 'rate_limited',
      detail: '',
      retryAt: start + 7 * HOUR,
    }));
    const slow = scripted('slow', () => ({ outcome: 'unchanged', memory: {}, notBefore: start + 5 * HOUR }));
    const mad = scripted('mad', () => ({ outcome: 'unchanged', memory: {}, notBefore: start + 900 * DAY }));
    await desk.round(
      [busy, slow, mad].map((source) => follow(source)),
      signal,
    );
    const next = async (id: string): Promise<number> => ((await store.load(id))?.nextAt ?? 0) - start;
    expect(await next('busy')).toBe(7 * HOUR);
    expect(await next('slow')).toBe(5 * HOUR);
    expect(await next('mad')).toBe(2 * DAY);
  });

  it('X5 a feed that hangs, throws or fails never holds up the others', async () => {
    const arrivals: Arrival[] = [];
    const { desk, store, clock } = deskWith(async (arrival) => void arrivals.push(arrival));
    const hanging = scripted('hanging', () => new Promise(() => {}));
    const throwing = scripted('throwing', () => {
      throw new TypeError('undefined is not a feed');
    });
    const fine = scripted('fine', () => read([sighting(1, 0)]));
    const round = desk.round(
      [hanging, throwing, fine].map((source) => follow(source)),
      signal,
    );
    await clock.advance(MINUTE);
    expect(arrivals.map((arrival) => arrival.source.id)).toEqual(['fine']);
    await clock.advance(2 * MINUTE);
    expect((await round).map((report) => report.outcome)).toEqual(['failed', 'failed', 'read']);
    expect((await store.load('hanging'))?.lastTrouble?.why).toBe('timeout');
    expect((await store.load('throwing'))?.lastTrouble?.detail).toContain('undefined is not a feed');
  });

  it('X5 when nothing at all can be reached, no feed is blamed', async () => {
    const { desk, store, clock } = deskWith();
    const source = scripted(
      'a',
      () => ({ outcome: 'failed', why: 'timeout', detail: '' }),
      () => ({ outcome: 'offline', detail: 'no network' }),
    );
    await desk.round([follow(source)], signal);
    const before = await store.load('a');
    await clock.advance(2 * HOUR);
    await desk.round([follow(source)], signal);
    expect(await store.load('a')).toEqual({
      ...before,
      lastTriedAt: clock.now(),
      nextAt: clock.now() + MINUTE,
    });
  });

  it('X5 a moved feed stays remembered', async () => {
    const { desk, store, clock } = deskWith();
    const source = scripted(
      'a',
      () => ({ ...read([]), movedTo: 'https://new.example/' }) as SourceReading,
      () => read([]),
    );
    await desk.round([follow(source)], signal);
    await clock.advance(HOUR);
    await desk.round([follow(source)], signal);
    expect((await store.load('a'))?.movedTo).toBe('https://new.example/');
  });

  it('reads nothing before its time unless told to, and never the same source twice at once', async () => {
    const { desk, clock } = deskWith();
    const source = scripted('a', () => read([]));
    await desk.round([follow(source)], signal);
    expect((await desk.round([follow(source)], signal))[0]?.outcome).toBe('not_due');
    expect((await desk.round([follow(source)], signal, true))[0]?.outcome).toBe('read');
    await clock.advance(HOUR);
    const outcomes = (await desk.round([follow(source), follow(source)], signal)).map(
      (report) => report.outcome,
    );
    expect(outcomes).toEqual(['read', 'read']);
    expect(source.given).toHaveLength(3);
  });

  it('X18 a second poll waits for the one under way, and reads itself when that one was stopped', async () => {
    const { desk } = deskWith();
    const stop = new AbortController();
    const source = scripted(
      'a',
      (_, aborted) =>
        new Promise((_resolve, reject) => aborted.addEventListener('abort', () => reject(aborted.reason))),
      () => read([sighting(1, 0)]),
    );
    const stopped = desk.poll(follow(source), stop.signal);
    const second = desk.poll(follow(source), signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(source.given).toHaveLength(1);
    stop.abort();
    expect((await stopped).outcome).toBe('not_due');
    expect(await second).toMatchObject({ outcome: 'read', sightings: 1 });
  });

  it('X18 what only another process admitted is read here too, but a failing source is left alone', async () => {
    const { desk, another, clock } = deskWith(undefined, { forgetful: () => true });
    const source = scripted(
      'a',
      () => read([sighting(1, 0)]),
      () => read([sighting(1, 0)]),
      () => ({ outcome: 'failed', why: 'server_error', detail: '503' }),
    );
    const other = another();
    const outcomes: string[] = [];
    const poll = async (at: SourceDesk): Promise<void> => {
      outcomes.push((await at.poll(follow(source), signal)).outcome);
      await clock.advance(MINUTE);
    };
    for (const at of [desk, other, other]) await poll(at);
    await clock.advance(HOUR);
    for (const at of [desk, other]) await poll(at);
    expect(outcomes).toEqual(['read', 'read', 'not_due', 'failed', 'not_due']);
  });

  it('bounds how many are read at once', async () => {
    const { clock, store } = deskWith();
    let now = 0;
    let most = 0;
    const sources = Array.from({ length: 20 }, (_, n) =>
      scripted(`s${n}`, async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        return read([]);
      }),
    );
    const desk = new SourceDesk({ store, clock, random: () => 0, admit: async () => {}, concurrency: 3 });
    await desk.round(
      sources.map((source) => follow(source)),
      signal,
    );
    expect(most).toBe(3);
  });

  it('stops in the middle of a reading without blaming anybody', async () => {
    const { desk, store } = deskWith();
    const stop = new AbortController();
    const source = scripted(
      'a',
      (_, aborted) =>
        new Promise((_resolve, reject) => aborted.addEventListener('abort', () => reject(aborted.reason))),
    );
    const round = desk.round([follow(source)], stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await round)[0]?.outcome).toBe('not_due');
    expect(await store.load('a')).toBeNull();
  });
});
