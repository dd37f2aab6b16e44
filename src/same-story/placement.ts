import type { ItemKey } from '../item/item.ts';
import { commonGround } from './compare.ts';
import { describeCommonGround, type MergeReason, type PairVerdict } from './merge-reason.ts';
import { StoryFeatures, type StoryText } from './story-features.ts';

/** The part of an item that stories are compared by. */
export interface StoryItem extends StoryText {
  readonly key: ItemKey;
  readonly publishedAt: number;
}

/** Two items that may be about the same story, and that the rules leave apart. */
export interface PairInDoubt {
  readonly one: StoryItem;
  readonly other: StoryItem;
  readonly verdict: PairVerdict;
}

export interface Placement {
  /** The key of the group's first item; the item's own if it is alone. */
  readonly group: ItemKey;
  /** All items of the group so far, the first one first, this one included. */
  readonly members: readonly ItemKey[];
  /** Why the item was merged; `null` if it began its group. Stays the same until the item is separated. */
  readonly reason: MergeReason | null;
  /** Pairs in doubt without a decision, the likeliest first; only of the item that was added just now. */
  readonly doubts: readonly PairInDoubt[];
}

/** Why an item was merged; what both have in common is computed when it is asked for. */
export interface Merge {
  readonly other: number;
  /** The member of the item's group that was compared with the other one, if it was not the item. */
  readonly member?: number;
  readonly by: MergeReason['by'];
  readonly score: number;
  readonly why: string;
}

/** The reason is computed when it is read: most are not. */
export class Placed implements Placement {
  readonly group: ItemKey;
  readonly members: readonly ItemKey[];
  readonly doubts: readonly PairInDoubt[];
  readonly #giveReason: () => MergeReason | null;

  constructor(
    group: ItemKey,
    members: readonly ItemKey[],
    doubts: readonly PairInDoubt[],
    giveReason: () => MergeReason | null,
  ) {
    this.group = group;
    this.members = members;
    this.doubts = doubts;
    this.#giveReason = giveReason;
  }

  get reason(): MergeReason | null {
    return this.#giveReason();
  }
}

/** The verdict is computed when it is read. */
export class Doubt implements PairInDoubt {
  readonly one: StoryItem;
  readonly other: StoryItem;
  readonly #giveVerdict: () => PairVerdict;

  constructor(one: StoryItem, other: StoryItem, giveVerdict: () => PairVerdict) {
    this.one = one;
    this.other = other;
    this.#giveVerdict = giveVerdict;
  }

  get verdict(): PairVerdict {
    return { ...this.#giveVerdict(), verdict: 'in doubt' };
  }
}

export function reasonOf({ by, score, why }: Merge, item: StoryItem, other: StoryItem): MergeReason {
  const common = commonGround(new StoryFeatures(item), new StoryFeatures(other));
  return { with: other.key, by, score, common, why: describeCommonGround(why, common) };
}
