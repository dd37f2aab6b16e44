import type { Item } from '../item/item.ts';

/** What is done with a video (D11). */
export interface Processor {
  process(item: Item, signal: AbortSignal): Promise<Processed>;
}

export type Processed =
  | { readonly outcome: 'done'; readonly output: string; readonly summary: string | null }
  /** It asked to be tried again later; counts as an attempt. */
  | { readonly outcome: 'later'; readonly detail: string; readonly output: string }
  | { readonly outcome: 'failed'; readonly detail: string; readonly output: string }
  /** The program is being stopped; nothing is known of the video. */
  | { readonly outcome: 'stopped' };
