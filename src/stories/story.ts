/** The five lists. */
export const TIMESPANS = ['Day', 'Week', 'Month', 'Year', 'All'] as const;
export type Timespan = (typeof TIMESPANS)[number];

/** The part of a story that a list shows (E4). */
export interface ListedStory {
  /** A non-negative integer, possibly above 32 bits. */
  readonly id: number;
  readonly by: string;
  readonly descendants: number;
  readonly score: number;
  /** Milliseconds. */
  readonly time: number;
  readonly title: string;
  /** Empty for a text post. */
  readonly url: string;
}

/** A stored story (E2). */
export interface Story extends ListedStory {
  readonly kids: readonly number[];
  /** Milliseconds of the last sync. */
  readonly updated: number;
}

/** Sort key of all lists: best score first, then newest ID. */
export interface Rank {
  readonly score: number;
  readonly id: number;
}

/** Negative where `one` comes first. */
export function byRank(one: Rank, other: Rank): number {
  return other.score - one.score || other.id - one.id;
}

/** Reduces a story to what a list shows. */
export function listed({ by, descendants, id, score, time, title, url }: ListedStory): ListedStory {
  return { by, descendants, id, score, time, title, url };
}

/** Whether a list would show both the same. */
export function looksAlike(one: ListedStory, other: ListedStory): boolean {
  return (
    one.score === other.score &&
    one.descendants === other.descendants &&
    one.time === other.time &&
    one.title === other.title &&
    one.url === other.url &&
    one.by === other.by
  );
}

/** Source of stories: Hacker News' public API. */
export interface StoryApi {
  /** IDs of the newest stories, some hundreds. */
  newest(signal: AbortSignal): Promise<ApiResult<readonly number[]>>;
  /** IDs of currently popular stories, which an empty store starts with. */
  liked(signal: AbortSignal): Promise<ApiResult<readonly number[]>>;
  /** The highest existing ID. */
  highest(signal: AbortSignal): Promise<ApiResult<number>>;
  /** Every requested ID is in one of the four. One that fails does not affect the others. */
  stories(ids: readonly number[], now: number, signal: AbortSignal): Promise<StoriesResult>;
}

export type ApiResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

export interface StoriesResult {
  /** Synced at `now`. */
  readonly found: readonly Story[];
  /** Deleted, dead, or not a story: never shown. */
  readonly gone: readonly number[];
  /** Missing or incomplete: may appear later. */
  readonly missing: readonly number[];
  /** The request failed. */
  readonly failed: readonly number[];
  /** Reason of one of the failures. */
  readonly why: string | null;
}
