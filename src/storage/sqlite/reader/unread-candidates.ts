import type { Connection } from '../connection.ts';
import {
  allEntries,
  type Candidate,
  collected,
  type ListOrder,
  mergedEntries,
  type SourceRange,
} from './candidates.ts';
import { uncovered } from './coverage.ts';
import type { ListThresholds } from './list-thresholds.ts';
import { isInRange, type OrdRange } from './order.ts';
import type { PersonView } from './people.ts';
import type { StoryStates } from './story-states.ts';
import type { UnreadTally } from './unread-tally.ts';

export interface UnreadQuery {
  readonly view: PersonView;
  readonly tally: UnreadTally;
  /** `null`: all. */
  readonly sources: readonly number[] | null;
  readonly range: OrdRange;
  readonly order: ListOrder;
  readonly expected: number;
}

/** Finds what may be unread without reading what a mark covers. The caller checks each candidate. */
export class UnreadCandidates {
  readonly #db: Connection;
  readonly #states: StoryStates;
  readonly #thresholds: ListThresholds;

  constructor(db: Connection, states: StoryStates, thresholds: ListThresholds) {
    this.#db = db;
    this.#states = states;
    this.#thresholds = thresholds;
  }

  find(query: UnreadQuery): Generator<Candidate, void, undefined> {
    const { tally, sources, order } = query;
    const unreadOnes = (sources ?? tally.sources).filter((source) => tally.of(source) > 0);
    const unread = unreadOnes.reduce((sum, source) => sum + tally.of(source), 0);
    if (unread <= this.#thresholds.collectedUnread) return collected(this.collect(query, unreadOnes), order);
    return this.#walk(query, unreadOnes);
  }

  /** Whether `collect` is cheap. */
  areFew({ tally, sources }: Pick<UnreadQuery, 'tally' | 'sources'>): boolean {
    const unread = (sources ?? tally.sources).reduce((sum, source) => sum + tally.of(source), 0);
    return unread <= this.#thresholds.collectedUnread;
  }

  /** Everything that may be unread in these sources. */
  collect({ view, range }: UnreadQuery, sources: readonly number[]): Candidate[] {
    const found: Candidate[] = [];
    for (const source of sources) {
      const { sql, values } = uncovered(view.coverage.regionsOf(source));
      const rows = this.#db.all(
        `SELECT ord, story, shared FROM carried c INDEXED BY carried_by_arrival
           WHERE source = ? AND shared IN (0, 1) AND ${sql} AND ord >= ? AND ord < ?
           AND NOT EXISTS (SELECT 1 FROM states WHERE person = ? AND story = c.story AND read = 1)`,
        source,
        ...values,
        range.from,
        range.to,
        view.no ?? -1,
      );
      found.push(...(rows as unknown as Candidate[]));
    }
    const wanted = new Set(sources);
    for (const { source, ...candidate } of this.#unreadByChoice(view))
      if (wanted.has(source) && isInRange(candidate.ord, range)) found.push(candidate);
    return found;
  }

  *#walk(query: UnreadQuery, sources: readonly number[]): Generator<Candidate, void, undefined> {
    const { range, order, expected } = query;
    const { walkedUnread: maxWalked } = this.#thresholds;
    let rest = range;
    // The oldest are those that marks cover.
    if (query.sources === null && (order === 'newest' || query.view.coverage.isEmpty)) {
      let walked = 0;
      for (const candidate of allEntries(this.#db, range, order, expected * 2)) {
        yield candidate;
        rest = order === 'newest' ? { ...rest, to: candidate.ord } : { ...rest, from: candidate.ord + 1 };
        if (++walked === maxWalked) break;
      }
      if (walked < maxWalked) return;
    }
    yield* mergedEntries(this.#db, this.#ranges({ ...query, range: rest }, sources), order, expected);
  }

  /** For each source the range that has all its unread entries: what a mark covers is not read. */
  #ranges({ view, range }: UnreadQuery, sources: readonly number[]): SourceRange[] {
    const chosen = new Map<number, number[]>();
    for (const { source, ord } of this.#unreadByChoice(view))
      chosen.set(source, [...(chosen.get(source) ?? []), ord]);
    return sources.flatMap((source) => {
      const regions = view.coverage.regionsOf(source);
      if (regions.length === 0) return { source, range };
      const { sql, values } = uncovered(regions);
      const row = this.#db.get(
        `SELECT min(ord) AS low, max(ord) AS high FROM carried INDEXED BY carried_by_arrival
           WHERE source = ? AND shared IN (0, 1) AND ${sql}`,
        source,
        ...values,
      );
      const ords = [row?.low, row?.high, ...(chosen.get(source) ?? [])].filter(
        (ord) => typeof ord === 'number',
      );
      if (ords.length === 0) return [];
      const from = Math.max(range.from, Math.min(...ords));
      const to = Math.min(range.to, Math.max(...ords) + 1);
      return { source, range: { from, to } };
    });
  }

  #unreadByChoice(view: PersonView): (Candidate & { readonly source: number })[] {
    const sql = 'SELECT story FROM states INDEXED BY states_unread WHERE person = ? AND read = 0';
    return this.#db.all(sql, view.no ?? -1).flatMap((row) => {
      const story = Number(row.story);
      const shared = this.#states.isShared(story) ? 1 : 0;
      return this.#states.carried(story).map(({ source, ord }) => ({ source, ord, story, shared }));
    });
  }
}
