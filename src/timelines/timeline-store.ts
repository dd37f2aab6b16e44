import { OperationalError } from '../telemetry/errors.ts';
import type { EventNumber } from './cursor.ts';
import type { OriginPage } from './origin.ts';

/**
 * Ordered lists of drop IDs, newest first, each with at most the newest N (C1). All of it can be rebuilt.
 * A position is (time, ID), so that a cursor stays valid when its drop is deleted (C15).
 *
 * A timeline is a window on the data of the post service: it has every drop from the top down to its floor and none
 * below. Trimming raises the floor; a drop that arrives below it is not added, because readers continue at the post
 * service where the window ends (C17).
 *
 * A change of a timeline that has subscribers (see `StreamLog`) is numbered and published to them in the same step.
 * Every method throws `TimelinesUnavailableError` if the store cannot be reached; it recovers by itself.
 */
export interface TimelineStore extends AsyncDisposable {
  /**
   * Adds to many timelines at once. For each: checks the tombstone, adds, trims, numbers the event, one atomic step. A
   * missing home is not created, because it has no reader; missing shared timelines are. Returns the timelines that
   * contain the drop now, including those that had it before.
   */
  add(
    entry: TimelineEntry,
    timelines: readonly TimelineName[],
    options?: AddOptions,
  ): Promise<readonly TimelineName[]>;
  /**
   * Removes the drop from the named timelines and leaves a tombstone: a delete wins in every order (C8). Subscribers are
   * notified if the timeline contained the drop, or may have announced it without containing it.
   */
  remove(dropId: string, timelines: readonly TimelineName[], options?: RemoveOptions): Promise<void>;
  /**
   * Counts as reading (C10). `null`: this timeline does not exist (never built, evicted, being built), which is not the
   * same as empty. `mark` requests the position in the timeline's events too; from then on they are kept for a while.
   */
  page(
    timeline: TimelineName,
    range: TimelineRange,
    options?: { readonly mark?: boolean },
  ): Promise<TimelineWindow | null>;
  /**
   * Begins a rebuild: from now on the timeline accepts drops, though it cannot be read before `merge`. Returns a fencing
   * token; a later rebuild or `evict` invalidates it, so that a rebuild from outdated follows is not stored.
   * `null` while another rebuild, on any replica, has its lease of `leaseMs`.
   */
  beginRebuild(timeline: TimelineName, leaseMs: number): Promise<string | null>;
  /**
   * Begins to change an existing timeline; `null` if there is none. A rebuild under way is invalidated instead and the
   * timeline evicted: it may have read what is changing.
   */
  beginUpdate(timeline: TimelineName): Promise<string | null>;
  /**
   * Merges a list in; drops added meanwhile stay, drops deleted meanwhile do not return (C16). With a token it ends
   * the rebuild that began with it. Returns whether it was stored: not if the token is outdated or, without a
   * token, if there is no such timeline.
   */
  merge(timeline: TimelineName, list: RebuiltList, token?: string): Promise<boolean>;
  /**
   * Evicts a home whose reader no longer follows this author. A fan-out that began before, on any replica, neither
   * writes to it nor notifies its subscribers (C13), until they are joined again.
   */
  sever(home: TimelineName, authorId: string): Promise<void>;
  join(home: TimelineName, authorId: string): Promise<void>;
  /** With a token: only if the rebuild that began with it is still the last one. */
  evict(timeline: TimelineName, token?: string): Promise<void>;
  /** Keeps timelines that have open streams from being evicted as unread (C10). */
  touch(timelines: readonly TimelineName[]): Promise<void>;
  size(timeline: TimelineName): Promise<number | null>;
  /** The time of a drop that this timeline contains, or contained until it was deleted; `null` if unknown. */
  timeOf(timeline: TimelineName, dropId: string): Promise<number | null>;
  /**
   * Entries of discarded windows of a shared timeline (`evict`, a restarted server, another cap), and those too old for a
   * window: newest first, strictly below `before`, without deleted ones. The only source if the post service cannot list
   * public drops.
   */
  evictedEntries(
    timeline: TimelineName,
    range: Pick<TimelineRange, 'limit' | 'before'>,
  ): Promise<readonly TimelineEntry[]>;
}

export interface AddOptions {
  /** A home that was last read before this time is evicted instead of written: it is rebuilt on the next read (C11). */
  readonly activeSince?: number;
  /** The author of the drop: homes that were severed from this author do not accept it. */
  readonly author?: string;
  /**
   * Whether the post service still has the drop. Called if the store may have lost tombstones, so that a late event does
   * not bring a deleted drop back.
   */
  readonly exists?: () => Promise<boolean>;
  /** Creates no shared timeline: one that begins with a very old drop would hide the newer ones. */
  readonly onlyIfPresent?: boolean;
}

export interface RemoveOptions {
  /** The drop was announced to these timelines, which do not contain it (C11). */
  readonly announced?: boolean;
}

