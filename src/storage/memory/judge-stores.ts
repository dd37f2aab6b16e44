import {
  type Amount,
  type BudgetStore,
  exceededLimit,
  MINUTE_WINDOW_MS,
  type Spend,
} from '../../judge/budget/budget.ts';
import type { InterestsHistory } from '../../judge/interests.ts';
import type { Interests } from '../../judge/judge.ts';
import type { JudgeFailureStore, ReportedFailure } from '../../judge/judge-stores.ts';
import type { CachedVerdict, VerdictCache, VerdictKey } from '../../judge/verdict-cache.ts';
import type { CalendarDay } from '../../time/calendar-day.ts';
import { isFuture } from '../../time/clock.ts';

interface RecordedCall {
  readonly budgetId: string;
  readonly at: number;
  amount: Amount;
  isRecorded: boolean;
}

/** Budgets of one process; lost on restart. */
export function createMemoryBudgetStore(): BudgetStore {
  const calls = new Map<string, RecordedCall>();
  let next = 0;

  const of = (budgetId: string, from: number): RecordedCall[] =>
    [...calls.values()].filter((call) => call.budgetId === budgetId && call.at >= from);

  const ofMinute = (budgetId: string, now: number): RecordedCall[] =>
    of(budgetId, now - MINUTE_WINDOW_MS + 1).filter(({ at }) => !isFuture(at, now));

  const spent = (budgetId: string, now: number, day: CalendarDay): Spend => ({
    lastMinute: {
      calls: ofMinute(budgetId, now).reduce((sum, call) => sum + call.amount.calls, 0),
    },
    today: of(budgetId, day.start)
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
    async reserve(budgetId, amount, limits, now, day) {
      const limit = exceededLimit(spent(budgetId, now, day), amount, limits);
      if (limit === 'callsPerMinute') {
        const oldest = Math.min(now, ...ofMinute(budgetId, now).map((call) => call.at));
        return { reserved: false, limit, until: oldest + MINUTE_WINDOW_MS };
      }
      if (limit !== null) return { reserved: false, limit, until: day.end };
      const id = `call-${++next}`;
      calls.set(id, { budgetId, at: now, amount, isRecorded: false });
      return { reserved: true, id };
    },
    async recordUsage(id, used) {
      const call = calls.get(id);
      if (!call || call.isRecorded) return;
      call.amount = used;
      call.isRecorded = true;
    },
    async spent(budgetId, now, day) {
      return spent(budgetId, now, day);
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

/** Judge failures of one process; lost on restart. */
export function createMemoryJudgeFailureStore(): JudgeFailureStore {
  const last = new Map<string, ReportedFailure>();
  return {
    async report(judge, failure) {
      if (failure === null) last.delete(judge);
      else last.set(judge, failure);
    },
    lastFailure: async (judge) => last.get(judge) ?? null,
  };
}

/** Verdicts of one process; lost on restart. */
export function createMemoryVerdictCache(): VerdictCache & InterestsHistory {
  const verdicts = new Map<string, { key: VerdictKey; verdict: CachedVerdict }>();
  const interests = new Map<string, Interests>();
  return {
    async get(key) {
      return verdicts.get(keyText(key))?.verdict ?? null;
    },
    async latest(key) {
      const same = [...verdicts.values()].filter(
        (entry) =>
          keyText({ ...entry.key, interestsVersion: '' }) === keyText({ ...key, interestsVersion: '' }),
      );
      const newest = same.sort((a, b) => b.verdict.madeAt - a.verdict.madeAt)[0];
      return newest ? { ...newest.verdict, interestsVersion: newest.key.interestsVersion } : null;
    },
    async put(key, verdict) {
      verdicts.set(keyText(key), { key, verdict });
    },
    async sweep(before) {
      let swept = 0;
      for (const [name, entry] of verdicts) {
        if (entry.verdict.madeAt < before && verdicts.delete(name)) swept++;
      }
      return swept;
    },
    async save(value) {
      interests.set(value.version, value);
    },
    async at(version) {
      return interests.get(version) ?? null;
    },
    async [Symbol.asyncDispose]() {
      verdicts.clear();
    },
  };
}

function keyText(key: VerdictKey): string {
  return [key.question, key.textHash, key.interestsVersion, key.model, key.promptVersion].join('\n');
}
