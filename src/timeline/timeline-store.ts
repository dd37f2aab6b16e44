/**
 * Ordered lists of drop IDs, newest first, each with at most the newest N (C1). Nothing here that cannot be rebuilt.
 * A position is (time, ID), so that a cursor means something even when its drop is gone (C15).
 *
 * A timeline is a window on the truth that the post service keeps: it has every drop from the top down to its floor,
 * and says nothing about what lies below. Trimming raises the floor; a drop that arrives below it is not taken,
 * because reading finds it where the window ends (C17).
 */
export interface TimelineStore extends AsyncDisposable {
  /**
   * Adds to many timelines at once. For each: checks the tombstone, adds, trims, one atomic step. A home timeline
   * that does not exist (nobody reads it) is not made. Answers the timelines that hold it now, whether they took it
   * just now or had it already, so that an event handled twice is announced at least once.
   */
  add(entry: TimelineEntry, timelines: readonly TimelineName[]): Promise<readonly TimelineName[]>;
  /** Removes everywhere named and leaves a tombstone: a delete wins in every order (C8). */
  remove(dropId: string, timelines: readonly TimelineName[]): Promise<void>;
  /** `null`: this timeline is not there (never built, evicted, being built) — not the same as empty. */
  page(timeline: TimelineName, range: TimelineRange): Promise<TimelineWindow | null>;
  /**
   * Begins a rebuild: from now on the timeline takes what is added, though it cannot be read before `merge`. Answers
   * a token; a later `begin` or `drop` makes it worthless, so that a rebuild from outdated follows is not stored.
   */
  begin(timeline: TimelineName): Promise<string>;
  /**
   * Merges a list in; what arrived meanwhile stays, what was deleted meanwhile stays away (C16). With a token it ends
   * the rebuild that began with it. Answers whether it was stored: not when the token is outdated or, without a
   * token, when there is no such timeline.
   */
  merge(timeline: TimelineName, list: RebuiltList, token?: string): Promise<boolean>;
  drop(timeline: TimelineName): Promise<void>;
  size(timeline: TimelineName): Promise<number | null>;
}

export type TimelineName = 'timeline:local' | 'timeline:global' | `timeline:home:${string}`;

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
}

export interface RebuiltList {
  readonly entries: readonly TimelineEntry[];
  /** The list has everything at or above this position; `null`: everything there is. */
  readonly floor: TimelineEntry | null;
}

/** How many of the newest a timeline holds where nothing else is configured. */
export const DEFAULT_CAP = 1000;

export function homeOf(userId: string): TimelineName {
  return `timeline:home:${userId}`;
}

/** Whose home it is; `null` for the timelines of everybody. */
export function ownerOf(timeline: TimelineName): string | null {
  return timeline.startsWith('timeline:home:') ? timeline.slice('timeline:home:'.length) : null;
}
