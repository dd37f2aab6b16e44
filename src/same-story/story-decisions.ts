import type { ItemKey } from '../item/item.ts';

export type StoryDecision = 'same' | 'different';

/** Decisions about pairs of items that no rule may undo, for example those of people (Q15). */
export interface StoryDecisions {
  /** The decided pairs of an item: the other item of each pair, and the decision. */
  of(key: ItemKey): ReadonlyMap<ItemKey, StoryDecision>;
}

const NONE: ReadonlyMap<ItemKey, StoryDecision> = new Map();

export const NO_DECISIONS: StoryDecisions = { of: () => NONE };
