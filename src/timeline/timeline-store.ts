/**
 * Ordered lists of drop IDs, newest first, each with at most the newest N (C1). Nothing here that cannot be rebuilt.
 * A position is (time, ID), so that a cursor means something even when its drop is gone (C15).
 */
export interface TimelineStore extends AsyncDisposable {
  /**
   * Adds to many timelines at once. For each: checks the tombstone, adds, trims, one atomic step. A home timeline
   * that does not exist (nobody reads it) is not made. Answers the timelines that took it.
   */
  add(entry: TimelineEntry, timelines: readonly TimelineName[]): Promise<readonly TimelineName[]>;
  /** Removes everywhere named and leaves a tombstone: a delete wins in every order (C8). */
  remove(dropId: string, timelines: readonly TimelineName[]): Promise<void>;
  /** `null`: this timeline is not there (never built, evicted) — not the same as empty. */
  page(timeline: TimelineName, range: TimelineRange): Promise<readonly TimelineEntry[] | null>;
  /** Merges a rebuilt list in; what arrived meanwhile stays, what was deleted meanwhile stays away (C16). */
  merge(timeline: TimelineName, entries: readonly TimelineEntry[]): Promise<void>;
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
