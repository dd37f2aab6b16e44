import { type CalendarDay, calendarDay } from '../../time/calendar-day.ts';
import type { Clock } from '../../time/clock.ts';
import type { Answer, CallUsage, Model, Question } from '../model.ts';
import { estimateTokens } from '../text-length.ts';

/**
 * Spending of judges, shared by all workers. A call reserves the most it may use before it is made, and records its usage
 * afterwards; a reservation without recorded usage (a worker died) stays spent. Reserving is atomic, so concurrent workers never
 * exceed a limit together.
 */
export interface BudgetStore extends AsyncDisposable {
  /** Reserves the amount, or returns the limit that it would exceed and when that limit resets. */
  reserve(
    budget: string,
    amount: Amount,
    limits: BudgetLimits,
    now: number,
    day: CalendarDay,
  ): Promise<Reservation>;
  /** Replaces a reservation by the actual usage. Repeating it, or an unknown reservation, changes nothing. */
  recordUsage(id: string, used: Amount): Promise<void>;
  spent(budget: string, now: number, day: CalendarDay): Promise<Spend>;
  /** Deletes calls made before this time. */
  sweep(before: number): Promise<number>;
}

export interface Amount {
  readonly calls: number;
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly microUsd: number;
}

/** A missing limit means unlimited. */
export interface BudgetLimits {
  readonly callsPerMinute?: number;
  readonly callsPerDay?: number;
  readonly tokensPerDay?: number;
  readonly microUsdPerDay?: number;
}

export type BudgetLimit = keyof BudgetLimits;

export type Reservation =
  | { readonly reserved: true; readonly id: string }
  | { readonly reserved: false; readonly limit: BudgetLimit; readonly until: number };

export interface Spend {
  readonly lastMinute: Pick<Amount, 'calls'>;
  readonly today: Amount;
}

export const MINUTE_WINDOW_MS = 60_000;

/** The limit that an amount would exceed; shared by all stores, so that they agree. `null` = none. */
export function exceededLimit(spend: Spend, amount: Amount, limits: BudgetLimits): BudgetLimit | null {
  const over = (spent: number, more: number, limit: number | undefined): boolean =>
    limit !== undefined && spent + more > limit;
  if (over(spend.today.calls, amount.calls, limits.callsPerDay)) return 'callsPerDay';
  if (over(spend.today.tokens, amount.tokens, limits.tokensPerDay)) return 'tokensPerDay';
  if (over(spend.today.microUsd, amount.microUsd, limits.microUsdPerDay)) return 'microUsdPerDay';
  if (over(spend.lastMinute.calls, amount.calls, limits.callsPerMinute)) return 'callsPerMinute';
  return null;
}

/** What a model costs, in US dollars per million tokens: micro-dollars per token, in other words. */
export interface Price {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** In millionths of a US dollar, rounded up: rounding never exceeds a budget. */
export function costOf(usage: Pick<CallUsage, 'inputTokens' | 'outputTokens'>, price: Price | null): number {
  if (price === null) return 0;
  return Math.ceil(usage.inputTokens * price.inputPerMillion + usage.outputTokens * price.outputPerMillion);
}

export interface Budget {
  readonly store: BudgetStore;
  /** Name of the budget: one for each model. */
  readonly budgetId: string;
  readonly limits: BudgetLimits;
  readonly price: Price | null;
  /** Time zone of the calendar day. */
  readonly timeZone: string;
  /** How long a call may wait for the limit per minute before it is postponed; limits per day are never waited for. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

const LIMIT_TEXTS: Readonly<Record<BudgetLimit, string>> = {
  callsPerMinute: 'calls a minute',
  callsPerDay: 'calls a day',
  tokensPerDay: 'tokens a day',
  microUsdPerDay: 'money a day',
};

/** Estimate for a file: a page of a PDF is 258 tokens, and seldom has less than 20 kB. */
const FILE_TOKENS_PER_BYTE = 258 / 20_000;

/** A model that reserves budget before every call and records the usage afterwards (X9). */
export function withBudget(model: Model, budget: Budget): Model {
  return {
    ...model,
    ask: (question, signal) =>
      withinBudget(budget, expectedUsage(question, budget.price), signal, () => model.ask(question, signal)),
  };
}

type Later = Extract<Answer, { readonly outcome: 'later' }>;

/** Reserves the expected amount, makes the call and records its usage; does not call if a limit is reached. */
export async function withinBudget<A extends { readonly outcome: string; readonly usage: CallUsage | null }>(
  budget: Budget,
  expected: Amount,
  signal: AbortSignal | undefined,
  call: () => Promise<A>,
): Promise<A | Later> {
  const patientUntil = budget.clock.monotonic() + budget.maxWaitMs;
  for (;;) {
    const now = budget.clock.now();
    const reservation = await budget.store.reserve(
      budget.budgetId,
      expected,
      budget.limits,
      now,
      calendarDay(now, budget.timeZone),
    );
    if (reservation.reserved) return callAndRecord(budget, reservation.id, call);
    const wait = Math.max(1, reservation.until - now);
    if (reservation.limit !== 'callsPerMinute' || budget.clock.monotonic() + wait > patientUntil) {
      return {
        outcome: 'later',
        why: 'over_budget',
        detail: `The limit of ${LIMIT_TEXTS[reservation.limit]} is reached`,
        retryAt: reservation.until,
        usage: null,
      };
    }
    await budget.clock.sleep(wait, signal);
  }
}

async function callAndRecord<A extends { readonly outcome: string; readonly usage: CallUsage | null }>(
  budget: Budget,
  id: string,
  call: () => Promise<A>,
): Promise<A> {
  // An aborted or timed out call may have been answered and billed nevertheless: its reservation stays.
  const answer = await call();
  if ('why' in answer && answer.why === 'timeout') return answer;
  const used = answer.usage ?? { calls: 1, inputTokens: 0, outputTokens: 0 };
  await budget.store.recordUsage(id, {
    calls: used.calls,
    tokens: used.inputTokens + used.outputTokens,
    microUsd: costOf(used, budget.price),
  });
  return answer;
}

/** Spending of today and of the last minute. */
export function spendOf(budget: Pick<Budget, 'store' | 'budgetId' | 'timeZone' | 'clock'>): Promise<Spend> {
  const now = budget.clock.now();
  return budget.store.spent(budget.budgetId, now, calendarDay(now, budget.timeZone));
}

/** Upper estimate of what a call uses. */
function expectedUsage(question: Question, price: Price | null): Amount {
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
