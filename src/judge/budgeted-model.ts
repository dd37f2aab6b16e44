import { calendarDay } from '../time/calendar-day.ts';
import type { Clock } from '../time/clock.ts';
import type { Amount, BudgetLimit, BudgetLimits, BudgetStore, Spend } from './budget-store.ts';
import type { Model, Question } from './model.ts';
import type { Price } from './price.ts';
import { costOf } from './price.ts';
import { estimateTokens } from './tokens.ts';

export interface Budget {
  readonly store: BudgetStore;
  /** Whose money it is: one purse for each model. */
  readonly purse: string;
  readonly limits: BudgetLimits;
  readonly price: Price | null;
  /** Whose midnight begins a new day. */
  readonly timeZone: string;
  /** How long a call may wait for the minute's limit before it is put off; the day's limits are never waited for. */
  readonly patienceMs: number;
  readonly clock: Clock;
}

const WORDS: Readonly<Record<BudgetLimit, string>> = {
  callsPerMinute: 'calls a minute',
  callsPerDay: 'calls a day',
  tokensPerDay: 'tokens a day',
  microUsdPerDay: 'money a day',
};

/** About what a file costs: a page of a PDF is 258 tokens, and seldom has less than 20 kB. */
const FILE_TOKENS_PER_BYTE = 258 / 20_000;

/** A model that asks its budget before every call, and tells it afterwards what the call used (X9). */
export function withBudget(model: Model, budget: Budget): Model {
  return {
    ...model,
    async ask(question, signal) {
      const expected = expectedOf(question, budget.price);
      const patientUntil = budget.clock.monotonic() + budget.patienceMs;
      for (;;) {
        const now = budget.clock.now();
        const reservation = await budget.store.reserve(
          budget.purse,
          expected,
          budget.limits,
          now,
          calendarDay(now, budget.timeZone),
        );
        if (reservation.reserved) return settledCall(reservation.id, question, signal);
        const wait = Math.max(1, reservation.until - now);
        if (reservation.limit !== 'callsPerMinute' || budget.clock.monotonic() + wait > patientUntil) {
          return {
            outcome: 'later',
            why: 'over_budget',
            detail: `The limit of ${WORDS[reservation.limit]} is reached`,
            retryAt: reservation.until,
            usage: null,
          };
        }
        await budget.clock.sleep(wait, signal);
      }
    },
  };

  async function settledCall(id: string, question: Question, signal: AbortSignal | undefined) {
    // A call that is torn off or timed out may have been answered and billed all the same: it stays as it was reserved.
    const answer = await model.ask(question, signal);
    if (answer.outcome === 'later' && answer.why === 'timeout') return answer;
    const used = answer.usage ?? { calls: 1, inputTokens: 0, outputTokens: 0 };
    await budget.store.settle(id, {
      calls: used.calls,
      tokens: used.inputTokens + used.outputTokens,
      microUsd: costOf(used, budget.price),
    });
    return answer;
  }
}

/** What was spent today and in the last minute. */
export function spendOf(budget: Pick<Budget, 'store' | 'purse' | 'timeZone' | 'clock'>): Promise<Spend> {
  const now = budget.clock.now();
  return budget.store.spent(budget.purse, now, calendarDay(now, budget.timeZone));
}

/** The most a call is expected to use. */
function expectedOf(question: Question, price: Price | null): Amount {
  const bytes = question.files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  const inputTokens =
    estimateTokens(question.instructions) +
    estimateTokens(question.data) +
    Math.ceil(bytes * FILE_TOKENS_PER_BYTE);
  const outputTokens = question.maxOutputTokens;
  return {
    calls: 1,
    tokens: inputTokens + outputTokens,
    microUsd: costOf({ inputTokens, outputTokens }, price),
  };
}
