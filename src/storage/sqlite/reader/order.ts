import type { Connection } from '../connection.ts';

/** Entries of one millisecond that keep their order; further ones count as published a millisecond later. */
const PLACES_PER_MS = 2_048;
const MAX_ORD = Number.MAX_SAFE_INTEGER;

/** The first place of a time: bounds of a list by time are bounds of places. Times before 1970 share one. */
export function ordOf(time: number): number {
  return Math.min(Math.max(0, time) * PLACES_PER_MS, MAX_ORD);
}

/** The place of an entry that arrives now: after all others of the same time. */
export function nextOrd(db: Connection, publishedAt: number): number {
  for (let from = ordOf(publishedAt); ; from += PLACES_PER_MS) {
    const to = from + PLACES_PER_MS;
    const last = db.get('SELECT max(ord) AS ord FROM entries WHERE ord >= ? AND ord < ?', from, to)?.ord;
    const next = typeof last === 'number' ? last + 1 : from;
    if (next < to) return next;
  }
}

/** Places from the first, and before the second. */
export interface OrdRange {
  readonly from: number;
  readonly to: number;
}

export function ordRange({ since, before }: { since?: number; before?: number }): OrdRange {
  return {
    from: since === undefined ? 0 : ordOf(since),
    to: before === undefined ? MAX_ORD : ordOf(before),
  };
}

export function isInRange(ord: number, { from, to }: OrdRange): boolean {
  return ord >= from && ord < to;
}

const NUMBER_EPOCH = Date.UTC(2020, 0, 1);
const NUMBERS_PER_MS = 4_096;

/** Takes the next number: growing, and near the time of arrival. It fits into 53 bits until 2089. */
export function nextNumber(db: Connection, now: number): number {
  const last = newestNumber(db);
  const next = Math.max(last + 1, (now - NUMBER_EPOCH) * NUMBERS_PER_MS);
  db.run('UPDATE numbers SET last = ?', next);
  return next;
}

export function newestNumber(db: Connection): number {
  return Number(db.get('SELECT last FROM numbers')?.last ?? 0);
}
