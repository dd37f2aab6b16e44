import { byRank, type Rank } from '../../stories/story.ts';
import { DAY } from '../../time/duration.ts';
import type { Connection } from './connection.ts';

const SELECT_NEXT_RANKS =
  'SELECT score, id FROM ranks WHERE bucket = ? AND (score, id) < (?, ?) ORDER BY score DESC, id DESC LIMIT ?';
const SELECT_EDGE =
  'SELECT score, id FROM stories INDEXED BY stories_by_time WHERE set_no = ? AND time > ? AND time < ?';
const SELECT_NEXT_BUCKET =
  'SELECT bucket FROM ranks WHERE bucket >= ? AND bucket <= ? ORDER BY bucket LIMIT 1';

/** Before everything else. SQLite's largest integer is far beyond any score, and stays exact as a double. */
const TOP_RANK: Rank = { score: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
const MIN_BATCH_SIZE = 16;

/** One ordered list among several that are merged: the next few of it, and how to get more. */
interface RankSource {
  ranks: Rank[];
  at: number;
  /** `null` when `cards` is all there is. */
  readonly bucket: number | null;
}

/** The ranks of everything that is younger than `since`, best first, merged from the buckets that cover it. */
export class MergedRanks {
  readonly #db: Connection;
  readonly #batchSize: number;
  readonly #heap: RankSource[] = [];

  constructor(db: Connection, set: number, since: number | null, after: Rank | null, expected: number) {
    this.#db = db;
    const from = after ?? TOP_RANK;
    const { edge, buckets, largest } = coverOf(set, since);
    const all = [...buckets, ...this.#existing(largest)];
    this.#batchSize = Math.max(MIN_BATCH_SIZE, Math.ceil((2 * expected) / Math.max(1, all.length)));
    if (edge !== null) {
      const rows = db.all(SELECT_EDGE, set, edge.from, edge.to).map(toRank);
      const cards = rows.filter((rank) => byRank(from, rank) < 0).sort(byRank);
      this.#push({ ranks: cards, at: 0, bucket: null });
    }
    for (const bucket of all) this.#push({ ranks: this.#fetch(bucket, from), at: 0, bucket });
  }

  /** The next best; `null` at the end. */
  next(): Rank | null {
    const deck = this.#heap[0];
    const card = deck?.ranks[deck.at];
    if (deck === undefined || card === undefined) return null;
    deck.at++;
    if (deck.at === deck.ranks.length && deck.bucket !== null && deck.ranks.length >= this.#batchSize) {
      deck.ranks = this.#fetch(deck.bucket, card);
      deck.at = 0;
    }
    if (deck.at === deck.ranks.length) {
      const last = this.#heap.pop();
      if (last !== undefined && last !== deck) this.#heap[0] = last;
    }
    this.#sink();
    return card;
  }

  #existing([first, last]: readonly [number, number]): number[] {
    const found: number[] = [];
    for (let from = first; ; ) {
      const row = this.#db.get(SELECT_NEXT_BUCKET, from, last);
      if (row === undefined) return found;
      found.push(Number(row.bucket));
      from = Number(row.bucket) + 1;
    }
  }

  #fetch(bucket: number, after: Rank): Rank[] {
    return this.#db.all(SELECT_NEXT_RANKS, bucket, after.score, after.id, this.#batchSize).map(toRank);
  }

  #push(deck: RankSource): void {
    if (deck.ranks.length === 0) return;
    this.#heap.push(deck);
    for (let at = this.#heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapped(parent, at)) return;
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#swapped(at, child)) return;
      at = child;
    }
  }

  #swapped(parent: number, child: number): boolean {
    if (!this.#isBefore(child, parent)) return false;
    const [above, below] = [this.#heap[parent], this.#heap[child]];
    if (above === undefined || below === undefined) return false;
    this.#heap[parent] = below;
    this.#heap[child] = above;
    return true;
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    const [first, second] = [a?.ranks[a.at], b?.ranks[b.at]];
    return first !== undefined && second !== undefined && byRank(first, second) < 0;
  }
}

function toRank(row: Record<string, unknown>): Rank {
  return { score: row.score as number, id: row.id as number };
}

/**
 * Finds the best of the last N days for any N without scanning N days. Every story is in four buckets by
 * its time, of 1, 8, 64 and 512 days, each kept in the order of score. "Younger than T" is always a range that ends with the
 * newest story, so it is made of the rest of T's day, at most seven buckets of each size up to the next larger one, and the
 * largest ones from there on: some twenty ordered lists, whose heads a page merges.
 */
export const BUCKET_WIDTHS_MS: readonly number[] = [DAY, 8 * DAY, 64 * DAY, 512 * DAY];
const BUCKETS_PER_LEVEL = 8;
const TOP_LEVEL = BUCKET_WIDTHS_MS.length - 1;
/** Above every bucket of a JavaScript date. */
const BUCKETS_PER_SET = 2 ** 28;

/** The buckets that contain a story of this time. */
export function bucketsOf(set: number, time: number): number[] {
  return BUCKET_WIDTHS_MS.map((width, level) => bucket(set, level, Math.floor(time / width)));
}

export interface Cover {
  /** A part of one day, which is filtered by time: after `from`, before `to`. */
  readonly edge: { readonly from: number; readonly to: number } | null;
  /** Whole buckets. */
  readonly buckets: readonly number[];
  /** Range of the largest buckets, both ends included. */
  readonly largest: readonly [first: number, last: number];
}

/** The parts that cover everything in a set younger than `since`; `null` = all of it. */
export function coverOf(set: number, since: number | null): Cover {
  const end = bucket(set, TOP_LEVEL, BUCKETS_PER_SET - 1);
  if (since === null) return { edge: null, buckets: [], largest: [bucket(set, TOP_LEVEL, 0), end] };
  const firstDay = Math.floor(since / DAY) + 1;
  const buckets: number[] = [];
  let next = firstDay;
  for (let level = 0; level < TOP_LEVEL; level++) {
    for (; next % BUCKETS_PER_LEVEL !== 0; next++) buckets.push(bucket(set, level, next));
    next /= BUCKETS_PER_LEVEL;
  }
  return {
    edge: { from: since, to: firstDay * DAY },
    buckets,
    largest: [bucket(set, TOP_LEVEL, next), end],
  };
}

function bucket(set: number, level: number, n: number): number {
  return (set * BUCKET_WIDTHS_MS.length + level) * BUCKETS_PER_SET + n;
}
