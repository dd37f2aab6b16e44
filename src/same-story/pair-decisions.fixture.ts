import type { ItemKey } from '../item/item.ts';
import type { StoryDecision, StoryDecisions } from './story-decisions.ts';

const NONE: ReadonlyMap<ItemKey, StoryDecision> = new Map();

/** Decisions in memory. */
export class PairDecisions implements StoryDecisions {
  readonly #pairs = new Map<ItemKey, Map<ItemKey, StoryDecision>>();

  constructor(pairs: Iterable<readonly [ItemKey, ItemKey, StoryDecision]> = []) {
    for (const [one, other, decision] of pairs) this.set(one, other, decision);
  }

  of(key: ItemKey): ReadonlyMap<ItemKey, StoryDecision> {
    return this.#pairs.get(key) ?? NONE;
  }

  set(one: ItemKey, other: ItemKey, decision: StoryDecision): void {
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
