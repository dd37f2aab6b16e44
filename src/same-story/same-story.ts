import type { ItemKey } from '../item/item.ts';
import { type Comparison, compareStories, isInDoubt, OTHER_PARTS, pairVerdict } from './compare.ts';
import { FeatureCache } from './feature-cache.ts';
import { coveredShare } from './headline.ts';
import { LargeGroups, type Typical } from './large-groups.ts';
import type { PairVerdict } from './merge-reason.ts';
import {
  Doubt,
  type Merge,
  type PairInDoubt,
  Placed,
  type Placement,
  reasonOf,
  type StoryItem,
} from './placement.ts';
import { areOtherParts, type Figures } from './quantities.ts';
import { NO_DECISIONS, type StoryDecision, type StoryDecisions } from './story-decisions.ts';
import { StoryFeatures } from './story-features.ts';
import type { Word } from './word.ts';
import { searchTerms, WordIndex, WordWeights, weightedTerms } from './word-index.ts';

export type { PairInDoubt, Placement, StoryItem } from './placement.ts';

export interface StoryGroupsOptions {
  /** Items further apart are two stories: the same headline recurs every week. */
  readonly windowMs?: number;
  /** Fixed decisions. They are looked up when an item is added; `join` and `separate` apply later ones. */
  readonly decisions?: StoryDecisions;
  /**
   * Whether two items may be in one story when an item that belongs to both of their groups joins these; by default always.
   */
  readonly mayJoin?: (key: ItemKey, otherKey: ItemKey) => boolean;
  /** Whether an item is compared with another one when it is added: two of one source are two stories. By default always. */
  readonly mayCompare?: (key: ItemKey, otherKey: ItemKey) => boolean;
  /**
   * Second opinion on a pair in doubt: whether it is the same story; `null` if unknown, then the rules decide. A slow one
   * is asked after `add` about `Placement.doubts`, and its answers are applied with `join`.
   */
  readonly decideDoubt?: (pair: PairInDoubt) => boolean | null;
}

const DAY = 24 * 3_600_000;
/** Number of candidates: those that share most. Parts of a series are dismissed at once; of the others these are compared. */
const MAX_CANDIDATES = 16;
const MAX_COMPARED = 6;
/** The same for an item that has found its group: it may belong to another one too, and show that both are one story. */
const MAX_COMPARED_OF_MEMBER = 8;
/** A match with a higher surplus ends the search. */
const CERTAIN_SURPLUS = 2.5;
/** A pair with a higher surplus is sure: the rest of the group does not matter. */
const SURE_SURPLUS = 1.5;
/** Number of members of a group that are compared, and how far below 0 their average surplus may be. */
const MAX_MEMBERS_CHECKED = 3;
const GROUP_TOLERANCE = 1;

/** The larger a group, the more an error hides: each doubling of its size asks for this much more surplus, up to a maximum. */
const SURPLUS_PER_DOUBLING = 0.4;
const MAX_SURPLUS_OF_GROUP = 2;

/** Maximum of pairs in doubt that are returned for an item. */
const MAX_DOUBTS = 3;
const NO_DOUBTS: readonly PairInDoubt[] = [];
const NO_MATCHES: readonly Merge[] = [];
const NO_GROUPS: ReadonlySet<number> = new Set();
const WHY_DECISION = 'decided by a person';
const WHY_SECOND_OPINION = 'decided by a second opinion';
const WHY_TYPICAL = 'typical words of a large story';

/**
 * Groups items of several sources about the same story as they arrive (X3): add an item, get its group. Groups only
 * point at items; nothing is hidden, and a person can remove an item from its group. Fixed decisions come before the
 * rules, the rules before a second opinion.
 */
