import type { CalendarDay } from '../../time/calendar-day.ts';
import { isFuture } from '../../time/future.ts';
import type { Amount, BudgetStore, Spend } from '../budget-store.ts';
import { limitPassed, MINUTE_WINDOW } from '../budget-store.ts';

interface Call {
  readonly purse: string;
  readonly at: number;
  amount: Amount;
  settled: boolean;
}

/** For one process. A restart forgets what was spent. */
export function createMemoryBudgetStore(): BudgetStore {
  const calls = new Map<string, Call>();
  let next = 0;

  const of = (purse: string, from: number): Call[] =>
    [...calls.values()].filter((call) => call.purse === purse && call.at >= from);

  const ofMinute = (purse: string, now: number): Call[] =>
    of(purse, now - MINUTE_WINDOW + 1).filter(({ at }) => !isFuture(at, now));

  const spent = (purse: string, now: number, day: CalendarDay): Spend => ({
    lastMinute: {
      calls: ofMinute(purse, now).reduce((sum, call) => sum + call.amount.calls, 0),
    },
    today: of(purse, day.start)
      .map(({ amount }) => amount)
      .reduce(
        (sum, amount) => ({
          calls: sum.calls + amount.calls,
          tokens: sum.tokens + amount.tokens,
          microUsd: sum.microUsd + amount.microUsd,
        }),
        { calls: 0, tokens: 0, microUsd: 0 },
      ),
  });

  return {
    async reserve(purse, amount, limits, now, day) {
      const limit = limitPassed(spent(purse, now, day), amount, limits);
      if (limit === 'callsPerMinute') {
        const oldest = Math.min(now, ...ofMinute(purse, now).map((call) => call.at));
        return { reserved: false, limit, until: oldest + MINUTE_WINDOW };
      }
      if (limit !== null) return { reserved: false, limit, until: day.end };
      const id = `call-${++next}`;
      calls.set(id, { purse, at: now, amount, settled: false });
      return { reserved: true, id };
    },
    async settle(id, used) {
      const call = calls.get(id);
      if (!call || call.settled) return;
      call.amount = used;
      call.settled = true;
    },
    async spent(purse, now, day) {
      return spent(purse, now, day);
    },
    async sweep(before) {
      let swept = 0;
      for (const [id, call] of calls) if (call.at < before && calls.delete(id)) swept++;
      return swept;
    },
    async [Symbol.asyncDispose]() {
      calls.clear();
    },
  };
}
