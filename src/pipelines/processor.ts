import type { Item } from '../item/item.ts';
import type { Judgement } from '../judge/judge.ts';

/** What is done with a video (D11). */
export interface Processor {
  process(item: Item, signal: AbortSignal): Promise<Processed>;
}

export type Processed =
  | { readonly outcome: 'done'; readonly output: string; readonly summary: string | null }
  /** The judge has no answer now: what that means for the item is the same as in every other pipeline (X18). */
  | { readonly outcome: 'unanswered'; readonly judged: Judgement<unknown> & { outcome: 'later' } }
  /** It asked to be tried again later; counts as an attempt. */
  | { readonly outcome: 'later'; readonly detail: string; readonly output: string }
  | { readonly outcome: 'failed'; readonly detail: string; readonly output: string }
  /** The program is being stopped; nothing is known of the video. */
  | { readonly outcome: 'stopped' };
