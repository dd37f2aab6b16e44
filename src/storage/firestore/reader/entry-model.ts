import type { EntryId } from '../../../reader/entry-store.ts';
import { ORPHANS, type SourceIndex } from './source-index.ts';

/** One row of a source, in the chain of all rows about the same event. */
export interface StoryRow {
  readonly index: SourceIndex;
  readonly row: number;
  next: StoryRow | null;
}

/** The indexes of all sources, and their rows by story. */
export class EntryModel {
  readonly #sources = new Map<string, SourceIndex>();
  readonly #stories = new Map<EntryId, StoryRow>();
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

  /** The chain of all rows about an event, removed ones too; several have the same entry if several sources carry it. */
  chainOf(storyId: EntryId): StoryRow | null {
    return this.#stories.get(storyId) ?? null;
  }

  /** The rows of entries that are there. */
  *liveRowsOf(storyId: EntryId): Generator<StoryRow> {
    for (let at = this.chainOf(storyId); at !== null; at = at.next) if (!at.index.isGone(at.row)) yield at;
  }

  hasStory(storyId: EntryId): boolean {
    return this.liveRowsOf(storyId).next().done !== true;
  }

  /** IDs of the entries of a story. */
  entriesOf(storyId: EntryId): Set<EntryId> {
    return new Set(this.liveRowsOf(storyId).map(({ index, row }) => index.id(row)));
  }

  /** `undefined`: there is no such entry. */
  storyOf(id: EntryId): EntryId | undefined {
    const storyId = this.#storyOf.get(id) ?? id;
    for (const { index, row } of this.liveRowsOf(storyId)) if (index.id(row) === id) return storyId;
    return undefined;
  }

  /** The IDs of the sources that carry an entry, the first one first. */
  carriersOf(id: EntryId): string[] {
    return [...this.liveRowsOf(this.storyOf(id) ?? id)]
      .filter(({ index, row }) => index.id(row) === id && index.sourceId !== ORPHANS)
      .sort((a, b) => a.index.version(a.row) - b.index.version(b.row))
      .map(({ index }) => index.sourceId);
  }

  /** Replaces the index of a source; returns the entries that changed, came or went. */
  replace(index: SourceIndex): Set<EntryId> {
    const before = this.remove(index.sourceId);
    this.#sources.set(index.sourceId, index);
    const changed = new Set(before.keys());
    for (let row = 0; row < index.length; row++) {
      const [id, storyId] = [index.id(row), index.storyId(row)];
      const first = this.#stories.get(storyId);
      // The chain keeps its first element, so that it is replaced nowhere.
      if (first === undefined) this.#stories.set(storyId, { index, row, next: null });
      else first.next = { index, row, next: first.next };
      if (id !== storyId) this.#storyOf.set(id, storyId);
      if (before.get(id) === stampOf(index, row)) changed.delete(id);
      else changed.add(id);
    }
    return changed;
  }

  /** Removes a source; returns its entries, each with a stamp that changes with it. */
  remove(sourceId: string): Map<EntryId, string> {
    const gone = new Map<EntryId, string>();
    const index = this.#sources.get(sourceId);
    if (index === undefined) return gone;
    this.#sources.delete(sourceId);
    for (let row = 0; row < index.length; row++) gone.set(index.id(row), stampOf(index, row));
    for (let row = 0; row < index.length; row++) this.#unchain(index.storyId(row), index);
    for (const id of gone.keys()) if (this.storyOf(id) === undefined) this.#storyOf.delete(id);
    return gone;
  }

  #unchain(storyId: EntryId, gone: SourceIndex): void {
    let left: StoryRow | null = null;
    for (let at = this.chainOf(storyId); at !== null; at = at.next)
      if (at.index !== gone) left = { index: at.index, row: at.row, next: left };
    if (left === null) this.#stories.delete(storyId);
    else this.#stories.set(storyId, left);
  }
}

function stampOf(index: SourceIndex, row: number): string {
  return `${index.fingerprint(row)}${index.isGone(row) ? ' gone' : ''}`;
}
