import type { EntryFilter, EntryId, EntryListOptions, UnreadCounts } from '../../../reader/entry-store.ts';
import type { EntryModel, StoryRow } from './entry-model.ts';
import type { ReadingState } from './reading-state.ts';
import { ORPHANS, type SourceIndex } from './source-index.ts';

/** Where a story stands in a list: the time and ID of the first of its entries that the filter matches. */
export interface Position {
  readonly publishedAt: number;
  readonly id: EntryId;
}

type Order = EntryListOptions['order'];

/** The conditions of a filter, its text aside, for the rows of the model. */
export class EntrySelection {
  readonly #model: EntryModel;
  readonly #state: ReadingState;
  readonly #filter: EntryFilter;
  readonly #sources: ReadonlySet<SourceIndex> | null;

  constructor(model: EntryModel, state: ReadingState, filter: EntryFilter) {
    this.#model = model;
    this.#state = state;
    this.#filter = filter;
    this.#sources = filter.sourceIds === undefined ? null : new Set(model.sources(filter.sourceIds));
  }

  /** The next stories after a position, in order, at most `limit`. */
  page(order: Order, limit: number, after: Position | null): Position[] {
    const best = new BestPositions(order, limit);
    for (const { index, row } of this.#candidates()) {
      const position = { publishedAt: index.publishedAt(row), id: index.id(row) };
      if (after !== null && compare(position, after, order) <= 0) continue;
      if (best.accepts(position) && this.#isListed(index, row)) best.add(position);
    }
    return best.positions;
  }

  /** The next entries after a position, in order, at most `limit`; several may be of one story. */
  entries(order: Order, limit: number, after: Position | null): Position[] {
    const best = new BestPositions(order, limit);
    for (const { index, row } of this.#candidates()) {
      const position = { publishedAt: index.publishedAt(row), id: index.id(row) };
      if (after !== null && compare(position, after, order) <= 0) continue;
      if (best.accepts(position) && this.#matches(index, row) && this.#hasState(index.storyId(row)))
        best.add(position);
    }
    return best.positions;
  }

  /** Entries of a story that match, the first one first. */
  matchesIn(storyId: EntryId): Position[] {
    if (!this.#hasState(storyId)) return [];
    const positions = new Map<EntryId, Position>();
    for (const { index, row } of this.#model.liveRowsOf(storyId))
      if (this.#matches(index, row))
        positions.set(index.id(row), { publishedAt: index.publishedAt(row), id: index.id(row) });
    return [...positions.values()].sort((a, b) => a.id - b.id);
  }

  *#candidates(): Generator<Pick<StoryRow, 'index' | 'row'>> {
    const { starred, later } = this.#filter;
    if (starred === true || later === true) {
      for (const storyId of this.#state.kept(starred === true ? 'starredAt' : 'laterAt'))
        yield* this.#model.liveRowsOf(storyId);
      return;
    }
    for (const index of this.#sources ?? this.#model.sources())
      for (let row = 0; row < index.length; row++) if (!index.isGone(row)) yield { index, row };
  }

  /** The row stands for its story: it matches, and no earlier entry of the story does. */
  #isListed(index: SourceIndex, row: number): boolean {
    if (!this.#matches(index, row)) return false;
    const storyId = index.storyId(row);
    if (this.#model.chainOf(storyId)?.next === null) return this.#hasState(storyId);
    let first: StoryRow | null = null;
    for (const one of this.#model.liveRowsOf(storyId))
      if (
        this.#matches(one.index, one.row) &&
        (first === null || one.index.id(one.row) < first.index.id(first.row))
      )
        first = one;
    return first?.index === index && first.row === row && this.#hasState(storyId);
  }

  #matches(index: SourceIndex, row: number): boolean {
    const { since, before } = this.#filter;
    if (this.#sources !== null && !this.#sources.has(index)) return false;
    const publishedAt = index.publishedAt(row);
    return (since === undefined || publishedAt >= since) && (before === undefined || publishedAt < before);
  }

  #hasState(storyId: EntryId): boolean {
    const { unread, starred, later } = this.#filter;
    if (unread === undefined && starred === undefined && later === undefined) return true;
    const state = this.#state.stateOf(storyId, this.#model.chainOf(storyId));
    return (
      (unread === undefined || state.read !== unread) &&
      (starred === undefined || (state.starredAt !== null) === starred) &&
      (later === undefined || (state.laterAt !== null) === later)
    );
  }
}

/** Unread stories of sources; one that several of them have counts once in `all`. */
export function countUnread(
  model: EntryModel,
  state: ReadingState,
  sourceIds: readonly string[],
): UnreadCounts {
  const sources = new Set(model.sources(sourceIds));
  const bySource: Record<string, number> = {};
  let all = 0;
  for (const index of sources) {
    let count = 0;
    for (let row = 0; row < index.length; row++) {
      if (index.isGone(row)) continue;
      const storyId = index.storyId(row);
      const { isFirst, isFirstHere } = placeOf(model, index, row, sources);
      if (!isFirstHere || state.isRead(storyId, model.chainOf(storyId))) continue;
      count++;
      if (isFirst) all++;
    }
    if (count > 0) bySource[index.sourceId] = count;
  }
  return { all, bySource };
}

/** Whether a row is the first of its story in the chosen sources, and in its own. */
function placeOf(
  model: EntryModel,
  index: SourceIndex,
  row: number,
  sources: ReadonlySet<SourceIndex>,
): { isFirst: boolean; isFirstHere: boolean } {
  if (model.chainOf(index.storyId(row))?.next === null) return { isFirst: true, isFirstHere: true };
  let first: StoryRow | null = null;
  let firstHere: StoryRow | null = null;
  for (const one of model.liveRowsOf(index.storyId(row))) {
    if (first === null && sources.has(one.index)) first = one;
    if (firstHere === null && one.index === index) firstHere = one;
  }
  const isFirstHere = firstHere?.row === row;
  return { isFirst: isFirstHere && first?.index === index && first.row === row, isFirstHere };
}

/** Stories that at least two of the sources told since, most sources first, then the newest. */
export function hottest(
  model: EntryModel,
  sourceIds: readonly string[] | undefined,
  since: number,
  limit: number,
): { readonly id: EntryId; readonly sourceCount: number }[] {
  const told = new Map<EntryId, { id: EntryId; publishedAt: number; sources: Set<string> }>();
  for (const index of model.sources(sourceIds))
    for (let row = 0; row < index.length; row++) {
      const [id, publishedAt] = [index.id(row), index.publishedAt(row)];
      if (index.isGone(row) || publishedAt < since || index.sourceId === ORPHANS) continue;
      const story = told.get(index.storyId(row));
      if (story === undefined)
        told.set(index.storyId(row), { id, publishedAt, sources: new Set([index.sourceId]) });
      else {
        story.sources.add(index.sourceId);
        if (id < story.id) [story.id, story.publishedAt] = [id, publishedAt];
      }
    }
  return [...told.values()]
    .filter(({ sources }) => sources.size > 1)
    .sort((a, b) => b.sources.size - a.sources.size || b.publishedAt - a.publishedAt || b.id - a.id)
    .slice(0, limit)
    .map(({ id, sources }) => ({ id, sourceCount: sources.size }));
}

function compare(a: Position, b: Position, order: Order): number {
  const later = a.publishedAt - b.publishedAt || a.id - b.id;
  return order === 'oldest' ? later : -later;
}

/** The first positions of a list, in order. */
class BestPositions {
  readonly positions: Position[] = [];
  readonly #order: Order;
  readonly #limit: number;

  constructor(order: Order, limit: number) {
    this.#order = order;
    this.#limit = limit;
  }

  accepts(position: Position): boolean {
    const last = this.positions.at(-1);
    return (
      this.positions.length < this.#limit || last === undefined || compare(position, last, this.#order) < 0
    );
  }

  /** An entry that several sources carry counts once. */
  add(position: Position): void {
    let [low, high] = [0, this.positions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = this.positions[middle];
      if (there !== undefined && compare(there, position, this.#order) < 0) low = middle + 1;
      else high = middle;
    }
    if (this.positions[low]?.id === position.id) return;
    this.positions.splice(low, 0, position);
    if (this.positions.length > this.#limit) this.positions.pop();
  }
}
