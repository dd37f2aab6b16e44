import type { CalendarDay } from '../time/calendar-day.ts';

/**
 * What was spent on judges, shared by all workers. A call is reserved with what it may use, before it is made, and settled with what
 * it used, afterwards; what was never settled (a worker died) stays as it was reserved. Reserving is one atomic step, so
 * that workers at the same time never pass a limit together.
 */
export interface BudgetStore extends AsyncDisposable {
  /** Takes the amount out of what is left, or says which limit stands in the way and until when. */
  reserve(
    purse: string,
    amount: Amount,
    limits: BudgetLimits,
    now: number,
    day: CalendarDay,
  ): Promise<Reservation>;
  /** Puts what was used in the place of what was reserved. Settling twice, or what is unknown, changes nothing. */
  settle(id: string, used: Amount): Promise<void>;
  spent(purse: string, now: number, day: CalendarDay): Promise<Spend>;
  /** Forgets calls made before this time. */
  sweep(before: number): Promise<number>;
}

export interface Amount {
  readonly calls: number;
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly microUsd: number;
}

/** What is not set is not limited. */
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

export const MINUTE_WINDOW = 60_000;

/** Which limit an amount would pass; shared by all stores, so that they agree. `null` = none. */
export function limitPassed(spend: Spend, amount: Amount, limits: BudgetLimits): BudgetLimit | null {
  const over = (spent: number, more: number, limit: number | undefined): boolean =>
    limit !== undefined && spent + more > limit;
  if (over(spend.today.calls, amount.calls, limits.callsPerDay)) return 'callsPerDay';
  if (over(spend.today.tokens, amount.tokens, limits.tokensPerDay)) return 'tokensPerDay';
  if (over(spend.today.microUsd, amount.microUsd, limits.microUsdPerDay)) return 'microUsdPerDay';
  if (over(spend.lastMinute.calls, amount.calls, limits.callsPerMinute)) return 'callsPerMinute';
  return null;
}
