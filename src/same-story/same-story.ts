import type { ItemKey } from '../item/item.ts';
import { type Comparison, compareStories, FIGURES_DIFFER, StoryFeatures } from './compare.ts';
import { type Figures, figuresContradict } from './quantities.ts';
import { searchTerms, WordIndex, WordWeights, weightedTerms, wordHash } from './word-index.ts';

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
}

export interface Placement {
  /** The key of the group's first item; the item's own if it is alone. */
  readonly group: ItemKey;
  /** All items of the group so far, the first one first, this one included. */
  readonly members: readonly ItemKey[];
  /** Human-readable reason. */
  readonly why: string;
}

const DAY = 24 * 3_600_000;
/** Number of candidates that are compared in full: those that share most. */
const MAX_COMPARED = 5;
/** Minimum share of a candidate, relative to that of the best one. */
const MIN_CANDIDATE_SHARE = 0.6;
/** A match with a higher surplus ends the search. */
const CERTAIN_SURPLUS = 1.5;
/** Number of members of a group that are compared, and how far below 0 their average surplus may be. */
const MAX_MEMBERS_CHECKED = 3;
const GROUP_TOLERANCE = 0.2;

/**
 * Groups items of several sources about the same story as they arrive (X3): add an item, get its group. Groups only
 * point at items; nothing is hidden, and a person can remove an item from its group.
 */
export class StoryGroups {
  readonly #window: number;
  #weights = new WordWeights();
  #index = new WordIndex();
  #items: StoryItem[] = [];
  #numbers = new Map<ItemKey, number>();
  /** For each item the first one of its group. */
  #first: number[] = [];
  #members = new Map<number, number[]>();
  #figures: Figures[] = [];
  #features = new FeatureCache();

  constructor(options: StoryGroupsOptions = {}) {
    this.#window = options.windowMs ?? 3 * DAY;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Finds the group of an item, or begins a new one. A known item stays in its group. */
  add(item: StoryItem): Placement {
    const known = this.#numbers.get(item.key);
    if (known !== undefined) return this.#placement(known, 'known already');
    const features = new StoryFeatures(item.title, item.text);
    const words = searchTerms(features);
    const match = this.#bestMatch(item, features, words);
    const number = this.#store(item, features, words);
    if (match === null) {
      this.#first[number] = number;
      return this.#placement(number, 'nothing like it');
    }
    const first = this.#first[match.number] ?? match.number;
    this.#first[number] = first;
    const members = this.#members.get(first);
    if (members === undefined) this.#members.set(first, [first, number]);
    else members.push(number);
    return this.#placement(number, match.why);
  }

  /** The group of an item; `null` if it is not known (any more). */
  find(key: ItemKey): Placement | null {
    const number = this.#numbers.get(key);
    return number === undefined ? null : this.#placement(number, 'known already');
  }

  /** Removes an item from its group: it was merged by mistake. */
  separate(key: ItemKey): void {
    const number = this.#numbers.get(key);
    if (number === undefined) return;
    const first = this.#first[number] ?? number;
    const others = (this.#members.get(first) ?? []).filter((member) => member !== number);
    this.#members.delete(first);
    this.#first[number] = number;
    const [heir] = others;
    if (heir === undefined) return;
    for (const other of others) this.#first[other] = heir;
    if (others.length > 1) this.#members.set(heir, others);
  }

  /** Removes older items; the others keep their groups. */
  removeOlderThan(before: number): void {
    const kept = this.#items
      .map((item, number) => ({ item, number }))
      .filter(({ item }) => item.publishedAt >= before);
    const first = this.#first;
    this.#weights = new WordWeights();
    this.#index = new WordIndex();
    [this.#items, this.#first, this.#figures] = [[], [], []];
    this.#features = new FeatureCache();
    this.#numbers = new Map();
    this.#members = new Map();
    const heirs = new Map<number, number>();
    for (const { item, number } of kept) {
      const features = new StoryFeatures(item.title, item.text);
      const moved = this.#store(item, features, searchTerms(features));
      const group = first[number] ?? number;
      const heir = heirs.get(group) ?? moved;
      heirs.set(group, heir);
      this.#first[moved] = heir;
      if (heir !== moved) this.#members.set(heir, [...(this.#members.get(heir) ?? [heir]), moved]);
    }
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

  #bestMatch(
    item: StoryItem,
    features: StoryFeatures,
    words: readonly number[],
  ): { number: number; why: string } | null {
    const weigh = (word: string): number => this.#weights.of(wordHash(word));
    const compare = (number: number): Comparison => {
      // Features that were evicted are computed again only if the figures do not decide.
      const figures = this.#figures[number];
      if (figures !== undefined && figuresContradict(features.figures, figures)) return FIGURES_DIFFER;
      return compareStories(features, this.#featuresOf(number), weigh);
    };
    let best: { number: number; why: string; surplus: number } | null = null;
    for (const number of this.#candidates(item, words)) {
      const { same, surplus, why } = compare(number);
      if (!same || (best !== null && surplus <= best.surplus)) continue;
      // One similar member is not enough if the item does not fit the rest of the group.
      const others = this.#othersOf(number);
      const sum = others.reduce((all, other) => all + compare(other).surplus, surplus);
      if (sum / (others.length + 1) < -GROUP_TOLERANCE) continue;
      best = { number, why, surplus };
      if (surplus > CERTAIN_SURPLUS) break;
    }
    return best;
  }

  /** The latest other members of the group of an item. */
  #othersOf(number: number): number[] {
    const members = this.#members.get(this.#first[number] ?? number) ?? [];
    return members.filter((member) => member !== number).slice(-MAX_MEMBERS_CHECKED);
  }

  /** The most promising items within the window, the most similar first. */
  #candidates(item: StoryItem, words: readonly number[]): number[] {
    const nearest = this.#index.nearest(words, (word) => this.#weights.of(word), MAX_COMPARED);
    const least = this.#index.share(nearest[0] ?? 0) * MIN_CANDIDATE_SHARE;
    return nearest.filter((number) => this.#index.share(number) >= least && this.#isNear(number, item));
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

  #placement(number: number, why: string): Placement {
    const first = this.#first[number] ?? number;
    const members = this.#members.get(first);
    const group = this.#keyOf(first);
    return { group, members: members?.map((member) => this.#keyOf(member)) ?? [group], why };
  }

  #keyOf(number: number): ItemKey {
    return this.#items[number]?.key ?? ('' as ItemKey);
  }
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
