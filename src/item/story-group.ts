import { findingWords, weighedWords } from './finding-words.ts';
import type { ItemKey } from './item.ts';
import { contradict, type Figures } from './quantities.ts';
import { Readings } from './readings.ts';
import { type Comparison, OTHER_FIGURES, sameStory } from './same-story.ts';
import { ReadTelling } from './story-evidence.ts';
import { wordHash } from './word-hash.ts';
import { WordIndex } from './word-index.ts';
import { WordWeights } from './word-weights.ts';

/** One telling of a story: an item as one source has it. */
export interface Telling {
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
const MOST_COMPARED = 5;
/** Of what the one that shares most does; less is not worth a look. */
const WORTH_A_LOOK = 0.6;
/** Surer than this it need not be. */
const BEYOND_DOUBT = 1.5;
/** So many of a group are asked, and so much less sure than of the nearest it may be of them on average. */
const MOST_OTHERS = 3;
const SLACK = 0.2;

/**
 * The same story from several sources, recognised as it comes in (X3): add a telling, get its group. Groups only point
 * at items; nothing is hidden, and a person can take a telling out of its group again.
 */
export class StoryGroups {
  readonly #window: number;
  #weights = new WordWeights();
  #index = new WordIndex();
  #tellings: Telling[] = [];
  #numbers = new Map<ItemKey, number>();
  /** For each telling the first one of its group. */
  #first: number[] = [];
  #members = new Map<number, number[]>();
  #figures: Figures[] = [];
  #readings = new Readings();

  constructor(options: StoryGroupsOptions = {}) {
    this.#window = options.windowMs ?? 3 * DAY;
  }

  get size(): number {
    return this.#tellings.length;
  }

  /** Finds the group of a telling, or begins a new one. A telling that is known stays where it is. */
  add(telling: Telling): Placement {
    const known = this.#numbers.get(telling.key);
    if (known !== undefined) return this.#placement(known, 'known already');
    const read = new ReadTelling(telling.title, telling.text);
    const words = findingWords(read);
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
  forget(before: number): void {
    const kept = this.#tellings
      .map((telling, number) => ({ telling, number }))
      .filter(({ telling }) => telling.publishedAt >= before);
    const first = this.#first;
    this.#weights = new WordWeights();
    this.#index = new WordIndex();
    [this.#tellings, this.#first, this.#figures] = [[], [], []];
    this.#readings = new Readings();
    this.#numbers = new Map();
    this.#members = new Map();
    const heirs = new Map<number, number>();
    for (const { telling, number } of kept) {
      const read = new ReadTelling(telling.title, telling.text);
      const moved = this.#store(telling, read, findingWords(read));
      const group = first[number] ?? number;
      const heir = heirs.get(group) ?? moved;
      heirs.set(group, heir);
      this.#first[moved] = heir;
      if (heir !== moved) this.#members.set(heir, [...(this.#members.get(heir) ?? [heir]), moved]);
    }
  }

  #store(telling: Telling, read: ReadTelling, words: readonly number[]): number {
    const number = this.#tellings.push(telling) - 1;
    this.#numbers.set(telling.key, number);
    this.#figures[number] = read.figures;
    this.#index.add(number, words);
    this.#weights.add(weighedWords(read, words));
    this.#readings.keep(number, read);
    return number;
  }

  #bestMatch(
    telling: Telling,
    read: ReadTelling,
    words: readonly number[],
  ): { number: number; why: string } | null {
    const weigh = (word: string): number => this.#weights.of(wordHash(word));
    const compare = (number: number): Comparison => {
      // What was read long ago is taken apart again for a comparison, but not where its figures suffice.
      const figures = this.#figures[number];
      if (figures !== undefined && contradict(read.figures, figures)) return OTHER_FIGURES;
      return sameStory(read, this.#readTelling(number), weigh);
    };
    let best: { number: number; why: string; surplus: number } | null = null;
    for (const number of this.#candidates(telling, words)) {
      const { same, surplus, why } = compare(number);
      if (!same || (best !== null && surplus <= best.surplus)) continue;
      // One that is near to it does not make it one of a group that it does not fit.
      const others = this.#othersOf(number);
      const sum = others.reduce((all, other) => all + compare(other).surplus, surplus);
      if (sum / (others.length + 1) < -SLACK) continue;
      best = { number, why, surplus };
      if (surplus > BEYOND_DOUBT) break;
    }
    return best;
  }

  /** Some of those in the group of a telling, the latest. */
  #othersOf(number: number): number[] {
    const members = this.#members.get(this.#first[number] ?? number) ?? [];
    return members.filter((member) => member !== number).slice(-MOST_OTHERS);
  }

  /** The most promising tellings within the window, the most alike first. */
  #candidates(telling: Telling, words: readonly number[]): number[] {
    const nearest = this.#index.nearest(words, (word) => this.#weights.of(word), MOST_COMPARED);
    const least = this.#index.share(nearest[0] ?? 0) * WORTH_A_LOOK;
    return nearest.filter((number) => this.#index.share(number) >= least && this.#isNear(number, telling));
  }

  #isNear(number: number, telling: Telling): boolean {
    const other = this.#tellings[number];
    return other !== undefined && Math.abs(other.publishedAt - telling.publishedAt) <= this.#window;
  }

  #readTelling(number: number): ReadTelling {
    const kept = this.#readings.get(number);
    if (kept !== undefined) return kept;
    const { title, text } = this.#tellings[number] ?? { title: '', text: undefined };
    const telling = new ReadTelling(title, text, this.#figures[number]);
    this.#readings.keep(number, telling);
    return telling;
  }

  #placement(number: number, why: string): Placement {
    const first = this.#first[number] ?? number;
    const members = this.#members.get(first);
    const group = this.#keyOf(first);
    return { group, members: members?.map((member) => this.#keyOf(member)) ?? [group], why };
  }

  #keyOf(number: number): ItemKey {
    return this.#tellings[number]?.key ?? ('' as ItemKey);
  }
}
