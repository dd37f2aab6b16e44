import type { CalendarDay } from '../../time/calendar-day.ts';
import { isFuture } from '../../time/future.ts';
import {
  type Amount,
  type BudgetLimits,
  limitPassed,
  MINUTE_WINDOW,
  type Reservation,
  type Spend,
} from '../budget-store.ts';

/**
 * What was spent from one purse, small enough for one document. Sums by the quarter of an hour stand for all calls: days
 * begin at a quarter in every time zone, so a day's sum is exact, whichever zone it is asked for in. Single calls are kept only
 * for the minute's limit, and while they can still be settled. Where something has to be given up to stay small, it
 * is given up so that too much counts as spent, never too little.
 */
export interface Purse {
  /** By time. */
  readonly quarters: readonly Quarter[];
  /** Calls for the minute's limit, by time. */
  readonly recent: readonly Recent[];
  /** Reserved and not settled, in the order they were reserved. */
  readonly open: readonly Open[];
}

interface Quarter extends Amount {
  readonly start: number;
  /** How many reservations, whatever each of them used. */
  readonly made: number;
}

interface Recent {
  readonly at: number;
  readonly calls: number;
}

interface Open extends Amount {
  readonly id: string;
  readonly at: number;
}

export interface Reserving {
  readonly id: string;
  readonly amount: Amount;
  readonly limits: BudgetLimits;
  readonly now: number;
  readonly day: CalendarDay;
}

export interface Changed<T> {
  readonly purse: Purse;
  readonly answer: T;
}

export const EMPTY_PURSE: Purse = { quarters: [], recent: [], open: [] };
export const QUARTER = 15 * 60_000;

/** Longer than any day, also for a worker whose clock is late. */
const KEPT = 48 * 60 * 60_000;
/** Twice the window, so that a worker whose clock is ahead takes nothing away from the others. */
const RECENT_KEPT = 2 * MINUTE_WINDOW;
const MOST_RECENT = 400;
const COARSE = 1_000;
/** Those of calls that were torn off are never settled. */
const MOST_OPEN = 500;

/** `id` is known beforehand, so that a try whose reply was lost is recognised and not counted again. */
export function reserveFrom(
  purse: Purse,
  { id, amount, limits, now, day }: Reserving,
): Changed<ReservationIn> {
  if (purse.open.some((call) => call.id === id)) return { purse, answer: { reserved: true } };
  const limit = limitPassed(spentFrom(purse, now, day), amount, limits);
  if (limit === 'callsPerMinute') {
    const oldest = purse.recent.find(({ at }) => at > now - MINUTE_WINDOW)?.at ?? now;
    return { purse, answer: { reserved: false, limit, until: oldest + MINUTE_WINDOW } };
  }
  if (limit !== null) return { purse, answer: { reserved: false, limit, until: day.end } };
  const { calls, tokens, microUsd } = amount;
  const grown = {
    quarters: addedTo(purse.quarters, now, { ...amount, made: 1 }),
    recent: coarse(withCalls(purse.recent, now, calls)),
    open: [...purse.open, { id, at: now, calls, tokens, microUsd }].slice(-MOST_OPEN),
  };
  return { purse: trimmed(grown, now), answer: { reserved: true } };
}

export type ReservationIn = { readonly reserved: true } | Extract<Reservation, { reserved: false }>;

/** The same purse when the call is unknown, or settled already. */
export function settledIn(purse: Purse, id: string, used: Amount): Purse {
  const call = purse.open.find((open) => open.id === id);
  if (call === undefined) return purse;
  const more = {
    made: 0,
    calls: used.calls - call.calls,
    tokens: used.tokens - call.tokens,
    microUsd: used.microUsd - call.microUsd,
  };
  const holder = purse.recent.find(({ at }) => at >= call.at && at < call.at + COARSE);
  return {
    quarters: purse.quarters.some(({ start }) => start === quarterOf(call.at))
      ? addedTo(purse.quarters, call.at, more)
      : purse.quarters,
    recent: holder === undefined ? purse.recent : withCalls(purse.recent, holder.at, more.calls),
    open: purse.open.filter((open) => open !== call),
  };
}

export function spentFrom(purse: Purse, now: number, day: CalendarDay): Spend {
  const today = purse.quarters.filter(({ start }) => start + QUARTER > day.start);
  const minute = purse.recent.filter(({ at }) => at > now - MINUTE_WINDOW && !isFuture(at, now));
  return {
    lastMinute: { calls: sum(minute, 'calls') },
    today: { calls: sum(today, 'calls'), tokens: sum(today, 'tokens'), microUsd: sum(today, 'microUsd') },
  };
}

/** Without the quarters that ended before this time. The answer is how many calls were forgotten. */
export function sweptFrom(purse: Purse, before: number): Changed<number> {
  const gone = purse.quarters.filter(({ start }) => start + QUARTER <= before);
  if (gone.length === 0) return { purse, answer: 0 };
  const since = (last(gone)?.start ?? 0) + QUARTER;
  return {
    purse: {
      quarters: purse.quarters.slice(gone.length),
      recent: purse.recent.filter(({ at }) => at >= since),
      open: purse.open.filter(({ at }) => at >= since),
    },
    answer: sum(gone, 'made'),
  };
}

function trimmed(purse: Purse, now: number): Purse {
  const recent = purse.recent.filter(({ at }) => at > now - RECENT_KEPT);
  return sweptFrom({ ...purse, recent }, now - KEPT).purse;
}

function addedTo(quarters: readonly Quarter[], at: number, more: Omit<Quarter, 'start'>): readonly Quarter[] {
  const start = quarterOf(at);
  const old = quarters.find((quarter) => quarter.start === start);
  const next = {
    start,
    made: (old?.made ?? 0) + more.made,
    calls: (old?.calls ?? 0) + more.calls,
    tokens: (old?.tokens ?? 0) + more.tokens,
    microUsd: (old?.microUsd ?? 0) + more.microUsd,
  };
  return [...quarters.filter((quarter) => quarter !== old), next].sort((a, b) => a.start - b.start);
}

function withCalls(recent: readonly Recent[], at: number, more: number): readonly Recent[] {
  const old = recent.find((entry) => entry.at === at);
  const next = { at, calls: (old?.calls ?? 0) + more };
  return [...recent.filter((entry) => entry !== old), next].sort((a, b) => a.at - b.at);
}

/** Many calls are told by the second, at the time of the second's last one. */
function coarse(recent: readonly Recent[]): readonly Recent[] {
  if (recent.length <= MOST_RECENT) return recent;
  const merged: Recent[] = [];
  for (const entry of recent) {
    const before = last(merged);
    const isSame = before !== undefined && Math.floor(before.at / COARSE) === Math.floor(entry.at / COARSE);
    if (isSame) merged.pop();
    merged.push({ at: entry.at, calls: entry.calls + (isSame ? before.calls : 0) });
  }
  return merged;
}

function quarterOf(at: number): number {
  return Math.floor(at / QUARTER) * QUARTER;
}

function sum<K extends string>(all: readonly Readonly<Record<K, number>>[], field: K): number {
  return all.reduce((total, one) => total + one[field], 0);
}

function last<T>(all: readonly T[]): T | undefined {
  return all.at(-1);
}
