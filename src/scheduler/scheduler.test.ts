import { describe, expect, it } from 'vitest';
import { SqliteRunStore } from '../storage/sqlite/run-store.ts';
import { HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { RunReport } from './run-report.ts';
import { type RunnerDependencies, runOnce, runOnSchedule } from './scheduler.ts';

function report(clock: ManualClock): RunReport {
  const now = clock.now();
  return {
    pipeline: 'p',
    startedAt: now,
    endedAt: now,
    dryRun: false,
    sourcesRead: 1,
    sourcesFailed: 0,
    admitted: 2,
    items: [],
    counts: {},
    troubles: [],
    notes: ['1 waits'],
  };
}

function room(work: (n: number, clock: ManualClock, signal: AbortSignal) => Promise<RunReport>) {
  const clock = new ManualClock();
  const runs = new SqliteRunStore(':memory:', clock);
  const endings: string[] = [];
  const troubles: string[] = [];
  let n = 0;
  const deps: RunnerDependencies = {
    pipeline: 'p',
    schedule: { kind: 'every', ms: 10_000 },
    runs,
    clock,
    owner: 'me',
    work: (signal) => work(++n, clock, signal),
    events: {
      runStarted: () => {},
      loopFailed: ({ loop, failures, waitMs }) => void troubles.push(`${loop} ${failures} ${waitMs}`),
      runFinished: ({ outcome, summary }) => void endings.push(`${outcome}: ${summary}`),
    },
  };
  return { clock, runs, endings, troubles, parts: deps, count: () => n };
}

describe('the runner', () => {
  it('A1 runs by hand and says what happened', async () => {
    const { parts, endings, clock } = room(async (_, c) => report(c));
    expect(await runOnce(parts, new AbortController().signal)).toMatchObject({ ran: true });
    expect(endings).toEqual(['finished: 2 admitted; 1 waits']);
    expect(clock.sleeping).toBe(0);
  });

  it('does not overlap a run with itself', async () => {
    const gate = Promise.withResolvers<void>();
    const { parts, clock } = room(async (_, c) => gate.promise.then(() => report(c)));
    const first = runOnce(parts, new AbortController().signal);
    await clock.advance(90_000);
    expect(await runOnce(parts, new AbortController().signal)).toEqual({
      ran: false,
      why: 'another run is under way',
    });
    gate.resolve();
    expect(await first).toMatchObject({ ran: true });
  });

  it('A1 keeps its schedule when a run fails', async () => {
    const { parts, clock, endings, count } = room(async (n, c) => {
      if (n === 1) throw new Error('the feed desk is on fire');
      return report(c);
    });
    const stop = new AbortController();
    const loop = runOnSchedule(parts, stop.signal);
    await clock.advance(25_000);
    stop.abort();
    await loop;
    expect(count()).toBe(3);
    expect(endings).toEqual([
      'failed: the feed desk is on fire',
      'finished: 2 admitted; 1 waits',
      'finished: 2 admitted; 1 waits',
    ]);
  });

  it('X21 stops its work when another copy took over', async () => {
    const { parts, clock, runs } = room(
      (_, __, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const run = runOnce(parts, new AbortController().signal);
    run.catch(() => {});
    await clock.advance(0);
    clock.jump(120_000);
    expect(await runs.begin('p', 'other', 60_000)).not.toBeNull();
    await clock.advance(20_000);
    await expect(run).rejects.toThrow('the run lost its lease');
  });

  it('A16 an error that stops the program ends the schedule, and is told as the end of its run', async () => {
    const { parts, clock, endings, count } = room(async () => {
      throw denied();
    });
    const loop = runOnSchedule(parts, new AbortController().signal);
    loop.catch(() => {});
    await clock.advance(25_000);
    await expect(loop).rejects.toThrow('the role is missing');
    expect(count()).toBe(1);
    expect(endings).toEqual(['failed: the role is missing']);
  });

  it('A16 an error that stops the run ends no more than the run', async () => {
    const { parts, clock, endings } = room(async (n, c) => {
      if (n === 1) throw Object.assign(new Error('the quota is used up'), { stops: 'run' });
      return report(c);
    });
    const stop = new AbortController();
    const loop = runOnSchedule(parts, stop.signal);
    await clock.advance(15_000);
    stop.abort();
    await loop;
    expect(endings).toEqual(['failed: the quota is used up', 'finished: 2 admitted; 1 waits']);
  });

  it('a record of runs that is away is asked again, later each time, until it is back', async () => {
    const { parts, clock, endings, troubles } = room(async (_, c) => report(c));
    let away = true;
    const runs = failing(parts.runs, () => away);
    const stop = new AbortController();
    const loop = runOnSchedule({ ...parts, runs }, stop.signal);
    await clock.advance(8_000);
    expect(troubles).toEqual(['schedule 1 1000', 'schedule 2 2000', 'schedule 3 4000', 'schedule 4 8000']);
    expect(endings).toEqual([]);
    away = false;
    await clock.advance(8_000);
    expect(endings).toEqual(['finished: 2 admitted; 1 waits']);
    stop.abort();
    await loop;
  });

  it('X21 a right that cannot be renewed for a moment is kept, and for longer than its lease it is given up', async () => {
    const { parts, clock, endings, troubles } = room(
      (n, c, signal) =>
        new Promise((resolve, reject) => {
          if (n === 1) void c.sleep(70_000, signal).then(() => resolve(report(c)), reject);
          else signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    let away = false;
    const runs = failing(parts.runs, () => away, ['renew']);
    const first = runOnce({ ...parts, runs }, new AbortController().signal);
    away = true;
    await clock.advance(27_000);
    expect(troubles).toEqual(['run lease 1 5000', 'run lease 2 5000']);
    away = false;
    await clock.advance(50_000);
    expect(await first).toMatchObject({ ran: true });
    away = true;
    const second = runOnce({ ...parts, runs }, new AbortController().signal);
    second.catch(() => {});
    await clock.advance(60_000);
    await expect(second).rejects.toThrow('the store is away');
    expect(endings.at(-1)).toBe('failed: the store is away');
  });

  it('tells why a run failed even when the store cannot take its ending', async () => {
    const { parts, endings } = room(async () => {
      throw new Error('the feed desk is on fire');
    });
    const runs = failing(parts.runs, () => true, ['end']);
    const run = runOnce({ ...parts, runs }, new AbortController().signal);
    await expect(run).rejects.toThrow('the feed desk is on fire');
    expect(endings).toEqual([
      'failed: the feed desk is on fire; this could not be written down: the store is away',
    ]);
  });

  it('X21 C24 a scheduled run that was cut short is made good at once, a person’s is not', async () => {
    const { parts, clock, runs, count } = room(async (_, c) => report(c));
    const daily = { ...parts, schedule: { kind: 'every', ms: 86_400_000 } as const, fence: 2 };
    const died = await runs.begin('p', 'dead', 60_000, 1);
    expect(died).not.toBeNull();
    const stop = new AbortController();
    const loop = runOnSchedule(daily, stop.signal);
    await clock.advance(59_000);
    expect(count()).toBe(0);
    await clock.advance(22_000);
    expect(count()).toBe(1);
    await clock.advance(3_600_000);
    expect(count()).toBe(1);
    const byHand = await runs.begin('p', 'person', 60_000);
    if (byHand === null) throw new Error('no ticket');
    await runs.end(byHand, { outcome: 'stopped', summary: 'stopped', counts: {} });
    await clock.advance(3_600_000);
    expect(count()).toBe(1);
    stop.abort();
    await loop;
  });

  it('C24 a scheduler that lost its lease starts nothing more and ends what it began', async () => {
    const gate = Promise.withResolvers<void>();
    const { parts, clock, endings, count } = room(async (_, c, signal) => {
      await gate.promise;
      signal.throwIfAborted();
      return report(c);
    });
    const lost = new AbortController();
    const loop = runOnSchedule(parts, lost.signal, new AbortController().signal);
    await clock.advance(1);
    lost.abort();
    gate.resolve();
    await loop;
    expect(endings).toEqual(['finished: 2 admitted; 1 waits']);
    expect(count()).toBe(1);
  });

  it('A1 C24 a first start that comes between two turns of the scheduler is not missed', async () => {
    const { parts, clock, count } = room(async (_, c) => report(c));
    const schedule = { kind: 'cron', expression: '*/5 * * * *', timeZone: 'UTC' } as const;
    const kept = { ...parts, schedule, since: clock.now() };
    const turn = new AbortController();
    const lost = runOnSchedule(kept, turn.signal);
    await clock.advance(299_000);
    turn.abort();
    await lost;
    expect(count()).toBe(0);
    await clock.advance(2000);
    const stop = new AbortController();
    const loop = runOnSchedule(kept, stop.signal);
    await clock.advance(0);
    expect(count()).toBe(1);
    await clock.advance(60_000);
    expect(count()).toBe(1);
    stop.abort();
    await loop;
  });

  it('X21 a run by hand takes over from one that died while the clock was ahead, and not from one that lives', async () => {
    const { parts, clock, runs } = room(async (_, c) => report(c));
    clock.jump(3 * HOUR);
    const other = await runs.begin('p', 'other', MINUTE);
    if (other === null) throw new Error('no ticket');
    clock.jump(-3 * HOUR);
    const refused = runOnce(parts, new AbortController().signal);
    await clock.advance(30_000);
    await runs.renew(other, MINUTE);
    await clock.advance(40_000);
    expect(await refused).toMatchObject({ ran: false });
    clock.jump(3 * HOUR);
    await runs.begin('p', 'dead', MINUTE);
    clock.jump(-3 * HOUR);
    const taken = runOnce(parts, new AbortController().signal);
    await clock.advance(70_000);
    expect(await taken).toMatchObject({ ran: true });
  });

  it('X21 a store that is away for a while neither ends the run nor the loop', async () => {
    const { parts, clock, runs, count } = room(async (_, c, signal) => {
      await c.sleep(30_000, signal);
      return report(c);
    });
    let away = false;
    const shaky = failing(runs, () => away);
    const stop = new AbortController();
    const loop = runOnSchedule({ ...parts, runs: shaky }, stop.signal);
    await clock.advance(15_000);
    away = true;
    await clock.advance(10_000);
    away = false;
    await clock.advance(10_000);
    away = true;
    await clock.advance(30_000);
    away = false;
    await clock.advance(60_000);
    expect(count()).toBeGreaterThan(1);
    expect((await runs.recent('p', 9)).at(-1)).toMatchObject({ outcome: 'done' });
    stop.abort();
    await loop;
  });
});

function denied(): Error {
  return Object.assign(new Error('the role is missing'), { stops: 'program' });
}

/** A store whose methods fail while it is away. */
function failing<T extends object>(store: T, away: () => boolean, only?: readonly string[]): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (away() && (only?.includes(String(name)) ?? true)) throw new Error('the store is away');
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}
