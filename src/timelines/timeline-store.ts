import { OperationalError } from '../telemetry/errors.ts';
import type { EventNumber } from './cursor.ts';
import type { OriginPage } from './origin.ts';

/**
 * Ordered lists of drop IDs, newest first, each with at most the newest N (C1). Nothing here that cannot be rebuilt.
 * A position is (time, ID), so that a cursor means something even when its drop is gone (C15).
 *
 * A timeline is a window on the truth that the post service keeps: it has every drop from the top down to its floor,
 * and says nothing about what lies below. Trimming raises the floor; a drop that arrives below it is not taken,
 * because reading finds it where the window ends (C17).
 *
 * Whatever changes a timeline that somebody watches (see `StreamLog`) is numbered and told to them in the same step.
 * Every method throws `TimelinesUnavailableError` where the store cannot be reached; it recovers by itself.
 */
export interface TimelineStore extends AsyncDisposable {
  /**
   * Adds to many timelines at once. For each: checks the tombstone, adds, trims, numbers the event, one atomic step. A
   * timeline that is not there is not made, because nobody reads it; only those of everybody are. Answers the timelines
   * that hold it now, whether they took it just now or had it already.
   */
  add(
    entry: TimelineEntry,
    timelines: readonly TimelineName[],
    options?: AddOptions,
  ): Promise<readonly TimelineName[]>;
  /**
   * Removes everywhere named and leaves a tombstone: a delete wins in every order (C8). Who watches is told where the
   * timeline held the drop, or may have announced it without holding it.
   */
  remove(dropId: string, timelines: readonly TimelineName[], options?: RemoveOptions): Promise<void>;
  /**
   * Counts as reading (C10). `null`: this timeline is not there (never built, evicted, being built) — not the same as
   * empty. `mark` asks for the place in the timeline's events too; from then on they are kept for a while.
   */
  page(
    timeline: TimelineName,
    range: TimelineRange,
    options?: { readonly mark?: boolean },
  ): Promise<TimelineWindow | null>;
  /**
   * Begins a rebuild: from now on the timeline takes what is added, though it cannot be read before `merge`. Answers
   * a token; a later rebuild or `drop` makes it worthless, so that a rebuild from outdated follows is not stored.
   * `null` while another rebuild, on any replica, holds its lease of `leaseMs`; one that dies is overtaken after it.
   */
  beginRebuild(timeline: TimelineName, leaseMs: number): Promise<string | null>;
  /**
   * Begins to change a timeline that is there. `null` where there is none. A rebuild under way is made worthless
   * instead, and the timeline is gone: it may have read what is changing.
   */
  beginUpdate(timeline: TimelineName): Promise<string | null>;
  /**
   * Merges a list in; what arrived meanwhile stays, what was deleted meanwhile stays away (C16). With a token it ends
   * the rebuild that began with it. Answers whether it was stored: not when the token is outdated or, without a
   * token, when there is no such timeline.
   */
  merge(timeline: TimelineName, list: RebuiltList, token?: string): Promise<boolean>;
  /**
   * Drops a home whose reader no longer follows this author. A fan-out that began before it, on any replica, does not
   * write to it nor tell who watches it (C13), until they are joined again.
   */
  sever(home: TimelineName, authorId: string): Promise<void>;
  join(home: TimelineName, authorId: string): Promise<void>;
  /** With a token: only if the rebuild that began with it is still the last one. */
  evict(timeline: TimelineName, token?: string): Promise<void>;
  /** Somebody still looks at these, without reading pages (C10). */
  touch(timelines: readonly TimelineName[]): Promise<void>;
  size(timeline: TimelineName): Promise<number | null>;
  /** The time of a drop that this timeline holds, or held until it was deleted; `null` where that is not known. */
  timeOf(timeline: TimelineName, dropId: string): Promise<number | null>;
  /**
   * What a timeline of everybody held in windows that were given up (`drop`, a server that was restarted, another cap), or was too
   * old for one, newest first, strictly below `before`, without what was deleted: all there is where the post service cannot list public drops.
   */
  evictedEntries(
    timeline: TimelineName,
    range: Pick<TimelineRange, 'limit' | 'before'>,
  ): Promise<readonly TimelineEntry[]>;
}

