import type { ListedStory, Rank, Story } from './story.ts';

/**
 * Scored stories of one set (Hacker News, or what one pipeline's judge scored), and who hid what. Lists, caches and pages
 * are the core's; an adapter stores, selects, and keeps a feed of what changed, by which every copy keeps its lists fresh
 * and by which a page of an older list can still be told (E10).
 */
export interface StoryStore extends AsyncDisposable {
  readonly abilities: StoryStoreAbilities;

  /** Stores these in small batches, each all or none together with its lines in the feed. Safe to repeat. */
  upsert(stories: readonly NewStory[]): Promise<void>;
  /** Takes them out of every list: deleted, dead. What is not there is no matter. */
  remove(ids: readonly number[]): Promise<void>;
  /** Those of these that are there, in any order. */
  find(ids: readonly number[]): Promise<readonly Story[]>;

  /**
   * The best by score among those younger than `since`, best first (E7), from an index where the adapter has one. A call
   * looks at a bounded number of stories: it may answer fewer than asked for, even none, and says where to go on.
   */
  best(ask: BestRequest): Promise<BestPage>;
  /** Everything that is younger than `since`, ranked: the first `limit`, with the place in the feed that it is of. */
  ranking(since: number | null, limit: number): Promise<Ranking>;

  /** The newest ID (E13); `null` when there are none. */
  latestId(): Promise<number | null>;
  /** Younger than `since` and not synced since `updatedBefore`, the stalest first (E13). */
  stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]>;

  /** Where the feed ends now. */
  head(): Promise<ChangePosition>;
  /** What changed after a place, in order; `null` when the feed does not reach back so far. */
  changesSince(place: ChangePosition): Promise<ChangePage | null>;

  /** Hiding twice is the same as once (E3). */
  hide(username: string, storyIds: readonly number[], at: number): Promise<void>;
  unhide(username: string, storyIds: readonly number[]): Promise<void>;
  hiddenAmong(username: string, storyIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** What somebody hid, the last first. */
  hidden(username: string, page: HiddenRequest): Promise<HiddenPage>;

  /** What the worker noted for its next run; `null` before the first. */
  loadSyncState(): Promise<SyncState | null>;
  saveSyncState(memory: SyncState): Promise<void>;

  /** Adds to what reading the lists of this set cost on a day, all copies together. */
  addUsage(day: string, use: StoryUsage): Promise<void>;
  usageOf(day: string): Promise<StoryUsage>;

  /** Keeps statistics and feed in order. Cheap; called after each run of the worker. */
  maintain(): Promise<void>;
}

/** What an adapter does by itself; the core supplies the rest. */
export interface StoryStoreAbilities {
  /** How long what others changed may go unnoticed: asking costs something where this is not 0. */
  readonly pollIntervalMs: number;
  /** Where ranked lists are kept for all copies; `null` where an index answers as fast. */
  readonly cache: ListCache | null;
}

export interface NewStory {
  readonly story: Story;
  /** What was stored of it, if the caller has just read it; `null` = nothing. Saves a read where reads cost. */
  readonly before?: Story | null;
}

export interface BestRequest {
  /** Strictly younger than this; `null` = all time. */
  readonly since: number | null;
  /** Only what comes after this place. */
  readonly after: Rank | null;
  readonly limit: number;
  /** Leave out what this person hid. */
  readonly notHiddenBy?: string;
}

export interface BestPage {
  readonly stories: readonly ListedStory[];
  /** Where to go on; `null` when there is nothing more. */
  readonly next: Rank | null;
}

export interface Ranking {
  readonly stories: readonly ListedStory[];
  /** There is nothing beyond these. */
  readonly complete: boolean;
  readonly position: ChangePosition;
}

/** A place in the feed. Later places compare greater as strings. */
export type ChangePosition = string;

export interface ChangePage {
  readonly changes: readonly StoryChange[];
  /** Where to go on. */
  readonly position: ChangePosition;
}

/** One story as lists showed it before and show it now; `null` = not there. */
export interface StoryChange {
  readonly before: ListedStory | null;
  readonly after: ListedStory | null;
}

export interface HiddenRequest {
  readonly limit: number;
  /** From the page before. */
  readonly after?: HiddenStory;
}

export interface HiddenStory {
  readonly id: number;
  readonly addedAt: number;
}

export interface HiddenPage {
  readonly stories: readonly HiddenStory[];
  readonly more: boolean;
}

/** The second layer of the cache (E4, E8): one document for each timespan, shared by all copies. */
export interface ListCache {
  get(timespan: string): Promise<CachedList | null>;
  /** What does not fit into the document is cut from the end. */
  set(timespan: string, list: Pick<CachedList, 'stories' | 'rankedAt'>): Promise<void>;
  clear(): Promise<void>;
}

export interface CachedList {
  readonly stories: readonly ListedStory[];
  /** When it was ranked, in milliseconds; when it was written where another program wrote it. Its time to live begins then. */
  readonly rankedAt: number;
  /** Every change up to its writing was patched in. Not so where another program wrote it. */
  readonly hasChanges: boolean;
  /** Nothing had to be cut from its end. */
  readonly uncut: boolean;
  /** Where in the feed to go on from: it holds every earlier change that the feed still tells. */
  readonly position: ChangePosition;
  /** How long before it was read it was written, by the store's own clock. */
  readonly writtenMsAgo: number;
}

/** What the worker carries from run to run (E14). */
export interface SyncState {
  /** IDs that could not be asked for, or that the API did not have yet. */
  readonly retry: readonly number[];
  /** Stale stories that failed to be refreshed, the longest ago first: others have their turn before them. */
  readonly failing?: readonly number[];
  /** Ranges of IDs that nobody has looked at yet, both ends included. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** A backfill that was begun: the next ID, and the last. */
  readonly backfill: { readonly from: number; readonly to: number; readonly next: number } | null;
  /** For sets that are filled from a pipeline: the change of state up to which its items were taken up. */
  readonly takenUpTo: number | null;
}

export const EMPTY_SYNC_STATE: SyncState = { retry: [], gaps: [], backfill: null, takenUpTo: null };

/** Requests for lists, and the documents read and written for them. */
export interface StoryUsage {
  readonly requests: number;
  readonly reads: number;
  readonly writes: number;
}

export const NO_USAGE: StoryUsage = { requests: 0, reads: 0, writes: 0 };

export function sumUsage(one: StoryUsage, other: StoryUsage): StoryUsage {
  return {
    requests: one.requests + other.requests,
    reads: one.reads + other.reads,
    writes: one.writes + other.writes,
  };
}