/** Author timelines exist only for pull authors, whose drops are merged in on reading (C11). */
export type TimelineName =
  | 'timeline:local'
  | 'timeline:global'
  | `timeline:home:${string}`
  | `timeline:author:${string}`;

export interface TimelineEntry {
  readonly id: string;
  readonly createdAt: number;
}

/** Both ends are exclusive. */
export interface TimelineRange {
  readonly limit: number;
  /** Older than this. */
  readonly before?: TimelineEntry;
  /** Newer than this. */
  readonly after?: TimelineEntry;
}

export interface TimelineWindow {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
  /** Everything at or above this position is in the window; `null`: the window reaches the beginning. */
  readonly floor: TimelineEntry | null;
  /** Every event up to here is in the window. Only if requested. */
  readonly mark?: EventNumber | null;
  /** As last stored by `merge`. */
  readonly pullAuthors?: HomePullAuthors | null;
}

/** The authors whose drops this home does not contain: they are merged in on reading (C11). */
export interface HomePullAuthors {
  /** The version of the list of such authors that this was made from. */
  readonly version: string;
  readonly authors: readonly string[];
  /** The fingerprint of the follows that the home was built from, and when they were last checked. */
  readonly follows?: string;
  readonly checkedAt?: number;
}

export interface RebuiltList {
  readonly entries: readonly TimelineEntry[];
  /** The list has everything at or above this position; `null`: everything there is. */
  readonly floor: TimelineEntry | null;
  readonly pullAuthors?: HomePullAuthors;
  /** The authors that the owner of a home follows, as they were read since its rebuild began: the home is joined to them. */
  readonly following?: readonly string[];
}

/** Number of entries that a timeline keeps unless configured otherwise. */
export const DEFAULT_CAP = 1000;

export function homeTimeline(userId: string): TimelineName {
  return `timeline:home:${userId}`;
}

export function authorTimeline(authorId: string): TimelineName {
  return `timeline:author:${authorId}`;
}

/** Whether the timeline exists permanently from its first drop on; the others exist only while they are read. */
export function isSharedTimeline(timeline: TimelineName): boolean {
  return timeline === 'timeline:local' || timeline === 'timeline:global';
}

/** Whose home it is; `null` for other timelines. */
export function ownerOf(timeline: TimelineName): string | null {
  return timeline.startsWith('timeline:home:') ? timeline.slice('timeline:home:'.length) : null;
}

/** Reads timelines in pages. */
export interface TimelineReader {
  /**
   * Returns a refusal that names the field if the cursor or the limit is invalid. The signal ends the waiting of this
   * reader only: work that is shared with other readers continues.
   */
  page(timeline: TimelineName, ask?: PageRequest, signal?: AbortSignal): Promise<PageResult>;
}

export interface PageRequest {
  /** 1 to 100; 20 where absent (C14). */
  readonly limit?: number;
  /** Only newer than this cursor or drop, exclusive. If more is newer than fits, the newest are returned. */
  readonly sinceId?: string;
  /** Only older than this cursor or drop, exclusive. */
  readonly maxId?: string;
}

export type PageResult =
  | { readonly ok: true; readonly page: TimelinePage }
  | { readonly ok: false; readonly field: 'limit' | 'since_id' | 'max_id'; readonly why: string };

export interface TimelinePage {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
  /** The `maxId` of the next older page, with the same `sinceId`; `null` at the end. */
  readonly older: string | null;
  /** The `sinceId` of a later request, and the `Last-Event-ID` of a stream. */
  readonly newer: string;
}

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/**
 * The authors with so many followers that their drops are merged in on reading, not written (C11). All replicas share
 * the list. Its version changes with it, so that a home notices that its own part of the list is outdated.
 */
export interface PullAuthors {
  /** May be a moment old. */
  list(): Promise<PullAuthorList>;
  add(authorId: string): Promise<void>;
  remove(authorId: string): Promise<void>;
}

export interface PullAuthorList {
  readonly version: string;
  readonly authors: ReadonlySet<string>;
}

/**
 * The drops received by `ap_drop_received` (C9). No post service has them: what is not stored here is lost with the
 * window of the global timeline. Keeps the newest `cap`, as that timeline does.
 */
export interface ReceivedDrops extends AsyncDisposable {
  /** Returns the drops that were not removed before: only these are stored (C8). Idempotent. */
  add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]>;
  /** Also if the drop has not been received yet. */
  remove(dropIds: readonly string[]): Promise<void>;
  /** Newest first, strictly below `before` where given. */
  newest(page: OriginPage): Promise<readonly TimelineEntry[]>;
  /** The most recently removed drops, in no order. */
  removedIds(): Promise<readonly string[]>;
}

/** Number of removed drops that are recorded: more than can be deleted between two events of one drop. */
export const MAX_REMOVED = 10_000;

/** The timeline store cannot be reached. Home is read from the services meanwhile; local and global are unavailable (C18). */
export class TimelinesUnavailableError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'TimelinesUnavailableError';

  constructor(options?: ErrorOptions) {
    super('The timelines cannot be reached now. Try again in a moment.', options);
  }
}
