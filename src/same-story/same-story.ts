import type { ItemKey } from '../item/item.ts';
import {
  type Comparison,
  commonGround,
  compareStories,
  isInDoubt,
  OTHER_PARTS,
  pairVerdict,
  StoryFeatures,
} from './compare.ts';
import { describeCommonGround, type MergeReason, type PairVerdict } from './merge-reason.ts';
import { areOtherParts, type Figures } from './quantities.ts';
import { NO_DECISIONS, type StoryDecision, type StoryDecisions } from './story-decisions.ts';
import type { Word } from './word.ts';
import { searchTerms, WordIndex, WordWeights, weightedTerms } from './word-index.ts';

/** The part of an item that stories are compared by. */
export interface StoryItem {
  readonly key: ItemKey;
  readonly title: string;
  /** Text from the source, if it provides one. */
  readonly text?: string;
  readonly publishedAt: number;
}

export interface StoryGroupsOptions {
  /** Items further apart are two stories: the same headline recurs every week. */
  readonly windowMs?: number;
  /** Fixed decisions. They are looked up when an item is added; `join` and `separate` apply later ones. */
  readonly decisions?: StoryDecisions;
  /**
   * Whether two items may be in one story when an item that belongs to both of their groups joins these; by default always.
   */
  readonly mayJoin?: (key: ItemKey, otherKey: ItemKey) => boolean;
  /**
   * Second opinion on a pair in doubt: whether it is the same story; `null` if unknown, then the rules decide. A slow one
   * is asked after `add` about `Placement.doubts`, and its answers are applied with `join`.
   */
  readonly decideDoubt?: (pair: PairInDoubt) => boolean | null;
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

const DAY = 24 * 3_600_000;
/** Number of candidates: those that share most. Parts of a series are dismissed at once; of the others these are compared. */
const MAX_CANDIDATES = 16;
const MAX_COMPARED = 3;
/** The same for an item that has found its group: it may belong to another one too, and show that both are one story. */
const MAX_COMPARED_OF_MEMBER = 8;
/** A match with a higher surplus ends the search. */
const CERTAIN_SURPLUS = 2.5;
/** A pair with a higher surplus is sure: the rest of the group does not matter. */
const SURE_SURPLUS = 1.5;
/** Number of members of a group that are compared, and how far below 0 their average surplus may be. */
const MAX_MEMBERS_CHECKED = 3;
const GROUP_TOLERANCE = 0.5;

/** Why an item was merged; what both have in common is computed when it is asked for. */
interface Merge {
  readonly other: number;
  readonly by: MergeReason['by'];
  readonly score: number;
  readonly why: string;
}

/** Maximum of pairs in doubt that are returned for an item. */
const MAX_DOUBTS = 3;
const NO_DOUBTS: readonly PairInDoubt[] = [];
const NO_MATCHES: readonly Merge[] = [];
const NO_GROUPS: ReadonlySet<number> = new Set();
const WHY_DECISION = 'decided by a person';
const WHY_SECOND_OPINION = 'decided by a second opinion';

/**
 * Groups items of several sources about the same story as they arrive (X3): add an item, get its group. Groups only
 * point at items; nothing is hidden, and a person can remove an item from its group. Fixed decisions come before the
 * rules, the rules before a second opinion.
 */
export class StoryGroups {
  readonly #window: number;
  readonly #decisions: StoryDecisions;
  readonly #decideDoubt: (pair: PairInDoubt) => boolean | null;
  readonly #mayJoin: (key: ItemKey, otherKey: ItemKey) => boolean;
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

  constructor(options: StoryGroupsOptions = {}) {
    this.#window = options.windowMs ?? 3 * DAY;
    this.#decisions = options.decisions ?? NO_DECISIONS;
    this.#decideDoubt = options.decideDoubt ?? (() => null);
    this.#mayJoin = options.mayJoin ?? (() => true);
  }

  get size(): number {
    return this.#items.length;
  }

  /** Finds the group of an item, or begins a new one. A known item stays in its group. */
  add(item: StoryItem): Placement {
    const known = this.#numbers.get(item.key);
    if (known !== undefined) return this.#placement(known);
    const features = new StoryFeatures(item.title, item.text);
    const words = searchTerms(features);
    const decided = this.#decisions.of(item.key);
    const doubts: PairInDoubt[] = [];
    const matches = this.#isDecided(decided) ? NO_MATCHES : this.#matches(item, features, words, doubts);
    const number = this.#store(item, features, words);
    this.#first[number] = number;
    for (const [n, match] of matches.entries())
      if (n === 0) this.#merge(number, match);
      else this.#joinGroups(number, match);
    for (const [other, decision] of decided) if (decision === 'same') this.#joinByDecision(number, other);
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
    if (number !== undefined) this.#separate(number);
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
    const heirs = new Map<number, number>();
    const moves = new Map<number, number>();
    for (const { item, number } of kept) {
      const features = new StoryFeatures(item.title, item.text);
      const moved = this.#store(item, features, searchTerms(features));
      moves.set(number, moved);
      const group = first[number] ?? number;
      const heir = heirs.get(group) ?? moved;
      heirs.set(group, heir);
      this.#first[moved] = heir;
      if (heir !== moved) this.#members.set(heir, [...(this.#members.get(heir) ?? [heir]), moved]);
    }
    for (const [number, merge] of merges) {
      const [moved, other] = [moves.get(number), moves.get(merge.other)];
      if (moved !== undefined && other !== undefined) this.#merges.set(moved, { ...merge, other });
    }
  }

