import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemKey } from '../item/item.ts';
import { StoryGroups } from '../same-story/same-story.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import type { Entry, EntryId, EntryStore, NewEntry } from './entry-store.ts';

/** Entries further apart are two stories: the same headline recurs every week. */
const WINDOW_MS = 3 * DAY;
/** Entries of other replicas may be stored a little out of order. */
const OVERLAP_MS = MINUTE;
/** Entries that are compared with each other before the event loop goes on. */
const CHUNK_SIZE = 20;

export interface EntryStoriesOptions {
  readonly entries: Pick<EntryStore, 'recent'>;
  /** The newest entries that a new one is compared with. */
  readonly maxCompared: number;
}

/**
 * Finds the story of new entries among those of the last days (R9). Two entries of one source are always two stories, even with
 * equal titles: a series repeats its headline.
 */
export class EntryStories {
  readonly #options: EntryStoriesOptions;
  #groups = new StoryGroups({ windowMs: WINDOW_MS });
  /** The story of each compared entry, and the sources of each story. */
  #stories = new Map<ItemKey, EntryId>();
  #sources = new Map<EntryId, Set<string>>();
  /** Arrival of the newest entry that is known here; `null`: none was loaded yet. */
  #loadedTo: number | null = null;

  constructor(options: EntryStoriesOptions) {
    this.#options = options;
  }

  /** An entry of the story of each of these new entries, for those that are not the first. All are of one source. */
  async find(entries: readonly NewEntry[], now: number): Promise<ReadonlyMap<ItemKey, EntryId>> {
    const recent = entries.filter(({ publishedAt }) => publishedAt >= now - WINDOW_MS);
    const found = new Map<ItemKey, EntryId>();
    if (recent.length === 0) return found;
    await this.#load(now);
    for (const [n, entry] of recent.entries()) {
      if (n % CHUNK_SIZE === CHUNK_SIZE - 1) await nextTurn();
      const story = this.#place(entry);
      if (story !== null) found.set(entry.key, story);
    }
    return found;
  }

  /** Records entries as they were stored. */
  record(entries: readonly Entry[]): void {
    for (const { key, storyId, sourceIds } of entries) {
      this.#stories.set(key, storyId);
      const sources = this.#sources.get(storyId) ?? new Set();
      for (const id of sourceIds) sources.add(id);
      this.#sources.set(storyId, sources);
    }
  }

  /** Forgets everything, if what was placed could not be stored. */
  reset(): void {
    this.#groups = new StoryGroups({ windowMs: WINDOW_MS });
    this.#stories = new Map();
    this.#sources = new Map();
    this.#loadedTo = null;
  }

  #place(entry: NewEntry): EntryId | null {
    const { members } = this.#groups.add(storyItem(entry));
    const story = members.map((key) => this.#stories.get(key)).find((id) => id !== undefined);
    if (story === undefined) return null;
    if (!this.#sources.get(story)?.has(entry.sourceId)) return story;
    if (!this.#stories.has(entry.key)) this.#groups.separate(entry.key);
    return null;
  }

  /** Also what other replicas have added. */
  async #load(now: number): Promise<void> {
    const { entries, maxCompared } = this.#options;
    if (this.#groups.size >= 2 * maxCompared) this.reset();
    const since = this.#loadedTo === null ? now - WINDOW_MS : this.#loadedTo - OVERLAP_MS;
    const arrived = (await entries.recent(since, maxCompared)).filter(
      ({ key, publishedAt }) => !this.#stories.has(key) && publishedAt >= now - WINDOW_MS,
    );
    for (const [n, entry] of arrived.toReversed().entries()) {
      if (n % CHUNK_SIZE === CHUNK_SIZE - 1) await nextTurn();
      this.#groups.add(storyItem(entry));
      this.record([entry]);
    }
    this.#loadedTo = now;
  }
}

function storyItem({
  key,
  title,
  excerpt,
  publishedAt,
}: Pick<Entry, 'key' | 'title' | 'excerpt' | 'publishedAt'>) {
  return { key, title, publishedAt, ...(excerpt !== null && { text: excerpt }) };
}
