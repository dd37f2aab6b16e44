import { describe, expect, it } from 'vitest';
import { dueMoment, isAlreadyRun } from './due-run.ts';
import type { RunRecord } from './run-store.ts';
import type { Schedule } from './schedule.ts';

const at = (text: string): number => Date.parse(text);
const morning: Schedule = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Asia/Tokyo' };
const run = (startedAt: number, outcome: RunRecord['outcome']): RunRecord => ({
  id: 1,
  pipeline: 'p',
  startedAt,
  endedAt: null,
  outcome,
  summary: null,
  scheduled: false,
  counts: {},
});

describe('due runs', () => {
  it('A1 a call refers to the last scheduled time, also when it is late or a little early', () => {
    const nine = at('2026-11-15T00:00:00Z');
    expect(dueMoment(morning, nine, null)).toBe(nine);
    expect(dueMoment(morning, at('2026-11-15T23:00:00Z'), null)).toBe(nine);
    expect(dueMoment(morning, nine - 20_000, null)).toBe(nine);
    expect(dueMoment(morning, nine - 120_000, null)).toBe(at('2026-11-14T00:00:00Z'));
    const leapDay: Schedule = { kind: 'cron', expression: '0 0 29 2 *', timeZone: 'UTC' };
    expect(dueMoment(leapDay, at('2026-11-15T00:00:00Z'), null)).toBe(at('2024-02-29T00:00:00Z'));
    expect(dueMoment(morning, nine, 42)).toBe(42);
  });

  it('D4 with a fixed interval it refers to one interval back', () => {
    const every: Schedule = { kind: 'every', ms: 7_200_000 };
    const now = at('2026-11-15T04:00:00Z');
    const moment = dueMoment(every, now, null);
    expect(isAlreadyRun([run(now - 7_200_000, 'done')], moment, now)).toBe(false);
    expect(isAlreadyRun([run(now - 3_600_000, 'done')], moment, now)).toBe(true);
  });

  it('A1 only a completed run counts', () => {
    const nine = at('2026-11-15T00:00:00Z');
    expect(isAlreadyRun([], nine, nine)).toBe(false);
    for (const outcome of ['failed', 'stopped', 'running'] as const)
      expect(isAlreadyRun([run(nine + 5, outcome)], nine, nine)).toBe(false);
    expect(isAlreadyRun([run(nine + 5, 'failed'), run(nine + 1, 'done')], nine, nine)).toBe(true);
    expect(isAlreadyRun([run(nine - 3_600_000, 'done')], nine, nine)).toBe(false);
    // Recorded by a clock that was ahead.
    expect(isAlreadyRun([run(nine + 3 * 3_600_000, 'done')], nine, nine)).toBe(false);
  });
});
