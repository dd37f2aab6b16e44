import type { ItemKey } from '../item/item.ts';

/** What two items have in common, each as it is written in one of the titles (Q14). */
export interface CommonGround {
  readonly names: readonly string[];
  readonly figures: readonly string[];
  readonly words: readonly string[];
}

/** Result of comparing two items by the rules alone. */
export interface PairVerdict {
  readonly verdict: 'same' | 'different' | 'in doubt';
  /** Certainty: at least 0 if they are the same story, a little below 0 if it is in doubt. */
  readonly score: number;
  readonly common: CommonGround;
  /** Human-readable reason. */
  readonly why: string;
}

/** Why an item is in its group: which other item it was merged with, and by whom or what. */
export interface MergeReason {
  readonly with: ItemKey;
  /** `decision`: a fixed decision. `second opinion`: the answer for a pair in doubt. */
  readonly by: 'rules' | 'decision' | 'second opinion';
  readonly score: number;
  readonly common: CommonGround;
  /** Human-readable, in one line. */
  readonly why: string;
}

/** One line for people: `the same title; names Larkfield; figures 12%; words ferry, storm`. */
export function describeCommonGround(why: string, { names, figures, words }: CommonGround): string {
  const parts = [
    ['names', names],
    ['figures', figures],
    ['words', words],
  ] as const;
  const given = parts.flatMap(([name, list]) => (list.length === 0 ? [] : `${name} ${list.join(', ')}`));
  return [why, ...given].join('; ');
}
