import type { EntryFilter, EntryState, StateChange } from '../../../reader/entry-store.ts';

interface NaiveEntry {
  readonly id: number;
  readonly title: string;
  readonly story: number;
  readonly publishedAt: number;
  readonly arrivedAt: number;
  /** The number with which each source brought it. */
  readonly sources: Map<string, number>;
}

interface NaiveState {
  read: boolean | null;
  starredAt: number | null;
  laterAt: number | null;
}

type Mark = Extract<StateChange, { kind: 'readAll' }>;

/** The rules of the reader for one person, as plainly as they can be written. */
export class NaiveReader {
  readonly entries: NaiveEntry[] = [];
  #states = new Map<number, NaiveState>();
  #marks: Mark[] = [];

  /** A copy of what the person did, and a way back to it. */
  snapshot(): () => void {
    const states = structuredClone(this.#states);
    const marks = [...this.#marks];
    return () => {
      this.#states = states;
      this.#marks = marks;
    };
  }

  change(change: StateChange, now: number): void {
    if (change.kind === 'readAll') {
      for (const [story, state] of this.#states)
        if (state.read === false && this.#of(story).some((entry) => covers(change, entry))) state.read = null;
      this.#marks.push(change);
      return;
    }
    const stories = new Set(
      this.entries.filter(({ id }) => change.ids.includes(id)).map(({ story }) => story),
    );
    for (const story of stories) {
      const state = this.#states.get(story) ?? { read: null, starredAt: null, laterAt: null };
      if (change.kind === 'read' || change.kind === 'unread') {
        if (this.isRead(story) !== (change.kind === 'read')) state.read = change.kind === 'read';
      } else if (change.kind === 'star') state.starredAt ??= now;
      else if (change.kind === 'unstar') state.starredAt = null;
      else if (change.kind === 'later') state.laterAt ??= now;
      else state.laterAt = null;
      this.#states.set(story, state);
    }
  }

  /** What goes leaves its stories as read as they were. */
  remove(isGone: (entry: NaiveEntry, source: string) => boolean): void {
    const read = new Set(this.entries.map(({ story }) => story).filter((story) => this.isRead(story)));
    for (const entry of this.entries)
      for (const source of entry.sources.keys()) if (isGone(entry, source)) entry.sources.delete(source);
    const kept = this.entries.filter(({ sources, story }) => sources.size > 0 || this.isWanted(story));
    this.entries.splice(0, this.entries.length, ...kept);
    for (const story of [...this.#states.keys()])
      if (this.#of(story).length === 0) this.#states.delete(story);
    for (const story of read) {
      if (this.#of(story).length === 0 || this.isRead(story)) continue;
      const state = this.#states.get(story) ?? { read: null, starredAt: null, laterAt: null };
      this.#states.set(story, { ...state, read: true });
    }
  }

  isWanted(story: number): boolean {
    const state = this.#states.get(story);
    return (state?.starredAt ?? null) !== null || (state?.laterAt ?? null) !== null;
  }

  isRead(story: number): boolean {
    const chosen = this.#states.get(story)?.read ?? null;
    if (chosen !== null) return chosen;
    return this.#of(story).some((entry) => this.#marks.some((mark) => covers(mark, entry)));
  }

  stateOf(story: number): EntryState {
    const state = this.#states.get(story);
    return {
      read: this.isRead(story),
      starredAt: state?.starredAt ?? null,
      laterAt: state?.laterAt ?? null,
    };
  }

  /** Titles, in order. */
  list(filter: EntryFilter, order: 'newest' | 'oldest'): string[] {
    const { sourceIds, since = 0, before = Number.POSITIVE_INFINITY, text } = filter;
    const matching = this.entries.filter(
      ({ sources, publishedAt, title }) =>
        (sourceIds === undefined || sourceIds.some((id) => sources.has(id))) &&
        publishedAt >= since &&
        publishedAt < before &&
        (text === undefined || title.split(' ').includes(text)),
    );
    const first = new Map<number, NaiveEntry>();
    for (const entry of matching.toSorted((a, b) => b.id - a.id)) first.set(entry.story, entry);
    const shown = [...first.values()].filter(({ story }) => {
      const { read, starredAt, laterAt } = this.stateOf(story);
      return (
        !(filter.unread === true && read) &&
        !(filter.starred === true && starredAt === null) &&
        !(filter.later === true && laterAt === null)
      );
    });
    shown.sort((a, b) => b.publishedAt - a.publishedAt || b.id - a.id);
    return (order === 'newest' ? shown : shown.reverse()).map(({ title }) => title);
  }

  unread(sourceIds: readonly string[]): { all: number; bySource: Record<string, number> } {
    const storiesOf = (ids: readonly string[]): number =>
      new Set(
        this.entries
          .filter(({ sources, story }) => ids.some((id) => sources.has(id)) && !this.isRead(story))
          .map(({ story }) => story),
      ).size;
    const counts = sourceIds.map((id) => [id, storiesOf([id])] as const).filter(([, count]) => count > 0);
    return { all: storiesOf(sourceIds), bySource: Object.fromEntries(counts) };
  }

  #of(story: number): NaiveEntry[] {
    return this.entries.filter((entry) => entry.story === story);
  }
}

function covers({ sourceIds, upTo, before = Number.POSITIVE_INFINITY }: Mark, entry: NaiveEntry): boolean {
  return (
    entry.publishedAt < before &&
    [...entry.sources].some(
      ([source, number]) => number <= upTo && (sourceIds === undefined || sourceIds.includes(source)),
    )
  );
}
