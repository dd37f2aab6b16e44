/** Scored stories and who hid what. Lists, caching and ranking are the core's; an adapter stores and selects. */
export interface StoryStore extends AsyncDisposable {
  upsert(stories: readonly Story[]): Promise<void>;
  /** The best by score among those not older than `since` (`null` = all time), best first. */
  top(since: number | null, limit: number): Promise<readonly Story[]>;
  latestId(): Promise<number | null>;
  /** Younger than `since`, not synced after `updatedBefore`, the stalest first (E13). */
  stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]>;
  hide(username: string, storyId: number, at: number): Promise<void>;
  unhide(username: string, storyId: number): Promise<void>;
  hiddenAmong(username: string, storyIds: readonly number[]): Promise<ReadonlySet<number>>;
}

export const TIMESPANS = ['Day', 'Week', 'Month', 'Year', 'All'] as const;
export type Timespan = (typeof TIMESPANS)[number];

export interface Story {
  readonly id: number;
  readonly by: string;
  readonly descendants: number;
  readonly kids: readonly number[];
  readonly score: number;
  /** Milliseconds. */
  readonly time: number;
  readonly title: string;
  readonly url: string;
  /** Milliseconds of the last sync. */
  readonly updated: number;
}
