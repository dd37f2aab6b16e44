import { DAY } from '../../time/duration.ts';

/**
 * How the best of the last N days is found for any N without looking at N days. Every story stands in four buckets by
 * its time, of 1, 8, 64 and 512 days, each kept in the order of score. "Younger than T" is always a range that ends with the
 * newest story, so it is made of the rest of T's day, at most seven buckets of each size up to the next larger one, and the
 * largest ones from there on: some twenty ordered lists, of which a page takes the heads, as one merges sorted decks.
 */
export const WIDTHS: readonly number[] = [DAY, 8 * DAY, 64 * DAY, 512 * DAY];
const FAN_OUT = 8;
const LARGEST = WIDTHS.length - 1;
/** More buckets than the time of JavaScript has days. */
const ROOM = 2 ** 28;

/** The buckets that a story of this time stands in. */
export function bucketsOf(set: number, time: number): number[] {
  return WIDTHS.map((width, level) => bucket(set, level, Math.floor(time / width)));
}

export interface Cover {
  /** A part of one day, which is filtered by time: after `from`, before `to`. */
  readonly edge: { readonly from: number; readonly to: number } | null;
  /** Whole buckets. */
  readonly buckets: readonly number[];
  /** And whatever largest buckets there are in this range, both ends included. */
  readonly largest: readonly [first: number, last: number];
}

/** What together is everything of a set that is younger than `since`; `null` = all of it. */
export function coverOf(set: number, since: number | null): Cover {
  const end = bucket(set, LARGEST, ROOM - 1);
  if (since === null) return { edge: null, buckets: [], largest: [bucket(set, LARGEST, 0), end] };
  const firstDay = Math.floor(since / DAY) + 1;
  const buckets: number[] = [];
  let next = firstDay;
  for (let level = 0; level < LARGEST; level++) {
    for (; next % FAN_OUT !== 0; next++) buckets.push(bucket(set, level, next));
    next /= FAN_OUT;
  }
  return {
    edge: { from: since, to: firstDay * DAY },
    buckets,
    largest: [bucket(set, LARGEST, next), end],
  };
}

function bucket(set: number, level: number, n: number): number {
  return (set * WIDTHS.length + level) * ROOM + n;
}
