import type { EntryId } from '../../../reader/entry-store.ts';
import { ORPHANS, type SourceIndex } from './source-index.ts';

/** One row of a source, in the chain of all rows about the same event. */
export interface StoryRow {
  readonly index: SourceIndex;
  readonly row: number;
  readonly next: StoryRow | null;
}

/** The rows about one event, removed ones too; several have the same entry if several sources carry it. */
export interface Story {
  readonly id: EntryId;
  readonly rows: StoryRow;
}

interface MutableStory {
  readonly id: EntryId;
  rows: StoryRow;
}

/** The indexes of all sources, and their rows by story. */
export class EntryModel {
  readonly #sources = new Map<string, SourceIndex>();
  readonly #stories = new Map<EntryId, MutableStory>();
  /** The story of each row, so that scanning a source needs no map. */
  readonly #storiesOf = new Map<SourceIndex, readonly MutableStory[]>();
  /** Only of entries that are not the first of their story. */
  readonly #storyOf = new Map<EntryId, EntryId>();

  source(sourceId: string): SourceIndex | undefined {
    return this.#sources.get(sourceId);
  }

  /** Without IDs all of them; unknown ones are left out. */
  sources(ids?: readonly string[]): SourceIndex[] {
    if (ids === undefined) return [...this.#sources.values()];
    return [...new Set(ids)].flatMap((id) => this.#sources.get(id) ?? []);
  }

  story(storyId: EntryId): Story | undefined {
    return this.#stories.get(storyId);
  }

  /** The story of each row of an index. */
  storiesOf(index: SourceIndex): readonly Story[] {
    return this.#storiesOf.get(index) ?? [];
  }

  /** `undefined`: there is no such entry. */
  storyOf(id: EntryId): Story | undefined {
    const story = this.story(this.#storyOf.get(id) ?? id);
    return story !== undefined && liveRowsOf(story).some(({ index, row }) => index.id(row) === id)
      ? story
      : undefined;
  }

  /** The story that has or had an entry. */
  storyWith(id: EntryId): Story | undefined {
    return this.story(this.#storyOf.get(id) ?? id);
  }

  /** The IDs of the sources that carry an entry, the first one first. */
  carriersOf(id: EntryId): string[] {
    const story = this.storyOf(id);
    if (story === undefined) return [];
    return [...liveRowsOf(story)]
      .filter(({ index, row }) => index.id(row) === id && index.sourceId !== ORPHANS)
      .sort((a, b) => a.index.version(a.row) - b.index.version(b.row))
      .map(({ index }) => index.sourceId);
  }

  /** Replaces the index of a source; returns the entries that changed, came or went. */
  replace(index: SourceIndex): Iterable<EntryId> {
    const before = this.remove(index.sourceId);
    this.#sources.set(index.sourceId, index);
    const stories: MutableStory[] = [];
    for (let row = 0; row < index.length; row++) {
      const [id, storyId] = [index.id(row), index.storyId(row)];
      let story = this.#stories.get(storyId);
      if (story === undefined) {
        story = { id: storyId, rows: { index, row, next: null } };
        this.#stories.set(storyId, story);
      } else story.rows = { index, row, next: story.rows };
      stories.push(story);
      if (id === storyId) this.#storyOf.delete(id);
      else this.#storyOf.set(id, storyId);
      if (before.get(id) === stampOf(index, row)) before.delete(id);
      else before.set(id, 0);
    }
    this.#storiesOf.set(index, stories);
    return before.keys();
  }

  /** Removes a source; returns its entries, each with a number that changes with it. */
  remove(sourceId: string): Map<EntryId, number> {
    const gone = new Map<EntryId, number>();
    const index = this.#sources.get(sourceId);
    if (index === undefined) return gone;
    for (const [row, story] of (this.#storiesOf.get(index) ?? []).entries()) {
      gone.set(index.id(row), stampOf(index, row));
      this.#unchain(story, index);
    }
    this.#sources.delete(sourceId);
    this.#storiesOf.delete(index);
    for (const id of gone.keys()) if (this.storyOf(id) === undefined) this.#storyOf.delete(id);
    return gone;
  }

  #unchain(story: MutableStory, gone: SourceIndex): void {
    let left: StoryRow | null = null;
    for (let at: StoryRow | null = story.rows; at !== null; at = at.next)
      if (at.index !== gone) left = { index: at.index, row: at.row, next: left };
    if (left !== null) story.rows = left;
    else this.#stories.delete(story.id);
  }
}

/** The rows of entries that are there. */
export function* liveRowsOf(story: Story): Generator<StoryRow> {
  for (let at: StoryRow | null = story.rows; at !== null; at = at.next)
    if (!at.index.isGone(at.row)) yield at;
}

/** Whether an entry of the story is there. */
export function isLive(story: Story | undefined): story is Story {
  return story !== undefined && liveRowsOf(story).next().done !== true;
}

/** IDs of the entries of a story. */
export function entriesOf(story: Story | undefined): Set<EntryId> {
  return new Set(story && liveRowsOf(story).map(({ index, row }) => index.id(row)));
}

/** Changes with the entry and with its story: 1 bit, 32 bits and 19 bits. */
function stampOf(index: SourceIndex, row: number): number {
  const facts = 1 + index.fingerprint(row) * 2 + (index.isGone(row) ? 1 : 0);
  return facts + (index.storyId(row) % 2 ** 19) * 2 ** 33;
}
