import { BadCursorError } from '../../../ledger/filter.ts';
import {
  type EntryFilter,
  type EntryListOptions,
  type EntryPage,
  type HotStory,
  type ListedEntry,
  MAX_ENTRY_PAGE,
} from '../../../reader/entry-store.ts';
import { SearchedNames } from '../../../reader/search-text.ts';
import type { Connection } from '../connection.ts';
import {
  allEntries,
  type Candidate,
  collected,
  type ListOrder,
  mergedEntries,
  rangeAfter,
  searchResults,
  searchResultsAmong,
} from './candidates.ts';
import { type EntryRow, type EntryRows, sourceNumbers } from './entry-rows.ts';
import type { ListThresholds } from './list-thresholds.ts';
import { isInRange, type OrdRange, ordOf, ordRange } from './order.ts';
import type { People, PersonView } from './people.ts';
import { matchExpression, type SearchIndex, scopedExpression } from './search-index.ts';
import type { StoryStates } from './story-states.ts';
import { UnreadCandidates } from './unread-candidates.ts';
import type { UnreadCounter } from './unread-counter.ts';

export interface EntryListerParts {
  readonly db: Connection;
  readonly rows: EntryRows;
  readonly people: People;
  readonly states: StoryStates;
  readonly counter: UnreadCounter;
  readonly index: SearchIndex;
  readonly thresholds: ListThresholds;
}

/** A filter as the tables have it. */
interface Query {
  readonly view: PersonView;
  /** `null`: all sources. */
  readonly sources: readonly number[] | null;
  readonly range: OrdRange;
  readonly order: ListOrder;
  /** `null`: no search. */
  readonly expression: string | null;
  readonly filter: EntryFilter;
  readonly limit: number;
}

type Candidates = Generator<Candidate, void, undefined>;

/** Lists of entries. All methods run in a transaction of the caller. */
export class EntryLister {
  readonly #parts: EntryListerParts;
  readonly #unread: UnreadCandidates;

  constructor(parts: EntryListerParts) {
    this.#parts = parts;
    this.#unread = new UnreadCandidates(parts.db, parts.states, parts.thresholds);
  }

