import type { ItemKey } from '../item/item.ts';
import { type Comparison, compareStories, FIGURES_DIFFER, StoryFeatures } from './compare.ts';
import { type Figures, figuresContradict } from './quantities.ts';
import { searchTerms, WordIndex, WordWeights, weightedTerms, wordHash } from './word-index.ts';

/** One telling of a story: an item as one source has it. */
export interface StoryItem {
  readonly key: ItemKey;
  readonly title: string;
  /** Text that the source gave, where it gave one. */
  readonly text?: string;
  readonly publishedAt: number;
}

export interface StoryGroupsOptions {
  /** Tellings further apart are two stories: the same headline comes back every week. */
  readonly windowMs?: number;
}

export interface Placement {
  /** The key of the group's first telling; the telling's own where it is alone. */
  readonly group: ItemKey;
  /** All that tell it so far, the first one first, this one included. */
  readonly members: readonly ItemKey[];
  /** Why it was put there, for people. */
  readonly why: string;
}

const DAY = 24 * 3_600_000;
/** Compared in full: those that share most. */
const MAX_COMPARED = 5;
/** Of what the one that shares most does; less is not worth a look. */
const MIN_CANDIDATE_SHARE = 0.6;
/** Surer than this it need not be. */
const CERTAIN_SURPLUS = 1.5;
/** So many of a group are asked, and so much less sure than of the nearest it may be of them on average. */
const MAX_MEMBERS_CHECKED = 3;
const GROUP_TOLERANCE = 0.2;

/**
 * The same story from several sources, recognised as it comes in (X3): add a telling, get its group. Groups only point
 * at items; nothing is hidden, and a person can take a telling out of its group again.
 */
export class StoryGroups {
  readonly #window: number;
  #weights = new WordWeights();
  #index = new WordIndex();
  #items: StoryItem[] = [];
  #numbers = new Map<ItemKey, number>();
  /** For each telling the first one of its group. */
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

  /** Finds the group of a telling, or begins a new one. A telling that is known stays where it is. */
  add(telling: StoryItem): Placement {
    const known = this.#numbers.get(telling.key);
    if (known !== undefined) return this.#placement(known, 'known already');
    const read = new StoryFeatures(telling.title, telling.text);
    const words = searchTerms(read);
    const match = this.#bestMatch(telling, read, words);
    const number = this.#store(telling, read, words);
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

  /** Where a telling is now; `null` if it is not known (any more). */
  find(key: ItemKey): Placement | null {
    const number = this.#numbers.get(key);
    return number === undefined ? null : this.#placement(number, 'known already');
  }

  /** Takes a telling out of its group: it was merged by mistake. */
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

  /** Drops tellings that are older; what is left keeps its groups. */
  removeOlderThan(before: number): void {
    const kept = this.#items
      .map((telling, number) => ({ telling, number }))
      .filter(({ telling }) => telling.publishedAt >= before);
    const first = this.#first;
    this.#weights = new WordWeights();
    this.#index = new WordIndex();
    [this.#items, this.#first, this.#figures] = [[], [], []];
    this.#features = new FeatureCache();
    this.#numbers = new Map();
    this.#members = new Map();
    const heirs = new Map<number, number>();
    for (const { telling, number } of kept) {
      const read = new StoryFeatures(telling.title, telling.text);
      const moved = this.#store(telling, read, searchTerms(read));
      const group = first[number] ?? number;
      const heir = heirs.get(group) ?? moved;
      heirs.set(group, heir);
      this.#first[moved] = heir;
      if (heir !== moved) this.#members.set(heir, [...(this.#members.get(heir) ?? [heir]), moved]);
    }
  }

  #store(telling: StoryItem, read: StoryFeatures, words: readonly number[]): number {
    const number = this.#items.push(telling) - 1;
    this.#numbers.set(telling.key, number);
    this.#figures[number] = read.figures;
    this.#index.add(number, words);
    this.#weights.add(weightedTerms(read, words));
    this.#features.set(number, read);
    return number;
  }

  #bestMatch(
    telling: StoryItem,
    read: StoryFeatures,
    words: readonly number[],
  ): { number: number; why: string } | null {
    const weigh = (word: string): number => this.#weights.of(wordHash(word));
    const compare = (number: number): Comparison => {
      // What was read long ago is taken apart again for a comparison, but not where its figures suffice.
      const figures = this.#figures[number];
      if (figures !== undefined && figuresContradict(read.figures, figures)) return FIGURES_DIFFER;
      return compareStories(read, this.#featuresOf(number), weigh);
    };
    let best: { number: number; why: string; surplus: number } | null = null;
    for (const number of this.#candidates(telling, words)) {
      const { same, surplus, why } = compare(number);
      if (!same || (best !== null && surplus <= best.surplus)) continue;
      // One that is near to it does not make it one of a group that it does not fit.
      const others = this.#othersOf(number);
      const sum = others.reduce((all, other) => all + compare(other).surplus, surplus);
      if (sum / (others.length + 1) < -GROUP_TOLERANCE) continue;
      best = { number, why, surplus };
      if (surplus > CERTAIN_SURPLUS) break;
    }
    return best;
  }

  /** Some of those in the group of a telling, the latest. */
  #othersOf(number: number): number[] {
    const members = this.#members.get(this.#first[number] ?? number) ?? [];
    return members.filter((member) => member !== number).slice(-MAX_MEMBERS_CHECKED);
  }

  /** The most promising tellings within the window, the most alike first. */
  #candidates(telling: StoryItem, words: readonly number[]): number[] {
    const nearest = this.#index.nearest(words, (word) => this.#weights.of(word), MAX_COMPARED);
    const least = this.#index.share(nearest[0] ?? 0) * MIN_CANDIDATE_SHARE;
    return nearest.filter((number) => this.#index.share(number) >= least && this.#isNear(number, telling));
  }

  #isNear(number: number, telling: StoryItem): boolean {
    const other = this.#items[number];
    return other !== undefined && Math.abs(other.publishedAt - telling.publishedAt) <= this.#window;
  }

  #featuresOf(number: number): StoryFeatures {
    const kept = this.#features.get(number);
    if (kept !== undefined) return kept;
    const { title, text } = this.#items[number] ?? { title: '', text: undefined };
    const telling = new StoryFeatures(title, text, this.#figures[number]);
    this.#features.set(number, telling);
    return telling;
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

/** Characters in all that are kept taken apart: the titles of 100,000 tellings, or a fifth of them with their leads. */
const MAX_CHARACTERS = 8_000_000;

/**
 * Tellings that are kept taken apart, by their number, since a story is told again soon or never. There are two halves:
 * when the new one is full it becomes the old one, and what is in the old one by then has not been asked for since.
 */
export class FeatureCache {
  readonly #maxPerHalf: number;
  #new = new Map<number, StoryFeatures>();
  #old = new Map<number, StoryFeatures>();
  #characters = 0;

  constructor(mostCharacters = MAX_CHARACTERS) {
    this.#maxPerHalf = mostCharacters / 2;
  }

  get(number: number): StoryFeatures | undefined {
    const kept = this.#new.get(number);
    if (kept !== undefined) return kept;
    const old = this.#old.get(number);
    if (old !== undefined) this.set(number, old);
    return old;
  }

  set(number: number, telling: StoryFeatures): void {
    if (this.#characters > this.#maxPerHalf) {
      this.#old = this.#new;
      this.#new = new Map();
      this.#characters = 0;
    }
    this.#new.set(number, telling);
    this.#characters += telling.characters;
  }
}
