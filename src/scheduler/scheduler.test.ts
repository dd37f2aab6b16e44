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
    failedSources: [],
    admitted: 2,
    items: [],
    counts: {},
    troubles: [],
    notes: ['1 waits'],
  };
}

function setup(work: (n: number, clock: ManualClock, signal: AbortSignal) => Promise<RunReport>) {
  const clock = new ManualClock();
  const runs = new SqliteRunStore(':memory:', clock);
  const endings: string[] = [];
  const failures: string[] = [];
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
      loopFailed: (failure) => void failures.push(`${failure.loop} ${failure.failures} ${failure.waitMs}`),
      runFinished: ({ outcome, summary }) => void endings.push(`${outcome}: ${summary}`),
    },
  };
  return { clock, runs, endings, failures, deps, count: () => n };
}

describe('the runner', () => {
  it('A1 runs by hand and reports the result', async () => {
    const { deps, endings, clock } = setup(async (_, c) => report(c));
    expect(await runOnce(deps, new AbortController().signal)).toMatchObject({ ran: true });
    expect(endings).toEqual(['finished: 2 admitted; 1 waits']);
    expect(clock.sleeping).toBe(0);
  });

  it('does not overlap a run with itself', async () => {
    const gate = Promise.withResolvers<void>();
    const { deps, clock } = setup(async (_, c) => gate.promise.then(() => report(c)));
    const first = runOnce(deps, new AbortController().signal);
    await clock.advance(90_000);
    expect(await runOnce(deps, new AbortController().signal)).toEqual({
      ran: false,
      why: 'another run is in progress',
    });
    gate.resolve();
    expect(await first).toMatchObject({ ran: true });
  });

  it('A1 keeps its schedule when a run fails', async () => {
    const { deps, clock, endings, count } = setup(async (n, c) => {
      if (n === 1) throw new Error('the feed desk is on fire');
      return report(c);
    });
    const stop = new AbortController();
    const loop = runOnSchedule(deps, stop.signal);
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

  it('X21 stops its work when another replica took over', async () => {
    const { deps, clock, runs } = setup(
      (_, __, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const run = runOnce(deps, new AbortController().signal);
    run.catch(() => {});
    await clock.advance(0);
    clock.jump(120_000);
    expect(await runs.begin('p', 'other', 60_000)).not.toBeNull();
    await clock.advance(20_000);
    await expect(run).rejects.toThrow('the run lost its lease');
  });

  it('A16 an error that stops the program ends the schedule, and is reported as the end of its run', async () => {
    const { deps, clock, endings, count } = setup(async () => {
      throw denied();
    });
    const loop = runOnSchedule(deps, new AbortController().signal);
    loop.catch(() => {});
    await clock.advance(25_000);
    await expect(loop).rejects.toThrow('the role is missing');
    expect(count()).toBe(1);
    expect(endings).toEqual(['failed: the role is missing']);
  });

  it('A16 an error that stops the run ends only the run', async () => {
    const { deps, clock, endings } = setup(async (n, c) => {
      if (n === 1) throw Object.assign(new Error('the quota is used up'), { stops: 'run' });
      return report(c);
    });
    const stop = new AbortController();
    const loop = runOnSchedule(deps, stop.signal);
    await clock.advance(15_000);
    stop.abort();
    await loop;
    expect(endings).toEqual(['failed: the quota is used up', 'finished: 2 admitted; 1 waits']);
  });

  it('an unavailable run store is retried with backoff', async () => {
    const { deps, clock, endings, failures } = setup(async (_, c) => report(c));
    let unavailable = true;
    const runs = failing(deps.runs, () => unavailable);
    const stop = new AbortController();
    const loop = runOnSchedule({ ...deps, runs }, stop.signal);
    await clock.advance(8_000);
    expect(failures).toEqual(['schedule 1 1000', 'schedule 2 2000', 'schedule 3 4000', 'schedule 4 8000']);
    expect(endings).toEqual([]);
    unavailable = false;
    await clock.advance(8_000);
    expect(endings).toEqual(['finished: 2 admitted; 1 waits']);
    stop.abort();
    await loop;
  });

  it('X21 a lease survives a short outage, and is lost after one longer than the lease', async () => {
    const { deps, clock, endings, failures } = setup(
      (n, c, signal) =>
        new Promise((resolve, reject) => {
          if (n === 1) void c.sleep(70_000, signal).then(() => resolve(report(c)), reject);
          else signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    let unavailable = false;
    const runs = failing(deps.runs, () => unavailable, ['renew']);
    const first = runOnce({ ...deps, runs }, new AbortController().signal);
    unavailable = true;
    await clock.advance(27_000);
    expect(failures).toEqual(['run lease 1 5000', 'run lease 2 5000']);
    unavailable = false;
    await clock.advance(50_000);
    expect(await first).toMatchObject({ ran: true });
    unavailable = true;
    const second = runOnce({ ...deps, runs }, new AbortController().signal);
    second.catch(() => {});
    await clock.advance(60_000);
    await expect(second).rejects.toThrow('the store is away');
    expect(endings.at(-1)).toBe('failed: the store is away');
  });

  it('reports why a run failed even if the store cannot record it', async () => {
    const { deps, endings } = setup(async () => {
      throw new Error('the feed desk is on fire');
    });
    const runs = failing(deps.runs, () => true, ['end']);
    const run = runOnce({ ...deps, runs }, new AbortController().signal);
    await expect(run).rejects.toThrow('the feed desk is on fire');
    expect(endings).toEqual(['failed: the feed desk is on fire; failed to record this: the store is away']);
  });

  it('X21 C24 an interrupted scheduled run is repeated at once, a run by hand is not', async () => {
    const { deps, clock, runs, count } = setup(async (_, c) => report(c));
    const daily = { ...deps, schedule: { kind: 'every', ms: 86_400_000 } as const, fence: 2 };
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

  it('C24 a scheduler that lost its lease starts nothing more and completes the current run', async () => {
    const gate = Promise.withResolvers<void>();
    const { deps, clock, endings, count } = setup(async (_, c, signal) => {
      await gate.promise;
      signal.throwIfAborted();
      return report(c);
    });
    const lost = new AbortController();
    const loop = runOnSchedule(deps, lost.signal, new AbortController().signal);
    await clock.advance(1);
    lost.abort();
    gate.resolve();
    await loop;
    expect(endings).toEqual(['finished: 2 admitted; 1 waits']);
    expect(count()).toBe(1);
  });

  it('A1 C24 a first start between two leader terms is not missed', async () => {
    const { deps, clock, count } = setup(async (_, c) => report(c));
    const schedule = { kind: 'cron', expression: '*/5 * * * *', timeZone: 'UTC' } as const;
    const kept = { ...deps, schedule, since: clock.now() };
    const term = new AbortController();
    const lost = runOnSchedule(kept, term.signal);
    await clock.advance(299_000);
    term.abort();
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

  it('A1 X21 C24 a start between two leader terms is not missed after a run of a clock that was ahead', async () => {
    const { deps, clock, count } = setup(async (_, c) => report(c));
    const schedule = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' } as const;
    const kept = { ...deps, schedule, since: clock.now() };
    clock.jump(3 * HOUR);
    await runOnce(kept, new AbortController().signal);
    clock.jump(-3 * HOUR);
    expect(count()).toBe(1);
    await clock.advance(HOUR + 75_000);
    const stop = new AbortController();
    const loop = runOnSchedule(kept, stop.signal);
    await clock.advance(0);
    expect(count()).toBe(2);
    await clock.advance(10 * MINUTE);
    expect(count()).toBe(2);
    stop.abort();
    await loop;
  });

  it('X21 a run by hand takes over from one that died while the clock was ahead, and not from a live one', async () => {
    const { deps, clock, runs } = setup(async (_, c) => report(c));
    clock.jump(3 * HOUR);
    const other = await runs.begin('p', 'other', MINUTE);
    if (other === null) throw new Error('no ticket');
    clock.jump(-3 * HOUR);
    const refused = runOnce(deps, new AbortController().signal);
    await clock.advance(30_000);
    await runs.renew(other, MINUTE);
    await clock.advance(40_000);
    expect(await refused).toMatchObject({ ran: false });
    clock.jump(3 * HOUR);
    await runs.begin('p', 'dead', MINUTE);
    clock.jump(-3 * HOUR);
    const second = runOnce(deps, new AbortController().signal);
    await clock.advance(70_000);
    expect(await second).toMatchObject({ ran: true });
  });

  it('X21 an outage of the store ends neither the run nor the loop', async () => {
    const { deps, clock, runs, count } = setup(async (_, c, signal) => {
      await c.sleep(30_000, signal);
      return report(c);
    });
    let unavailable = false;
    const shaky = failing(runs, () => unavailable);
    const stop = new AbortController();
    const loop = runOnSchedule({ ...deps, runs: shaky }, stop.signal);
    await clock.advance(15_000);
    unavailable = true;
    await clock.advance(10_000);
    unavailable = false;
    await clock.advance(10_000);
    unavailable = true;
    await clock.advance(30_000);
    unavailable = false;
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

/** A store whose methods fail while it is unavailable. */
function failing<T extends object>(store: T, unavailable: () => boolean, only?: readonly string[]): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (unavailable() && (only?.includes(String(name)) ?? true)) throw new Error('the store is away');
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}