  list(person: string, filter: EntryFilter, { order, limit, cursor }: EntryListOptions): EntryPage {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_ENTRY_PAGE)
      throw new RangeError(`A page has 1 to ${MAX_ENTRY_PAGE} entries, not ${limit}.`);
    const { rows, people } = this.#parts;
    const all = ordRange(filter);
    const names = new SearchedNames(filter.text === undefined ? undefined : filter.sourceNames);
    const query: Query = {
      view: people.view(person),
      sources: filter.sourceIds === undefined ? null : rows.numbersOf(filter.sourceIds),
      range: cursor === undefined ? all : rangeAfter(all, parseCursor(cursor, order), order),
      order,
      expression: matchExpression(filter.text, (term) => rows.numbersOf(names.with(term))),
      filter,
      limit,
    };
    const found: Candidate[] = [];
    if (query.sources?.length !== 0)
      for (const candidate of this.#candidates(query)) {
        if (!this.#isShown(query, candidate, all)) continue;
        found.push(candidate);
        if (found.length > limit) break;
      }
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const next = found.length > limit && last !== undefined ? cursorOf(last.ord, order) : null;
    return { entries: shown.map(({ ord }) => this.#listed(query.view, ord)), next };
  }

  /** A story of a day has at most one entry of each source, so they are all compared. */
  hot(person: string, sourceIds: readonly string[] | undefined, since: number, limit: number): HotStory[] {
    const { db, rows, people } = this.#parts;
    const wanted = sourceIds === undefined ? null : new Set(rows.numbersOf(sourceIds));
    const sql =
      'SELECT story, source, ord FROM carried INDEXED BY carried_by_time WHERE shared = 1 AND ord >= ?';
    const stories = new Map<number, { sources: Set<number>; ords: Set<number> }>();
    for (const row of db.all(sql, ordOf(since))) {
      const source = Number(row.source);
      if (wanted?.has(source) === false) continue;
      const story = stories.get(Number(row.story)) ?? { sources: new Set(), ords: new Set() };
      story.sources.add(source);
      story.ords.add(Number(row.ord));
      stories.set(Number(row.story), story);
    }
    const view = people.view(person);
    return [...stories.values()]
      .filter(({ sources }) => sources.size > 1)
      .map(({ sources, ords }) => ({ sourceCount: sources.size, ord: this.#firstArrived([...ords]) }))
      .sort((a, b) => b.sourceCount - a.sourceCount || b.ord - a.ord)
      .slice(0, limit)
      .map(({ sourceCount, ord }) => ({ ...this.#listed(view, ord), sourceCount }));
  }

  #candidates(query: Query): Candidates {
    const { db, counter } = this.#parts;
    const { view, sources, range, order, expression, filter, limit } = query;
    const expected = limit + 1;
    if (filter.starred === true || filter.later === true) return this.#searched(query, this.#chosen(query));
    if (filter.unread === true) {
      const unread = { view, tally: counter.tallyOf(view), sources, range, order, expected };
      if (expression === null) return this.#unread.find(unread);
      if (this.#unread.areFew(unread))
        return this.#searched(query, this.#unread.collect(unread, sources ?? unread.tally.sources));
    }
    if (expression !== null)
      return searchResults(db, this.#scoped(query, expression), range, order, expected);
    if (sources === null) return allEntries(db, range, order, expected);
    return mergedEntries(
      db,
      sources.map((source) => ({ source, range })),
      order,
      expected,
    );
  }

  /** Those of the candidates that the search finds. */
  #searched({ expression, range, order }: Query, candidates: readonly Candidate[]): Candidates {
    return expression === null
      ? collected(candidates, order)
      : searchResultsAmong(this.#parts.db, expression, candidates, range, order);
  }

  /** What the person starred or wants to read later. */
  #chosen({ view, sources, range, filter }: Query): Candidate[] {
    if (view.no === null) return [];
    const { db } = this.#parts;
    const conditions = [
      ...(filter.starred === true ? ['s.starred_at IS NOT NULL'] : []),
      ...(filter.later === true ? ['s.later_at IS NOT NULL'] : []),
    ].join(' AND ');
    const index = filter.later === true ? 'states_later' : 'states_starred';
    const wanted = sources === null ? null : new Set(sources);
    const alone = db
      .all(
        `SELECT e.ord, e.story, e.shared, e.sources FROM states s INDEXED BY ${index}
           CROSS JOIN entries e ON e.id = s.story AND e.shared = 0 WHERE s.person = ? AND ${conditions}`,
        view.no,
      )
      .filter((row) => isOf(sourceNumbers({ sources: String(row.sources) }), wanted));
    const shared = db
      .all(
        `SELECT c.ord, c.story, c.shared, c.source FROM states s INDEXED BY ${index}
           CROSS JOIN carried c ON c.story = s.story AND c.shared = 1 WHERE s.person = ? AND ${conditions}`,
        view.no,
      )
      .filter((row) => isOf([Number(row.source)], wanted));
    return ([...alone, ...shared] as unknown as Candidate[]).filter(({ ord }) => isInRange(ord, range));
  }

  /** Sources are part of the search unless they are many; then each result is checked. */
  #scoped({ sources }: Query, expression: string): string {
    return sources === null || sources.length > this.#parts.thresholds.searchedSources
      ? expression
      : scopedExpression(expression, sources);
  }

  /** `range`: of the filter, without the cursor. */
  #isShown(query: Query, candidate: Candidate, range: OrdRange): boolean {
    const { view, sources, expression, filter } = query;
    const { rows, states, thresholds } = this.#parts;
    if (expression !== null && sources !== null && sources.length > thresholds.searchedSources) {
      const row = rows.byOrd(candidate.ord);
      if (row === undefined || !isOf(sourceNumbers(row), new Set(sources))) return false;
    }
    if (filter.unread === true && states.isRead(view, candidate.story)) return false;
    return candidate.shared === 0 || this.#isFirst(query, candidate, range);
  }

  /** Whether no entry of the same story that arrived earlier matches the filter. */
  #isFirst({ sources, expression }: Query, candidate: Candidate, range: OrdRange): boolean {
    const { index } = this.#parts;
    const members = this.#members(candidate.story);
    const own = members.find(({ ord }) => ord === candidate.ord);
    const wanted = sources === null ? null : new Set(sources);
    return !members.some(
      (other) =>
        other.id < (own?.id ?? 0) &&
        isInRange(other.ord, range) &&
        isOf(sourceNumbers(other), wanted) &&
        (expression === null || index.matches(expression, other.ord)),
    );
  }

  #firstArrived(ords: readonly number[]): number {
    const rows = ords.flatMap((ord) => this.#parts.rows.byOrd(ord) ?? []);
    return rows.sort((a, b) => a.id - b.id)[0]?.ord ?? 0;
  }

  #members(story: number): EntryRow[] {
    const { rows, states } = this.#parts;
    const ords = new Set(states.carried(story).map(({ ord }) => ord));
    return [...ords].flatMap((ord) => rows.byOrd(ord) ?? []);
  }

  #listed(view: PersonView, ord: number): ListedEntry {
    const { rows, states } = this.#parts;
    const row = rows.byOrd(ord);
    if (row === undefined) throw new Error(`The entry at ${ord} is missing.`);
    const others = row.shared === 0 ? [] : this.#members(row.story).filter((other) => other.ord !== ord);
    return {
      entry: rows.toEntry(row),
      state: states.stateOf(view, row.story),
      others: others
        .sort((a, b) => b.ord - a.ord)
        .map((other) => ({
          id: other.id,
          title: other.title,
          url: other.url,
          publishedAt: other.published_at,
          sourceIds: rows.sourceIds(other),
        })),
    };
  }
}

function isOf(sources: readonly number[], wanted: ReadonlySet<number> | null): boolean {
  return wanted === null || sources.some((source) => wanted.has(source));
}

function cursorOf(ord: number, order: ListOrder): string {
  return `${order}.${ord}`;
}

function parseCursor(cursor: string, order: ListOrder): number {
  const [, of, digits] = /^(newest|oldest)\.(\d{1,16})$/.exec(cursor) ?? [];
  const ord = Number(digits);
  if (of !== order || !Number.isSafeInteger(ord)) throw new BadCursorError(cursor);
  return ord;
}
