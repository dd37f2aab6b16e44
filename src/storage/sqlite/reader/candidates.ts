import type { EntryListOptions } from '../../../reader/entry-store.ts';
import type { Connection } from '../connection.ts';
import type { OrdRange } from './order.ts';
import { INTEGER } from './search-index.ts';

/** An entry that a list may show. */
export interface Candidate {
  readonly ord: number;
  readonly story: number;
  readonly shared: number;
}

export type ListOrder = EntryListOptions['order'];

const MIN_CHUNK = 4;
const MAX_CHUNK = 256;

/** The rest of a range after a place. */
export function rangeAfter(range: OrdRange, ord: number, order: ListOrder): OrdRange {
  return order === 'newest'
    ? { ...range, to: Math.min(range.to, ord) }
    : { ...range, from: Math.max(range.from, ord + 1) };
}

function inOrder(order: ListOrder, column: string): string {
  return `${column} >= ${INTEGER} AND ${column} < ${INTEGER} ORDER BY ${column} ${order === 'newest' ? 'DESC' : 'ASC'} LIMIT ?`;
}

/** Candidates by chunks of growing size; a list reads as much as its page needs. */
function* chunks(
  range: OrdRange,
  order: ListOrder,
  first: number,
  read: (range: OrdRange, limit: number) => readonly Candidate[],
): Generator<Candidate, void, undefined> {
  let rest = range;
  for (let size = Math.min(Math.max(first, MIN_CHUNK), MAX_CHUNK); ; size = Math.min(size * 2, MAX_CHUNK)) {
    const rows = read(rest, size);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    rest = rangeAfter(rest, last.ord, order);
  }
}

/** All entries. */
export function allEntries(
  db: Connection,
  range: OrdRange,
  order: ListOrder,
  expected: number,
): Generator<Candidate, void, undefined> {
  const sql = `SELECT ord, story, shared FROM entries WHERE ${inOrder(order, 'ord')}`;
  return chunks(
    range,
    order,
    expected,
    ({ from, to }, limit) => db.all(sql, from, to, limit) as unknown as Candidate[],
  );
}

/** The results of a search. */
export function searchResults(
  db: Connection,
  expression: string,
  range: OrdRange,
  order: ListOrder,
  expected: number,
): Generator<Candidate, void, undefined> {
  const sql = `SELECT e.ord, e.story, e.shared FROM search CROSS JOIN entries e ON e.ord = search.rowid
    WHERE search MATCH ? AND ${inOrder(order, 'search.rowid')}`;
  return chunks(
    range,
    order,
    expected,
    ({ from, to }, limit) => db.all(sql, expression, from, to, limit) as unknown as Candidate[],
  );
}

/** Those of some entries that a search finds. FTS5 walks its results, since looking up each entry costs more. */
export function searchResultsAmong(
  db: Connection,
  expression: string,
  candidates: readonly Candidate[],
  range: OrdRange,
  order: ListOrder,
  expected: number,
): Generator<Candidate, void, undefined> {
  const ords = candidates.map(({ ord }) => ord);
  const list = JSON.stringify(ords);
  const byOrd = new Map(candidates.map((candidate) => [candidate.ord, candidate]));
  const [lowest, highest] = bounds(ords);
  const among = { from: Math.max(range.from, lowest), to: Math.min(range.to, highest + 1) };
  // The plus sign keeps SQLite from a search for each of the entries.
  const sql = `SELECT rowid AS ord FROM search
    WHERE search MATCH ? AND +rowid IN (SELECT value FROM json_each(?)) AND ${inOrder(order, 'rowid')}`;
  return chunks(among, order, expected, ({ from, to }, limit) =>
    db.all(sql, expression, list, from, to, limit).flatMap(({ ord }) => byOrd.get(Number(ord)) ?? []),
  );
}

function bounds(ords: readonly number[]): [lowest: number, highest: number] {
  let [lowest, highest] = [Number.MAX_SAFE_INTEGER, -1];
  for (const ord of ords) {
    lowest = Math.min(lowest, ord);
    highest = Math.max(highest, ord);
  }
  return [lowest, highest];
}

/** The entries of one source. */
function sourceEntries(
  db: Connection,
  source: number,
  range: OrdRange,
  order: ListOrder,
  expected: number,
): Generator<Candidate, void, undefined> {
  const sql = `SELECT ord, story, shared FROM carried WHERE source = ? AND ${inOrder(order, 'ord')}`;
  return chunks(
    range,
    order,
    expected,
    ({ from, to }, limit) => db.all(sql, source, from, to, limit) as unknown as Candidate[],
  );
}

export interface SourceRange {
  readonly source: number;
  readonly range: OrdRange;
}

/** The entries of several sources, merged in order; an entry of several of them comes once. */
export function* mergedEntries(
  db: Connection,
  sources: readonly SourceRange[],
  order: ListOrder,
  expected: number,
): Generator<Candidate, void, undefined> {
  const share = Math.ceil((expected * 2) / Math.max(sources.length, 1));
  const heap = new StreamHeap(order);
  for (const { source, range } of sources) heap.push(sourceEntries(db, source, range, order, share));
  let last = -1;
  for (let next = heap.pop(); next !== null; next = heap.pop()) {
    if (next.ord !== last) yield next;
    last = next.ord;
  }
}

/** Candidates that were collected before, in order. */
export function* collected(
  candidates: readonly Candidate[],
  order: ListOrder,
): Generator<Candidate, void, undefined> {
  let last = -1;
  for (const candidate of candidates.toSorted((a, b) =>
    order === 'newest' ? b.ord - a.ord : a.ord - b.ord,
  )) {
    if (candidate.ord !== last) yield candidate;
    last = candidate.ord;
  }
}

interface Head {
  readonly candidate: Candidate;
  readonly stream: Iterator<Candidate>;
}

/** A binary heap of streams by their next candidate. */
class StreamHeap {
  readonly #sign: 1 | -1;
  readonly #heads: Head[] = [];

  constructor(order: ListOrder) {
    this.#sign = order === 'newest' ? -1 : 1;
  }

  push(stream: Iterator<Candidate>): void {
    const next = stream.next();
    if (next.done === true) return;
    this.#heads.push({ candidate: next.value, stream });
    for (let at = this.#heads.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): Candidate | null {
    const [first] = this.#heads;
    if (first === undefined) return null;
    const next = first.stream.next();
    if (next.done === true) {
      const last = this.#heads.pop();
      if (last !== undefined && this.#heads.length > 0) this.#heads[0] = last;
    } else this.#heads[0] = { candidate: next.value, stream: first.stream };
    this.#sink();
    return first.candidate;
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let best = at;
      for (const child of [at * 2 + 1, at * 2 + 2])
        if (child < this.#heads.length && this.#isBefore(child, best)) best = child;
      if (best === at) return;
      this.#swap(at, best);
      at = best;
    }
  }

  #isBefore(a: number, b: number): boolean {
    return this.#sign * ((this.#heads[a]?.candidate.ord ?? 0) - (this.#heads[b]?.candidate.ord ?? 0)) < 0;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heads[a], this.#heads[b]];
    if (one === undefined || other === undefined) return;
    this.#heads[a] = other;
    this.#heads[b] = one;
  }
}
