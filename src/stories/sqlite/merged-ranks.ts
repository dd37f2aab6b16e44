import type { Connection } from '../../sqlite/connection.ts';
import { byRank, type Rank } from '../story.ts';
import { coverOf } from './buckets.ts';

const NEXT_OF_BUCKET =
  'SELECT score, id FROM ranks WHERE bucket = ? AND (score, id) < (?, ?) ORDER BY score DESC, id DESC LIMIT ?';
const EDGE =
  'SELECT score, id FROM stories INDEXED BY stories_by_time WHERE set_no = ? AND time > ? AND time < ?';
const NEXT_BUCKET = 'SELECT bucket FROM ranks WHERE bucket >= ? AND bucket <= ? ORDER BY bucket LIMIT 1';

/** Before everything else. SQLite's largest integer is far beyond any score, and stays exact as a double. */
const TOP: Rank = { score: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
const FEWEST_AT_ONCE = 16;

/** One ordered list among several that are merged: the next few of it, and how to get more. */
interface Deck {
  cards: Rank[];
  at: number;
  /** `null` when `cards` is all there is. */
  readonly bucket: number | null;
}

/** The ranks of everything that is younger than `since`, best first, merged from the buckets that cover it. */
export class MergedRanks {
  readonly #db: Connection;
  readonly #atOnce: number;
  readonly #heap: Deck[] = [];

  constructor(db: Connection, set: number, since: number | null, after: Rank | null, expected: number) {
    this.#db = db;
    const from = after ?? TOP;
    const { edge, buckets, largest } = coverOf(set, since);
    const all = [...buckets, ...this.#existing(largest)];
    this.#atOnce = Math.max(FEWEST_AT_ONCE, Math.ceil((2 * expected) / Math.max(1, all.length)));
    if (edge !== null) {
      const rows = db.all(EDGE, set, edge.from, edge.to).map(toRank);
      const cards = rows.filter((rank) => byRank(from, rank) < 0).sort(byRank);
      this.#push({ cards, at: 0, bucket: null });
    }
    for (const bucket of all) this.#push({ cards: this.#deal(bucket, from), at: 0, bucket });
  }

  /** The next best; `null` at the end. */
  next(): Rank | null {
    const deck = this.#heap[0];
    const card = deck?.cards[deck.at];
    if (deck === undefined || card === undefined) return null;
    deck.at++;
    if (deck.at === deck.cards.length && deck.bucket !== null && deck.cards.length >= this.#atOnce) {
      deck.cards = this.#deal(deck.bucket, card);
      deck.at = 0;
    }
    if (deck.at === deck.cards.length) {
      const last = this.#heap.pop();
      if (last !== undefined && last !== deck) this.#heap[0] = last;
    }
    this.#sink();
    return card;
  }

  #existing([first, last]: readonly [number, number]): number[] {
    const found: number[] = [];
    for (let from = first; ; ) {
      const row = this.#db.get(NEXT_BUCKET, from, last);
      if (row === undefined) return found;
      found.push(Number(row.bucket));
      from = Number(row.bucket) + 1;
    }
  }

  #deal(bucket: number, after: Rank): Rank[] {
    return this.#db.all(NEXT_OF_BUCKET, bucket, after.score, after.id, this.#atOnce).map(toRank);
  }

  #push(deck: Deck): void {
    if (deck.cards.length === 0) return;
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
    const [first, second] = [a?.cards[a.at], b?.cards[b.at]];
    return first !== undefined && second !== undefined && byRank(first, second) < 0;
  }
}

function toRank(row: Record<string, unknown>): Rank {
  return { score: row.score as number, id: row.id as number };
}
