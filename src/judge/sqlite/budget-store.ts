import { randomUUID } from 'node:crypto';
import type { Connection } from '../../sqlite/connection.ts';
import type { CalendarDay } from '../../time/calendar-day.ts';
import { CLOCK_TOLERANCE } from '../../time/future.ts';
import type { BudgetStore, Spend } from '../budget-store.ts';
import { limitPassed, MINUTE_WINDOW } from '../budget-store.ts';

const MINUTE =
  'SELECT COALESCE(SUM(calls), 0) AS calls, MIN(at) AS oldest FROM judge_calls WHERE purse = ? AND at > ? AND at <= ?';
const TODAY = `SELECT COALESCE(SUM(calls), 0) AS calls, COALESCE(SUM(tokens), 0) AS tokens,
  COALESCE(SUM(micro_usd), 0) AS micro_usd FROM judge_calls WHERE purse = ? AND at >= ?`;
const SETTLE =
  'UPDATE judge_calls SET calls = ?, tokens = ?, micro_usd = ?, settled = 1 WHERE id = ? AND settled = 0';

/** Budgets in SQLite: shared by every process that opens the file. The connection belongs to the caller. */
export function createSqliteBudgetStore(
  connection: Connection,
  newId: () => string = randomUUID,
): BudgetStore {
  const read = (purse: string, now: number, day: CalendarDay): { spend: Spend; oldest: number } => {
    const last = connection.get(MINUTE, purse, now - MINUTE_WINDOW, now + CLOCK_TOLERANCE);
    const all = connection.get(TODAY, purse, day.start);
    return {
      oldest: Number(last?.oldest ?? now),
      spend: {
        lastMinute: { calls: Number(last?.calls ?? 0) },
        today: {
          calls: Number(all?.calls ?? 0),
          tokens: Number(all?.tokens ?? 0),
          microUsd: Number(all?.micro_usd ?? 0),
        },
      },
    };
  };

  return {
    reserve: (purse, amount, limits, now, day) =>
      connection.write(() => {
        const { spend, oldest } = read(purse, now, day);
        const limit = limitPassed(spend, amount, limits);
        if (limit === 'callsPerMinute') return { reserved: false, limit, until: oldest + MINUTE_WINDOW };
        if (limit !== null) return { reserved: false, limit, until: day.end };
        const id = newId();
        const { calls, tokens, microUsd } = amount;
        connection.run(
          'INSERT INTO judge_calls VALUES (?, ?, ?, ?, ?, ?, 0)',
          id,
          purse,
          now,
          calls,
          tokens,
          microUsd,
        );
        return { reserved: true, id };
      }),
    async settle(id, used) {
      await connection.write(() => connection.run(SETTLE, used.calls, used.tokens, used.microUsd, id));
    },
    spent: (purse, now, day) => connection.read(() => read(purse, now, day).spend),
    sweep: (before) => connection.write(() => connection.run('DELETE FROM judge_calls WHERE at < ?', before)),
    async [Symbol.asyncDispose]() {},
  };
}
