import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemKey } from '../item/item.ts';
import { type PairInDoubt, type Placement, StoryGroups } from '../same-story/same-story.ts';
import type { SecondOpinion } from '../same-story/second-opinion.ts';
import type { StoryEdits } from '../same-story/story-edits.ts';
import { decidedBecause, mergedBecause, type StoryReason } from '../same-story/story-reason.ts';
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
  /** What people decided; it comes before the rules. */
  readonly edits: StoryEdits;
  /** Asked about pairs in doubt. */
  readonly opinion: SecondOpinion;
}

export interface FoundStory {
  /** An entry of the story; `null` for a story of its own. */
  readonly id: EntryId | null;
  /** Why it was merged or kept apart; `null` if nothing was like it. */
  readonly reason: StoryReason | null;
}

/**
 * Finds the story of new entries among those of the last days (R9). Two entries of one source are always two stories, even with
 * equal titles: a series repeats its headline.
 */
export class EntryStories {
  readonly #options: EntryStoriesOptions;
  #groups: StoryGroups;
  /** The story, the title and the sources of each compared entry, and the sources of each story. */
  #stories = new Map<ItemKey, EntryId>();
  #titles = new Map<ItemKey, string>();
  #sources = new Map<EntryId, Set<string>>();
  #sourcesOf = new Map<ItemKey, readonly string[]>();
  /** Arrival of the newest entry that is known here; `null`: none was loaded yet. */
  #loadedTo: number | null = null;
  /** Version of the decisions that the groups follow. */
  #decidedTo = 0;

  constructor(options: EntryStoriesOptions) {
    this.#options = options;
    this.#groups = this.#newGroups();
  }

  /** The stories of these new entries, as far as there is something to say. All are of one source. */
  async find(entries: readonly NewEntry[], now: number): Promise<ReadonlyMap<ItemKey, FoundStory>> {
    const recent = entries.filter(({ publishedAt }) => publishedAt >= now - WINDOW_MS);
    const found = new Map<ItemKey, FoundStory>();
    if (recent.length === 0) return found;
    await this.#load(now);
    const doubts: PairInDoubt[] = [];
    for (const [n, entry] of recent.entries()) {
      if (n % CHUNK_SIZE === CHUNK_SIZE - 1) await nextTurn();
      if (!this.#sourcesOf.has(entry.key)) this.#sourcesOf.set(entry.key, [entry.sourceId]);
      const placement = this.#groups.add(storyItem(entry));
      const story = this.#storyOf(placement, entry);
      if (story !== null) found.set(entry.key, { id: story, reason: this.#reasonOf(placement, entry.key) });
      else doubts.push(...placement.doubts.filter(({ other }) => this.#isElsewhere(other.key, entry)));
    }
    await this.#decide(doubts, recent, found);
    return found;
  }

  /** Records entries as they were stored. */
  record(entries: readonly Entry[]): void {
    for (const { key, title, storyId, sourceIds } of entries) {
      this.#stories.set(key, storyId);
      this.#titles.set(key, title);
      this.#sourcesOf.set(key, sourceIds);
      const sources = this.#sources.get(storyId) ?? new Set();
      for (const id of sourceIds) sources.add(id);
      this.#sources.set(storyId, sources);
    }
  }

  /** Forgets everything, if what was placed could not be stored. */
  reset(): void {
    this.#groups = this.#newGroups();
    this.#stories = new Map();
    this.#titles = new Map();
    this.#sources = new Map();
    this.#sourcesOf = new Map();
    this.#loadedTo = null;
  }

  #newGroups(): StoryGroups {
    return new StoryGroups({
      windowMs: WINDOW_MS,
      decisions: this.#options.edits,
      // Stories that are stored stay as people have seen them.
      mayJoin: (key, other) => this.#stories.get(key) === this.#stories.get(other),
      mayCompare: (key, other) => !this.#haveSourceInCommon(key, other),
    });
  }

  #haveSourceInCommon(key: ItemKey, other: ItemKey): boolean {
    const others = this.#sourcesOf.get(other) ?? [];
    return this.#sourcesOf.get(key)?.some((id) => others.includes(id)) === true;
  }

  /** The story of an entry that was placed; one with an entry of the same source does not count. */
  #storyOf({ members }: Pick<Placement, 'members'>, entry: NewEntry): EntryId | null {
    const story = members.map((key) => this.#stories.get(key)).find((id) => id !== undefined);
    if (story === undefined) return null;
    if (!this.#sources.get(story)?.has(entry.sourceId)) return story;
    if (!this.#stories.has(entry.key)) this.#groups.separate(entry.key);
    return null;
  }

  #reasonOf({ reason }: Pick<Placement, 'reason'>, key: ItemKey): StoryReason | null {
    if (reason === null) return null;
    const edit = this.#options.edits.between(key, reason.with);
    return mergedBecause(reason, this.#titles.get(reason.with) ?? '', edit);
  }

  /** Whether an entry is stored, and its story has none of the source of another one. */
  #isElsewhere(key: ItemKey, { sourceId }: NewEntry): boolean {
    const story = this.#stories.get(key);
    return story !== undefined && !this.#sources.get(story)?.has(sourceId);
  }

  /** Asks about all pairs in doubt at once; the first opinion that makes one story counts. */
  async #decide(
    doubts: readonly PairInDoubt[],
    entries: readonly NewEntry[],
    found: Map<ItemKey, FoundStory>,
  ): Promise<void> {
    if (doubts.length === 0) return;
    const opinions = await this.#options.opinion.about(doubts);
    for (const [n, pair] of doubts.entries()) {
      const { key } = pair.one;
      const entry = entries.find((one) => one.key === key);
      const opinion = opinions[n] ?? { outcome: 'off' };
      const reason = decidedBecause(pair, opinion);
      if (entry === undefined || reason === null || (found.get(key)?.id ?? null) !== null) continue;
      if (reason.verdict === 'same' && this.#groups.join(key, pair.other.key, 'second opinion')) {
        const placement = this.#groups.find(key);
        const story = placement === null ? null : this.#storyOf(placement, entry);
        if (story !== null) found.set(key, { id: story, reason });
      } else if (!found.has(key)) found.set(key, { id: null, reason });
    }
  }

  /** Also what other replicas have added, and what people decided since. */
  async #load(now: number): Promise<void> {
    const { entries, maxCompared, edits } = this.#options;
    await edits.refresh();
    if (this.#groups.size >= 2 * maxCompared || edits.version !== this.#decidedTo) this.reset();
    this.#decidedTo = edits.version;
    const since = this.#loadedTo === null ? now - WINDOW_MS : this.#loadedTo - OVERLAP_MS;
    const arrived = (await entries.recent(since, maxCompared)).filter(
      ({ key, publishedAt }) => !this.#stories.has(key) && publishedAt >= now - WINDOW_MS,
    );
    for (const [n, entry] of arrived.toReversed().entries()) {
      if (n % CHUNK_SIZE === CHUNK_SIZE - 1) await nextTurn();
      this.#sourcesOf.set(entry.key, entry.sourceIds);
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
