import type { Story } from './story.ts';

/** Where stories come from: Hacker News' public API, as the worker asks it. */
export interface StoryApi {
  /** IDs of the newest stories, some hundred. */
  newest(signal: AbortSignal): Promise<ApiAnswer<readonly number[]>>;
  /** IDs of stories that many liked lately: what an empty store begins with. */
  liked(signal: AbortSignal): Promise<ApiAnswer<readonly number[]>>;
  /** The highest ID there is. */
  highest(signal: AbortSignal): Promise<ApiAnswer<number>>;
  /** Every ID that was asked for is in one of the four. One that fails does not touch the others. */
  stories(ids: readonly number[], now: number, signal: AbortSignal): Promise<StoriesAnswer>;
}

export type ApiAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

export interface StoriesAnswer {
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