export interface AddOptions {
  /** A home that was last read before this time is not written but dropped: it is rebuilt on return (C11). */
  readonly activeSince?: number;
  /** Whose drop it is: homes that were severed from this author do not take it. */
  readonly author?: string;
  /**
   * Whether the post service still has the drop. Asked where the store may have lost what it knew of deletions, so that a drop whose
   * event comes late does not return.
   */
  readonly exists?: () => Promise<boolean>;
  /** Makes no timeline of everybody: the drop may be far older than others, which a timeline that begins with it would hide. */
  readonly onlyIfPresent?: boolean;
}

export interface RemoveOptions {
  /** The drop was announced to these timelines, which do not hold it (C11). */
  readonly announced?: boolean;
}

/** An author's own timeline is kept for those whose drops are merged in on reading (C11). */
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
  /** Every event up to here is in the window. Only where it was asked for. */
  readonly mark?: EventNumber | null;
  /** As `merge` was told last. */
  readonly pullAuthors?: HomePullAuthors | null;
}

/** The authors whose drops this home does not hold: they are merged in on reading (C11). */
export interface HomePullAuthors {
  /** The version of the list of such authors that this was made from. */
  readonly version: string;
  readonly authors: readonly string[];
  /** The fingerprint of the follows that the home was built from, and when they were last asked for. */
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

/** How many of the newest a timeline holds where nothing else is configured. */
export const DEFAULT_CAP = 1000;

export function homeTimeline(userId: string): TimelineName {
  return `timeline:home:${userId}`;
}

export function authorTimeline(authorId: string): TimelineName {
  return `timeline:author:${authorId}`;
}

/** Whether it exists from its first drop on, and for ever; the others exist for those who read them. */
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
   * Refused with a value where the cursor or the limit makes no sense; the field is named. The signal ends the waiting
   * of this reader alone: what others wait for too goes on.
   */
  page(timeline: TimelineName, ask?: PageRequest, signal?: AbortSignal): Promise<PageResult>;
}

export interface PageRequest {
  /** 1 to 100; 20 where absent (C14). */
  readonly limit?: number;
  /** Only newer than this cursor or drop, exclusive. Where more is newer than fits, it is the newest that is shown. */
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
  /** As `maxId` of the next page down; `null` at the end. Keep the same `sinceId` with it. */
  readonly older: string | null;
  /** As `sinceId` when asking later, and as `Last-Event-ID` of a stream. */
  readonly newer: string;
}

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/**
 * The authors with so many followers that nobody is written to: their drops are merged in on reading (C11). All copies
 * share the list. Its version changes with it, so that a home notices that its own part of the list is outdated.
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
 * The drops that came by `ap_drop_received` (C9). No post service has them: what is not kept here is lost with the
 * window of the global timeline. Holds the newest `cap`, as that timeline does.
 */
export interface ReceivedDrops extends AsyncDisposable {
  /** Answers those that were not removed before: only these are taken (C8). Keeping twice changes nothing. */
  add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]>;
  /** Also where the drop has not come yet. */
  remove(dropIds: readonly string[]): Promise<void>;
  /** Newest first, strictly below `before` where given. */
  newest(page: OriginPage): Promise<readonly TimelineEntry[]>;
  /** The last ones that were removed, in no order. */
  removedIds(): Promise<readonly string[]>;
}

/** So many removed drops are remembered: more than can be deleted between two events of one drop. */
export const MAX_REMOVED = 10_000;

/** The timelines cannot be reached now. Home is read from the services meanwhile; local and global are not there (C18). */
export class TimelinesUnavailableError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'TimelinesUnavailableError';

  constructor(options?: ErrorOptions) {
    super('The timelines cannot be reached now. Try again in a moment.', options);
  }
}
