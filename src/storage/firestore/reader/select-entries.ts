import type { EntryFilter, EntryId, EntryListOptions, UnreadCounts } from '../../../reader/entry-store.ts';
import { type EntryModel, liveRowsOf, type Story, type StoryRow } from './entry-model.ts';
import type { ReadingState } from './reading-state.ts';
import { ORPHANS, type SourceIndex } from './source-index.ts';

/** Where a story stands in a list: the time and ID of the first of its entries that the filter matches. */
export interface Position {
  readonly publishedAt: number;
  readonly id: EntryId;
}

type Order = EntryListOptions['order'];
type Visit = (index: SourceIndex, row: number, story: Story) => void;

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

  /** The same, limited to some of the sources. */
  within(sourceIds: readonly string[]): EntrySelection {
    const chosen = new Set(this.#filter.sourceIds ?? sourceIds);
    const both = sourceIds.filter((id) => chosen.has(id));
    return new EntrySelection(this.#model, this.#state, { ...this.#filter, sourceIds: both });
  }

  /** The next stories after a position, in order, at most `limit`. */
  stories(order: Order, limit: number, after: Position | null): Position[] {
    return this.#best(order, limit, after, (index, row, story) => this.#standsFor(story, index, row));
  }

  /** The next entries after a position, in order, at most `limit`; several may be of one story. */
  entries(order: Order, limit: number, after: Position | null): Position[] {
    return this.#best(order, limit, after, () => true);
  }

  /** IDs of the entries of a story that match, the first one first. */
  matchesIn(story: Story): EntryId[] {
    if (!this.#hasState(story)) return [];
    const matching = liveRowsOf(story).filter(({ index, row }) => this.#matches(index, row));
    return [...new Set(matching.map(({ index, row }) => index.id(row)))].sort((a, b) => a - b);
  }

  #best(
    order: Order,
    limit: number,
    after: Position | null,
    isWanted: (index: SourceIndex, row: number, story: Story) => boolean,
  ): Position[] {
    const best = new BestPositions(order, limit, after);
    // The cheapest condition first: most rows are beyond the page.
    this.#visit((index, row, story) => {
      if (
        best.accepts(index.publishedAt(row), index.id(row)) &&
        this.#matches(index, row) &&
        isWanted(index, row, story) &&
        this.#hasState(story)
      )
        best.add({ publishedAt: index.publishedAt(row), id: index.id(row) });
    });
    return best.positions;
  }

  #visit(visit: Visit): void {
    const { starred, later } = this.#filter;
    if (starred === true || later === true) {
      const storyWith = (id: EntryId): Story | undefined => this.#model.storyWith(id);
      for (const storyId of this.#state.kept(starred === true ? 'starredAt' : 'laterAt', storyWith)) {
        const story = this.#model.story(storyId);
        if (story !== undefined) for (const { index, row } of liveRowsOf(story)) visit(index, row, story);
      }
      return;
    }
    for (const index of this.#sources ?? this.#model.sources()) visitSource(this.#model, index, visit);
  }

  /** No earlier entry of the story matches. */
  #standsFor(story: Story, index: SourceIndex, row: number): boolean {
    if (story.rows.next === null) return true;
    let first: StoryRow | null = null;
    for (const one of liveRowsOf(story))
      if (
        this.#matches(one.index, one.row) &&
        (first === null || one.index.id(one.row) < first.index.id(first.row))
      )
        first = one;
    return first?.index === index && first.row === row;
  }

  #matches(index: SourceIndex, row: number): boolean {
    const { since, before } = this.#filter;
    if (this.#sources !== null && !this.#sources.has(index)) return false;
    const publishedAt = index.publishedAt(row);
    return (since === undefined || publishedAt >= since) && (before === undefined || publishedAt < before);
  }

  #hasState(story: Story): boolean {
    const { unread, starred, later } = this.#filter;
    if (unread !== undefined && this.#state.isRead(story) === unread) return false;
    if (starred === undefined && later === undefined) return true;
    const state = this.#state.stateOf(story);
    return (
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
    visitSource(model, index, (_, row, story) => {
      const isAlone = story.rows.next === null;
      if (!isAlone && !isFirstRow(story, index, row, (other) => other === index)) return;
      if (state.isRead(story)) return;
      count++;
      if (isAlone || isFirstRow(story, index, row, (other) => sources.has(other))) all++;
    });
    if (count > 0) bySource[index.sourceId] = count;
  }
  return { all, bySource };
}

/** Whether a row is the first of its story in the chosen sources. */
function isFirstRow(
  story: Story,
  index: SourceIndex,
  row: number,
  isChosen: (index: SourceIndex) => boolean,
): boolean {
  for (const one of liveRowsOf(story)) if (isChosen(one.index)) return one.index === index && one.row === row;
  return false;
}

/** Stories that at least two of the sources told since, most sources first, then the newest. */
export function hottest(
  model: EntryModel,
  sourceIds: readonly string[] | undefined,
  since: number,
  limit: number,
): { readonly id: EntryId; readonly sourceCount: number }[] {
  const told = new Map<Story, { id: EntryId; publishedAt: number; sources: Set<string> }>();
  for (const index of model.sources(sourceIds)) {
    if (index.sourceId === ORPHANS) continue;
    visitSource(model, index, (_, row, story) => {
      const [id, publishedAt] = [index.id(row), index.publishedAt(row)];
      // One row is one source.
      if (publishedAt < since || story.rows.next === null) return;
      const so = told.get(story) ?? { id, publishedAt, sources: new Set() };
      so.sources.add(index.sourceId);
      if (id < so.id) [so.id, so.publishedAt] = [id, publishedAt];
      told.set(story, so);
    });
  }
  return [...told.values()]
    .filter(({ sources }) => sources.size > 1)
    .sort((a, b) => b.sources.size - a.sources.size || b.publishedAt - a.publishedAt || b.id - a.id)
    .slice(0, limit)
    .map(({ id, sources }) => ({ id, sourceCount: sources.size }));
}

/** The rows of a source whose entries are there. */
function visitSource(model: EntryModel, index: SourceIndex, visit: Visit): void {
  const stories = model.storiesOf(index);
  for (let row = 0; row < index.length; row++)
    if (!index.isGone(row)) visit(index, row, stories[row] as Story);
}

/** The first positions of a list after another one, in order. */
class BestPositions {
  readonly positions: Position[] = [];
  readonly #limit: number;
  /** 1: oldest first. */
  readonly #sign: number;
  readonly #after: Position | null;

  constructor(order: Order, limit: number, after: Position | null) {
    this.#limit = limit;
    this.#sign = order === 'oldest' ? 1 : -1;
    this.#after = after;
  }

  accepts(publishedAt: number, id: EntryId): boolean {
    const { positions } = this;
    const last = positions[positions.length - 1];
    if (positions.length >= this.#limit && last !== undefined && this.#compare(publishedAt, id, last) >= 0)
      return false;
    return this.#after === null || this.#compare(publishedAt, id, this.#after) > 0;
  }

  /** An entry that several sources carry counts once. */
  add(position: Position): void {
    let [low, high] = [0, this.positions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { publishedAt, id } = this.positions[middle] as Position;
      if (this.#compare(publishedAt, id, position) < 0) low = middle + 1;
      else high = middle;
    }
    if (this.positions[low]?.id === position.id) return;
    this.positions.splice(low, 0, position);
    if (this.positions.length > this.#limit) this.positions.pop();
  }

  #compare(publishedAt: number, id: EntryId, other: Position): number {
    return this.#sign * (publishedAt - other.publishedAt || id - other.id);
  }
}