export class StoryGroups {
  readonly #windowMs: number;
  readonly #decisions: StoryDecisions;
  readonly #decideDoubt: (pair: PairInDoubt) => boolean | null;
  readonly #mayJoin: (key: ItemKey, otherKey: ItemKey) => boolean;
  readonly #mayCompare: (key: ItemKey, otherKey: ItemKey) => boolean;
  #weights = new WordWeights();
  #index = new WordIndex();
  #items: StoryItem[] = [];
  #numbers = new Map<ItemKey, number>();
  /** For each item the first one of its group. */
  #first: number[] = [];
  #members = new Map<number, number[]>();
  #merges = new Map<number, Merge>();
  #figures: Figures[] = [];
  #features = new FeatureCache();
  readonly #largeGroups = new LargeGroups({
    groupOf: (number) => this.#first[number] ?? number,
    sizeOf: (group) => this.#members.get(group)?.length ?? 1,
    membersOf: (number) => this.#membersOf(number),
    featuresOf: (number) => this.#featuresOf(number),
    compare: (features, number) => compareStories(features, this.#featuresOf(number), this.#weigh),
    itemsWith: (word, limit) => this.#index.itemsWith(word, limit),
    countOf: (word) => this.#weights.countOf(word),
    count: () => this.#items.length,
  });
  /** Items that were removed from a group: they join no other one by its growth. */
  #separated = new Set<number>();

  constructor(options: StoryGroupsOptions = {}) {
    this.#windowMs = options.windowMs ?? 3 * DAY;
    this.#decisions = options.decisions ?? NO_DECISIONS;
    this.#decideDoubt = options.decideDoubt ?? (() => null);
    this.#mayJoin = options.mayJoin ?? (() => true);
    this.#mayCompare = options.mayCompare ?? (() => true);
  }

  get size(): number {
    return this.#items.length;
  }

  /** Finds the group of an item, or begins a new one. A known item stays in its group. */
  add(item: StoryItem): Placement {
    const known = this.#numbers.get(item.key);
    if (known !== undefined) return this.#placement(known);
    const features = new StoryFeatures(item);
    const words = searchTerms(features);
    const decided = this.#decisions.of(item.key);
    const doubts: PairInDoubt[] = [];
    const matches = this.#isDecided(decided) ? NO_MATCHES : this.#matches(item, features, words, doubts);
    const number = this.#store(item, features, words);
    this.#first[number] = number;
    if (matches.length === 0) this.#weights.addStory(words);
    for (const [n, match] of matches.entries())
      if (n === 0) this.#merge(number, match);
      else if (this.#shareWord(number, matches[0]?.other ?? number, match.other))
        this.#joinGroups(number, match);
    for (const [other, decision] of decided) if (decision === 'same') this.#joinByDecision(number, other);
    this.#gather(number);
    return this.#placement(number, doubts);
  }

  /** The group of an item; `null` if it is not known (any more). */
  find(key: ItemKey): Placement | null {
    const number = this.#numbers.get(key);
    return number === undefined ? null : this.#placement(number);
  }

  /**
   * Merges the groups of two items, after a decision or a second opinion. Nothing changes if one is not known, or if a
   * fixed decision says that two of their members are different stories. Returns whether they are in one group now.
   */
  join(key: ItemKey, otherKey: ItemKey, by: 'decision' | 'second opinion'): boolean {
    const [number, other] = [this.#numbers.get(key), this.#numbers.get(otherKey)];
    if (number === undefined || other === undefined) return false;
    if (by === 'decision') return this.#joinByDecision(number, otherKey);
    if (this.#areApart(number, other)) return false;
    const { score } = this.compare(key, otherKey) ?? { score: 0 };
    this.#merge(number, { other, by, score, why: WHY_SECOND_OPINION });
    return true;
  }

  /** Removes an item from its group: it was merged by mistake. */
  separate(key: ItemKey): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    this.#separate(number);
    this.#separated.add(number);
  }

  /** Compares two known items with the weights of all; `null` if one is not known. */
  compare(key: ItemKey, otherKey: ItemKey): PairVerdict | null {
    const [number, other] = [this.#numbers.get(key), this.#numbers.get(otherKey)];
    if (number === undefined || other === undefined) return null;
    return pairVerdict(this.#featuresOf(number), this.#featuresOf(other), this.#weigh);
  }

  /** Removes older items; the others keep their groups. */
  removeOlderThan(before: number): void {
    const kept = this.#items
      .map((item, number) => ({ item, number }))
      .filter(({ item }) => item.publishedAt >= before);
    const [first, merges] = [this.#first, this.#merges];
    this.#weights = new WordWeights();
    this.#index = new WordIndex();
    [this.#items, this.#first, this.#figures] = [[], [], []];
    this.#features = new FeatureCache();
    this.#numbers = new Map();
    this.#members = new Map();
    this.#merges = new Map();
    this.#largeGroups.clear();
    const separated = this.#separated;
    this.#separated = new Set();
    const heirs = new Map<number, number>();
    const moves = new Map<number, number>();
    for (const { item, number } of kept) {
      const features = new StoryFeatures(item);
      const moved = this.#store(item, features, searchTerms(features));
      moves.set(number, moved);
      if (separated.has(number)) this.#separated.add(moved);
      const group = first[number] ?? number;
      const heir = heirs.get(group) ?? moved;
      heirs.set(group, heir);
      this.#first[moved] = heir;
      if (heir === moved) this.#weights.addStory(searchTerms(features));
      if (heir !== moved) this.#members.set(heir, [...(this.#members.get(heir) ?? [heir]), moved]);
    }
    for (const heir of heirs.values()) this.#largeGroups.grown(heir);
    for (const [number, merge] of merges) {
      const [moved, other, member] = [number, merge.other, merge.member ?? number].map((each) =>
        moves.get(each),
      );
      if (moved === undefined || other === undefined || member === undefined) continue;
      this.#merges.set(moved, { ...merge, other, member });
    }
  }

  #merge(number: number, merge: Merge): void {
    const [own, first] = [this.#first[number] ?? number, this.#first[merge.other] ?? merge.other];
    if (own === first) return;
    const moved = this.#members.get(own) ?? [own];
    this.#members.delete(own);
    this.#largeGroups.ended(own);
    for (const member of moved) this.#first[member] = first;
    const members = this.#members.get(first);
    if (members === undefined) this.#members.set(first, [first, ...moved]);
    else members.push(...moved);
    this.#largeGroups.grown(first);
    this.#merges.set(number, merge);
  }

  /** Members that were merged by the rules give way to a decision against them. */
  #joinByDecision(number: number, otherKey: ItemKey): boolean {
    const other = this.#numbers.get(otherKey);
    if (other === undefined) return false;
    const apart = this.#decidedApart(number);
    for (const member of [...this.#membersOf(other)])
      if (apart.has(member) && member !== other && this.#merges.get(member)?.by !== 'decision')
        this.#separate(member);
    if (this.#areApart(number, other)) return false;
    const { score } = this.compare(this.#keyOf(number), otherKey) ?? { score: 0 };
    this.#merge(number, { other, by: 'decision', score, why: WHY_DECISION });
    return true;
  }

  /** Whether a fixed decision stands between any two members of two groups. */
  #areApart(number: number, other: number): boolean {
    const others = new Set(this.#membersOf(other));
    return this.#membersOf(number).some((member) =>
      [...this.#decidedApart(member)].some((apart) => others.has(apart)),
    );
  }

  /** The known items that are decided to be other stories than this one. */
  #decidedApart(number: number): ReadonlySet<number> {
    const apart = new Set<number>();
    for (const [key, decision] of this.#decisions.of(this.#keyOf(number))) {
      const other = decision === 'different' ? this.#numbers.get(key) : undefined;
      if (other !== undefined) apart.add(other);
    }
    return apart;
  }

  #separate(number: number): void {
    const first = this.#first[number] ?? number;
    const others = (this.#members.get(first) ?? []).filter((member) => member !== number);
    this.#members.delete(first);
    this.#largeGroups.ended(first);
    this.#merges.delete(number);
    this.#first[number] = number;
    const [heir] = others;
    if (heir === undefined) return;
    for (const other of others) this.#first[other] = heir;
    if (others.length > 1) this.#members.set(heir, others);
    this.#largeGroups.grown(heir);
  }

  #membersOf(number: number): readonly number[] {
    const first = this.#first[number] ?? number;
    return this.#members.get(first) ?? [first];
  }

  #store(item: StoryItem, features: StoryFeatures, words: readonly number[]): number {
    const number = this.#items.push(item) - 1;
    this.#numbers.set(item.key, number);
    this.#figures[number] = features.figures;
    this.#index.add(number, words);
    this.#weights.add(weightedTerms(features, words));
    this.#features.set(number, features);
    return number;
  }

  readonly #weighTerm = (term: number): number => this.#weights.of(term);
  readonly #weigh = ({ hash }: Word): number => this.#weights.evidenceOf(hash);

  /** The best match, and those in other groups; none for an item that begins its own. */
  #matches(
    item: StoryItem,
    features: StoryFeatures,
    words: readonly number[],
    doubts: PairInDoubt[],
  ): readonly Merge[] {
    const compare = (number: number): Comparison => {
      // Features that were evicted are computed again only if they are no parts of a series.
      const figures = this.#figures[number];
      if (figures !== undefined && areOtherParts(features.figures, figures)) return OTHER_PARTS;
      return compareStories(features, this.#featuresOf(number), this.#weigh);
    };
    const apart = this.#groupsApart(item.key);
    const matches: Merge[] = [];
    let compared = 0;
    const unsure: { readonly number: number; readonly score: number }[] = [];
    const candidates = this.#candidates(item, words);
    for (const number of candidates) {
      const group = this.#first[number] ?? number;
      if (apart.has(group) || matches.some(({ other }) => this.#first[other] === group)) continue;
      const found = compare(number);
      if (found === OTHER_PARTS) continue;
      if (compared++ === (matches.length === 0 ? MAX_COMPARED : MAX_COMPARED_OF_MEMBER)) break;
      const { same, surplus, why } = found;
      if (isInDoubt(surplus)) unsure.push({ number, score: surplus });
      if (!same) continue;
      if (surplus < this.#requiredSurplus(group, matches[0])) {
        unsure.push({ number, score: surplus });
        continue;
      }
      if (matches.length === 0 && surplus <= CERTAIN_SURPLUS && !this.#fitsGroup(number, surplus, compare)) {
        unsure.push({ number, score: surplus });
        continue;
      }
      matches.push({ other: number, by: 'rules', score: surplus, why });
      if (surplus > CERTAIN_SURPLUS) break;
    }
    if (matches.length > 0) return matches.sort((a, b) => b.score - a.score);
    const typical = this.#largeGroups.bestFor(features, candidates, apart);
    if (typical !== null) return [typicalOf(typical)];
    const decided = unsure.length === 0 ? null : this.#secondOpinion(item, features, unsure, doubts);
    return decided === null ? NO_MATCHES : [decided];
  }

  /** `match`: the one by which the item has its group already, and the other one would be joined to that. */
  #requiredSurplus(group: number, match: Merge | undefined): number {
    const size =
      this.#membersOf(group).length * (match === undefined ? 1 : this.#membersOf(match.other).length);
    return Math.min(MAX_SURPLUS_OF_GROUP, SURPLUS_PER_DOUBLING * Math.log2(size));
  }

  /** One similar member is not enough if the item contradicts another one, or does not fit the rest of the group. */
  #fitsGroup(number: number, surplus: number, compare: (number: number) => Comparison): boolean {
    let sum = surplus;
    const others = this.#othersOf(number);
    for (const other of others) {
      const compared = compare(other);
      if (compared.isContradiction === true) return false;
      sum += compared.surplus;
    }
    return surplus >= SURE_SURPLUS || sum / (others.length + 1) >= -GROUP_TOLERANCE;
  }

  /**
   * Joins the group of an item and another one that it belongs to as well: early reports of one event often have too little
   * in common, and a later one connects them. No two members may contradict each other.
   */
  #joinGroups(number: number, { other, score, why }: Merge): void {
    const [group, joined] = [this.#first[number] ?? number, this.#first[other] ?? other];
    if (group === joined) return;
    if (this.#areApart(number, other)) return;
    const members = this.#membersOf(number).filter((member) => member !== number);
    const others = this.#membersOf(other);
    if (!this.#mayBeOne(members, others)) return;
    for (const one of members.slice(-MAX_MEMBERS_CHECKED))
      for (const each of others.slice(-MAX_MEMBERS_CHECKED)) if (this.#contradict(one, each)) return;
    this.#merge(joined, { other: number, member: other, by: 'rules', score, why });
  }

  /** What belongs to the group of an item now that it has grown, and arrived when too little was known of the story. */
  #gather(number: number): void {
    const item = this.#items[number];
    if (item === undefined || !this.#largeGroups.hasGrown(number)) return;
    this.#largeGroups.gather(number, (outsider) => {
      const [members, others] = [this.#membersOf(number), this.#membersOf(outsider.number)];
      if (others.some((other) => this.#separated.has(other) || !this.#isNear(other, item))) return;
      if (this.#areApart(number, outsider.number) || !this.#mayBeOne(members, others)) return;
      this.#merge(outsider.number, typicalOf(outsider));
    });
  }

  /** Whether an item has a word that two others have: a summary of several stories belongs to each by other words. */
  #shareWord(number: number, one: number, other: number): boolean {
    const [mine, theirs] = [this.#featuresOf(one).title, this.#featuresOf(other).title];
    return this.#featuresOf(number).title.words.some(
      (word) => coveredShare(word, mine) >= 0.5 && coveredShare(word, theirs) >= 0.5,
    );
  }

  #mayBeOne(members: readonly number[], others: readonly number[]): boolean {
    return members.every((one) =>
      others.every((other) => this.#mayJoin(this.#keyOf(one), this.#keyOf(other))),
    );
  }

  #contradict(number: number, other: number): boolean {
    return (
      compareStories(this.#featuresOf(number), this.#featuresOf(other), this.#weigh).isContradiction === true
    );
  }

  /** Collects the pairs that it does not know. */
  #secondOpinion(
    item: StoryItem,
    features: StoryFeatures,
    unsure: readonly { readonly number: number; readonly score: number }[],
    doubts: PairInDoubt[],
  ): Merge | null {
    for (const { number, score } of unsure.toSorted((a, b) => b.score - a.score).slice(0, MAX_DOUBTS)) {
      const other = this.#items[number];
      if (other === undefined) continue;
      const pair = new Doubt(item, other, () => pairVerdict(features, new StoryFeatures(other), this.#weigh));
      const same = this.#decideDoubt(pair);
      if (same === true) return { other: number, by: 'second opinion', score, why: WHY_SECOND_OPINION };
      if (same === null) doubts.push(pair);
    }
    return null;
  }

  /** Whether a fixed decision says which group an item belongs to: the other item of the pair is known here. */
  #isDecided(decided: ReadonlyMap<ItemKey, StoryDecision>): boolean {
    if (decided.size === 0) return false;
    return decided.entries().some(([key, decision]) => decision === 'same' && this.#numbers.has(key));
  }

  /** The groups that a fixed decision keeps an item out of. */
  #groupsApart(key: ItemKey): ReadonlySet<number> {
    const decided = this.#decisions.of(key);
    if (decided.size === 0) return NO_GROUPS;
    const apart = new Set<number>();
    for (const [otherKey, decision] of decided) {
      const other = decision === 'different' ? this.#numbers.get(otherKey) : undefined;
      if (other !== undefined) apart.add(this.#first[other] ?? other);
    }
    return apart;
  }

  /** The latest other members of the group of an item. */
  #othersOf(number: number): number[] {
    return this.#membersOf(number)
      .filter((member) => member !== number)
      .slice(-MAX_MEMBERS_CHECKED);
  }

  /** The most promising items within the window, the most similar first. */
  #candidates(item: StoryItem, words: readonly number[]): number[] {
    const nearest = this.#index.nearest(words, this.#weighTerm, MAX_CANDIDATES);
    return nearest.filter(
      (number) => this.#isNear(number, item) && this.#mayCompare(item.key, this.#keyOf(number)),
    );
  }

  #isNear(number: number, item: StoryItem): boolean {
    const other = this.#items[number];
    return other !== undefined && Math.abs(other.publishedAt - item.publishedAt) <= this.#windowMs;
  }

  #featuresOf(number: number): StoryFeatures {
    const cached = this.#features.get(number);
    if (cached !== undefined) return cached;
    const features = new StoryFeatures(this.#items[number] ?? { title: '' }, this.#figures[number]);
    this.#features.set(number, features);
    return features;
  }

  #placement(number: number, doubts: readonly PairInDoubt[] = NO_DOUBTS): Placement {
    const members = this.#membersOf(number).map((member) => this.#keyOf(member));
    const merge = this.#merges.get(number);
    const [item, other] = [this.#items[merge?.member ?? number], this.#items[merge?.other ?? -1]];
    return new Placed(members[0] ?? this.#keyOf(number), members, doubts, () =>
      merge === undefined || item === undefined || other === undefined ? null : reasonOf(merge, item, other),
    );
  }

  #keyOf(number: number): ItemKey {
    return this.#items[number]?.key ?? ('' as ItemKey);
  }
}

/** Compares two items by the rules alone, every word with the same weight. */
export function comparePair(one: StoryItem, other: StoryItem): PairVerdict {
  return pairVerdict(new StoryFeatures(one), new StoryFeatures(other), () => 1);
}

function typicalOf({ member, surplus }: Typical): Merge {
  return { other: member, by: 'rules', score: surplus, why: WHY_TYPICAL };
}
