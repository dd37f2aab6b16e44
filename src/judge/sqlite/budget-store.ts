import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { BudgetStore, Spend } from '../budget-store.ts';
import { limitPassed, MINUTE_WINDOW } from '../budget-store.ts';
import type { Day } from '../day.ts';
import { inTransaction } from './judge-database.ts';

/** Budgets in SQLite: shared by every process that opens the file. The caller closes the database. */
export function createSqliteBudgetStore(
  database: DatabaseSync,
  newId: () => string = randomUUID,
): BudgetStore {
  const minute = database.prepare(
    'SELECT COALESCE(SUM(calls), 0) AS calls, MIN(at) AS oldest FROM judge_calls WHERE purse = ? AND at > ?',
  );
  const today = database.prepare(
    `SELECT COALESCE(SUM(calls), 0) AS calls, COALESCE(SUM(tokens), 0) AS tokens, COALESCE(SUM(micro_usd), 0) AS micro_usd
       FROM judge_calls WHERE purse = ? AND at >= ?`,
  );
  const insert = database.prepare('INSERT INTO judge_calls VALUES (?, ?, ?, ?, ?, ?, 0)');
  const settle = database.prepare(
    'UPDATE judge_calls SET calls = ?, tokens = ?, micro_usd = ?, settled = 1 WHERE id = ? AND settled = 0',
  );
  const sweep = database.prepare('DELETE FROM judge_calls WHERE at < ?');

  const read = (purse: string, now: number, day: Day): { spend: Spend; oldest: number } => {
    const last = minute.get(purse, now - MINUTE_WINDOW);
    const all = today.get(purse, day.start);
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
    async reserve(purse, amount, limits, now, day) {
      return inTransaction(database, () => {
        const { spend, oldest } = read(purse, now, day);
        const limit = limitPassed(spend, amount, limits);
        if (limit === 'callsPerMinute') return { reserved: false, limit, until: oldest + MINUTE_WINDOW };
        if (limit !== null) return { reserved: false, limit, until: day.end };
        const id = newId();
        insert.run(id, purse, now, amount.calls, amount.tokens, amount.microUsd);
        return { reserved: true, id };
      });
    },
    async settle(id, used) {
      settle.run(used.calls, used.tokens, used.microUsd, id);
    },
    async spent(purse, now, day) {
      return read(purse, now, day).spend;
    },
    async sweep(before) {
      return Number(sweep.run(before).changes);
    },
    async [Symbol.asyncDispose]() {},
  };
}
