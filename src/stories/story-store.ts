import type { ListedStory, Rank, Story } from './story.ts';

/**
 * Scored stories of one set (Hacker News, or those scored by one pipeline's judge), and hidden stories. Lists, caches and pages
 * belong to the core; an adapter stores, selects, and keeps a change feed by which every replica updates its lists
 * and from which a page of an older list is reconstructed (E10).
 */
export interface StoryStore extends AsyncDisposable {
  readonly abilities: StoryStoreAbilities;

  /** Upserts in small batches, each atomic together with its entries in the feed. Idempotent. */
  upsert(stories: readonly NewStory[]): Promise<void>;
  /** Removes deleted and dead stories from every list. Unknown IDs are ignored. */
  remove(ids: readonly number[]): Promise<void>;
  /** The existing ones of these, in any order. */
  find(ids: readonly number[]): Promise<readonly Story[]>;

  /**
   * The best by score among those younger than `since`, best first (E7), from an index where the adapter has one. A call
   * reads a bounded number of stories: it may return fewer than requested, even none, with a position to continue from.
   */
  best(ask: BestRequest): Promise<BestPage>;
  /** The first `limit` of all stories younger than `since`, ranked, with their position in the feed. */
  ranking(since: number | null, limit: number): Promise<Ranking>;

  /** The newest ID (E13); `null` when there are none. */
  latestId(): Promise<number | null>;
  /** Younger than `since` and last synced before `updatedBefore`, stalest first (E13). */
  stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]>;

  /** The current end of the feed. */
  head(): Promise<ChangePosition>;
  /** Changes after a position, in order; `null` when the feed does not reach back that far. */
  changesSince(place: ChangePosition): Promise<ChangePage | null>;

  /** Idempotent (E3). */
  hide(username: string, storyIds: readonly number[], at: number): Promise<void>;
  unhide(username: string, storyIds: readonly number[]): Promise<void>;
  hiddenAmong(username: string, storyIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Stories hidden by a user, the last hidden first. */
  hidden(username: string, page: HiddenRequest): Promise<HiddenPage>;

  /** State of the worker from its last run; `null` before the first. */
  loadSyncState(): Promise<SyncState | null>;
  saveSyncState(state: SyncState): Promise<void>;

  /** Adds to the cost of reading this set's lists on a day, in all replicas. */
  addUsage(day: string, use: StoryUsage): Promise<void>;
  usageOf(day: string): Promise<StoryUsage>;

  /** Maintains statistics and prunes the feed. Cheap; called after each run of the worker. */
  maintain(): Promise<void>;
}

/** What an adapter supports; the core supplies the rest. */
export interface StoryStoreAbilities {
  /** Maximum delay until changes of other replicas are seen; above 0 where polling costs something. */
  readonly pollIntervalMs: number;
  /** Cache of ranked lists shared by all replicas; `null` where an index is as fast. */
  readonly cache: ListCache | null;
}

export interface NewStory {
  readonly story: Story;
  /** The stored version, if the caller has just read it; `null` = none. Saves a read where reads are billed. */
  readonly before?: Story | null;
}

export interface BestRequest {
  /** Strictly younger than this; `null` = all time. */
  readonly since: number | null;
  /** Only stories ranked after this. */
  readonly after: Rank | null;
  readonly limit: number;
  /** Leaves out the stories hidden by this user. */
  readonly notHiddenBy?: string;
}

export interface BestPage {
  readonly stories: readonly ListedStory[];
  /** Where to continue; `null` at the end. */
  readonly next: Rank | null;
}

export interface Ranking {
  readonly stories: readonly ListedStory[];
  /** Whether these are all. */
  readonly complete: boolean;
  readonly position: ChangePosition;
}

/** A position in the feed. Later positions compare greater as strings. */
export type ChangePosition = string;

export interface ChangePage {
  readonly changes: readonly StoryChange[];
  /** Where to continue. */
  readonly position: ChangePosition;
}

/** One story as lists showed it before and show it now; `null` = absent. */
export interface StoryChange {
  readonly before: ListedStory | null;
  readonly after: ListedStory | null;
}

export interface HiddenRequest {
  readonly limit: number;
  /** Cursor of the previous page. */
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

/** The second cache layer (E4, E8): one document per timespan, shared by all replicas. */
export interface ListCache {
  get(timespan: string): Promise<CachedList | null>;
  /** Truncates the list if it does not fit into the document. */
  set(timespan: string, list: Pick<CachedList, 'stories' | 'rankedAt'>): Promise<void>;
  clear(): Promise<void>;
}

export interface CachedList {
  readonly stories: readonly ListedStory[];
  /** When it was ranked, in milliseconds; when it was written if another program wrote it. Its time to live starts then. */
  readonly rankedAt: number;
  /** Whether every change up to its writing was patched in; false if another program wrote it. */
  readonly hasChanges: boolean;
  /** Whether it was not truncated. */
  readonly uncut: boolean;
  /** Where in the feed to continue: it contains every earlier change that is still in the feed. */
  readonly position: ChangePosition;
  /** Its age when it was read, by the store's own clock. */
  readonly writtenMsAgo: number;
}

/** State that the worker keeps between runs (E14). */
export interface SyncState {
  /** IDs whose request failed, or that the API did not have yet. */
  readonly retry: readonly number[];
  /** Stale stories that failed to refresh, the longest ago first: others are refreshed before them. */
  readonly failing?: readonly number[];
  /** Ranges of IDs not fetched yet, both ends inclusive. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** An unfinished backfill: the next ID, and the last. */
  readonly backfill: { readonly from: number; readonly to: number; readonly next: number } | null;
  /** For sets filled from a pipeline: the change of state up to which its items were synced. */
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
