/** The five lists that people read. */
export const TIMESPANS = ['Day', 'Week', 'Month', 'Year', 'All'] as const;
export type Timespan = (typeof TIMESPANS)[number];

/** What a list shows of a story (E4). */
export interface ListedStory {
  /** A non-negative integer, also beyond 32 bits. */
  readonly id: number;
  readonly by: string;
  readonly descendants: number;
  readonly score: number;
  /** Milliseconds. */
  readonly time: number;
  readonly title: string;
  /** Empty for a text of its own. */
  readonly url: string;
}

/** A story as it is stored (E2). */
export interface Story extends ListedStory {
  readonly kids: readonly number[];
  /** Milliseconds of the last sync. */
  readonly updated: number;
}

/** A place in the order of all lists: the best score first, of equal ones the newest ID. */
export interface Rank {
  readonly score: number;
  readonly id: number;
}

/** Negative where `one` comes first. */
export function byRank(one: Rank, other: Rank): number {
  return other.score - one.score || other.id - one.id;
}

/** Only what a list shows. */
export function listed({ by, descendants, id, score, time, title, url }: ListedStory): ListedStory {
  return { by, descendants, id, score, time, title, url };
}

/** Whether a list would show the two alike. */
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

/** Where stories come from: Hacker News' public API, as the worker asks it. */
export interface StoryApi {
  /** IDs of the newest stories, some hundred. */
  newest(signal: AbortSignal): Promise<ApiResult<readonly number[]>>;
  /** IDs of stories that many liked lately: what an empty store begins with. */
  liked(signal: AbortSignal): Promise<ApiResult<readonly number[]>>;
  /** The highest ID there is. */
  highest(signal: AbortSignal): Promise<ApiResult<number>>;
  /** Every ID that was asked for is in one of the four. One that fails does not touch the others. */
  stories(ids: readonly number[], now: number, signal: AbortSignal): Promise<StoriesResult>;
}

export type ApiResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

export interface StoriesResult {
  /** Synced at `now`. */
  readonly found: readonly Story[];
  /** Deleted, dead, or no story at all: never to be shown. */
  readonly gone: readonly number[];
  /** Nothing there yet, or half of it: may come. */
  readonly missing: readonly number[];
  /** Could not be asked. */
  readonly failed: readonly number[];
  /** The trouble of one that failed. */
  readonly why: string | null;
}
