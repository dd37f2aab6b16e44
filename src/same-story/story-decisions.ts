import type { ItemKey } from '../item/item.ts';

export type StoryDecision = 'same' | 'different';

/** Decisions about pairs of items that no rule may undo, for example those of people (Q15). */
export interface StoryDecisions {
  /** The decided pairs of an item: the other item of each pair, and the decision. */
  of(key: ItemKey): ReadonlyMap<ItemKey, StoryDecision>;
}

const NONE: ReadonlyMap<ItemKey, StoryDecision> = new Map();

export const NO_DECISIONS: StoryDecisions = { of: () => NONE };

/** Decisions in memory; a later decision about a pair replaces the earlier one. */
export class PairDecisions implements StoryDecisions {
  readonly #pairs = new Map<ItemKey, Map<ItemKey, StoryDecision>>();

  constructor(pairs: Iterable<readonly [ItemKey, ItemKey, StoryDecision]> = []) {
    for (const [one, other, decision] of pairs) this.set(one, other, decision);
  }

  of(key: ItemKey): ReadonlyMap<ItemKey, StoryDecision> {
    return this.#pairs.get(key) ?? NONE;
  }

  set(one: ItemKey, other: ItemKey, decision: StoryDecision): void {
    if (one === other) return;
    this.#half(one).set(other, decision);
    this.#half(other).set(one, decision);
  }

  #half(key: ItemKey): Map<ItemKey, StoryDecision> {
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const added = new Map<ItemKey, StoryDecision>();
    this.#pairs.set(key, added);
    return added;
  }
}