  #merge(number: number, merge: Merge): void {
    const [own, first] = [this.#first[number] ?? number, this.#first[merge.other] ?? merge.other];
    if (own === first) return;
    const moved = this.#members.get(own) ?? [own];
    this.#members.delete(own);
    for (const member of moved) this.#first[member] = first;
    const members = this.#members.get(first);
    if (members === undefined) this.#members.set(first, [first, ...moved]);
    else members.push(...moved);
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
    this.#merges.delete(number);
    this.#first[number] = number;
    const [heir] = others;
    if (heir === undefined) return;
    for (const other of others) this.#first[other] = heir;
    if (others.length > 1) this.#members.set(heir, others);
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
    for (const number of this.#candidates(item, words)) {
      const group = this.#first[number] ?? number;
      if (apart.has(group) || matches.some(({ other }) => this.#first[other] === group)) continue;
      const found = compare(number);
      if (found === OTHER_PARTS) continue;
      if (compared++ === (matches.length === 0 ? MAX_COMPARED : MAX_COMPARED_OF_MEMBER)) break;
      const { same, surplus, why } = found;
      if (isInDoubt(surplus)) unsure.push({ number, score: surplus });
      if (!same) continue;
      if (matches.length === 0 && surplus <= CERTAIN_SURPLUS && !this.#fitsGroup(number, surplus, compare)) {
        unsure.push({ number, score: surplus });
        continue;
      }
      matches.push({ other: number, by: 'rules', score: surplus, why });
      if (surplus > CERTAIN_SURPLUS) break;
    }
    if (matches.length > 0) return matches.sort((a, b) => b.score - a.score);
    const decided = unsure.length === 0 ? null : this.#secondOpinion(item, features, unsure, doubts);
    return decided === null ? NO_MATCHES : [decided];
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
   * in common, and a later one connects them. No two members may contradict each other. Leads do not connect: they tell what
   * happened before, and follow-ups would join.
   */
  #joinGroups(number: number, { other, score, why }: Merge): void {
    const [group, joined] = [this.#first[number] ?? number, this.#first[other] ?? other];
    if (group === joined || this.#hasLead(number) || this.#hasLead(other)) return;
    if (this.#areApart(number, other)) return;
    const members = this.#membersOf(number).filter((member) => member !== number);
    const others = this.#membersOf(other);
    for (const one of members)
      if (others.some((each) => !this.#mayJoin(this.#keyOf(one), this.#keyOf(each)))) return;
    for (const one of members.slice(-MAX_MEMBERS_CHECKED))
      for (const each of others.slice(-MAX_MEMBERS_CHECKED)) if (this.#contradict(one, each)) return;
    this.#merge(joined, { other: number, by: 'rules', score, why });
  }

  #hasLead(number: number): boolean {
    return this.#featuresOf(number).lead !== null;
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
      const pair = new Doubt(item, other, () =>
        pairVerdict(features, new StoryFeatures(other.title, other.text), this.#weigh),
      );
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
    return nearest.filter((number) => this.#isNear(number, item));
  }

  #isNear(number: number, item: StoryItem): boolean {
    const other = this.#items[number];
    return other !== undefined && Math.abs(other.publishedAt - item.publishedAt) <= this.#window;
  }

  #featuresOf(number: number): StoryFeatures {
    const cached = this.#features.get(number);
    if (cached !== undefined) return cached;
    const { title, text } = this.#items[number] ?? { title: '', text: undefined };
    const features = new StoryFeatures(title, text, this.#figures[number]);
    this.#features.set(number, features);
    return features;
  }

  #placement(number: number, doubts: readonly PairInDoubt[] = NO_DOUBTS): Placement {
    const members = this.#membersOf(number).map((member) => this.#keyOf(member));
    const merge = this.#merges.get(number);
    const [item, other] = [this.#items[number], merge === undefined ? undefined : this.#items[merge.other]];
    return new Placed(members[0] ?? this.#keyOf(number), members, doubts, () =>
      merge === undefined || item === undefined || other === undefined ? null : reasonOf(merge, item, other),
    );
  }

  #keyOf(number: number): ItemKey {
    return this.#items[number]?.key ?? ('' as ItemKey);
  }
}

/** The reason is computed when it is read: most are not. */
class Placed implements Placement {
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
class Doubt implements PairInDoubt {
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

function reasonOf({ by, score, why }: Merge, item: StoryItem, other: StoryItem): MergeReason {
  const common = commonGround(
    new StoryFeatures(item.title, item.text),
    new StoryFeatures(other.title, other.text),
  );
  return { with: other.key, by, score, common, why: describeCommonGround(why, common) };
}

/** Compares two items by the rules alone, every word with the same weight. */
export function comparePair(one: StoryItem, other: StoryItem): PairVerdict {
  return pairVerdict(
    new StoryFeatures(one.title, one.text),
    new StoryFeatures(other.title, other.text),
    () => 1,
  );
}

/** Total characters in the cache: the titles of 100,000 items, or a fifth of them with their leads. */
const MAX_CHARACTERS = 8_000_000;

/**
 * Cache of features by item number, since a story recurs soon or never. There are two halves: when the new one is full it
 * becomes the old one, and what the old one contained by then, not used since, is evicted.
 */
export class FeatureCache {
  readonly #maxPerHalf: number;
  #new = new Map<number, StoryFeatures>();
  #old = new Map<number, StoryFeatures>();
  #characters = 0;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxPerHalf = maxCharacters / 2;
  }

  get(number: number): StoryFeatures | undefined {
    const cached = this.#new.get(number);
    if (cached !== undefined) return cached;
    const old = this.#old.get(number);
    if (old !== undefined) this.set(number, old);
    return old;
  }

  set(number: number, features: StoryFeatures): void {
    if (this.#characters > this.#maxPerHalf) {
      this.#old = this.#new;
      this.#new = new Map();
      this.#characters = 0;
    }
    this.#new.set(number, features);
    this.#characters += features.characters;
  }
}
