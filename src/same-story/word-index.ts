import type { Headline } from './headline.ts';
import { isPair } from './letters.ts';
import type { StoryFeatures } from './story-features.ts';
import { pairHash, wordHash } from './word.ts';

/** Initial number of items (smoothing), so that the first ones are weighted sensibly too. */
const PRIOR = 500;
const PLACES = 2 ** 16;

/**
 * Weight of words by inverse document frequency. Words are passed as their hashes. Counts are in one array of fixed
 * size; collisions are rare, and only make both words weigh a little less.
 */
export class WordWeights {
  readonly #counts = new Uint32Array(PLACES);
  readonly #storyCounts = new Uint32Array(PLACES);
  #items = 0;
  #scale = Math.log(1 + PRIOR);

  /** Counts the words of an item, each once. */
  add(words: readonly number[]): void {
    this.#items++;
    this.#scale = Math.log(1 + this.#items + PRIOR);
    for (const word of words) {
      const place = word & (PLACES - 1);
      this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    }
  }

  /** Counts the words of an item that begins a story. */
  addStory(words: readonly number[]): void {
    for (const word of words) {
      const place = word & (PLACES - 1);
      this.#storyCounts[place] = (this.#storyCounts[place] ?? 0) + 1;
    }
  }

  /** Number of items that have a word. */
  countOf(word: number): number {
    return this.#counts[word & (PLACES - 1)] ?? 0;
  }

  /** From near 0 for a word in every item to 1 for a new one. */
  of(word: number): number {
    const all = this.#items + PRIOR;
    return Math.log(1 + all / ((this.#counts[word & (PLACES - 1)] ?? 0) + 1)) / this.#scale;
  }

  /**
   * The weight as evidence in a comparison, from 1 for a new word to 0.2. It counts stories, not items: the name of a story
   * with a hundred reports is what they have in common, that of an election with a hundred stories says little.
   */
  evidenceOf(word: number): number {
    const count = this.#storyCounts[word & (PLACES - 1)] ?? 0;
    return 1 - (MAX_DAMPING * (LOGARITHMS[count] ?? Math.log(1 + count))) / this.#scale;
  }
}

/** Share of its weight that the most frequent word loses in a comparison. */
const MAX_DAMPING = 0.8;

/** Of 1 and the count, since most counts are small. */
const LOGARITHMS = Float64Array.from({ length: 4096 }, (_, count) => Math.log(1 + count));

const MAX_SEARCH_TERMS = 32;

/**
 * The search terms of an item, as hashes: its figures and words, and pairs of Japanese characters, since there are no
 * spaces between words.
 */
export function searchTerms({ title, lead, figures }: StoryFeatures): readonly number[] {
  const found: number[] = [];
  addWords(found, title);
  if (lead !== null) addWords(found, lead);
  return figures.title.length === 0
    ? found
    : [...figures.title.map(({ value }) => wordHash(`#${value}`)), ...found];
}

function addWords(found: number[], part: Headline): void {
  const { text, words, hasPairs } = part;
  for (const word of words) if (!hasPairs || !word.isJapanese) addOnce(found, word.hash);
  if (!hasPairs) return;
  for (let at = 0; at + 1 < text.length && found.length < MAX_SEARCH_TERMS; at++)
    if (isPair(text, at)) addOnce(found, pairHash(text.charCodeAt(at), text.charCodeAt(at + 1)));
}

function addOnce(found: number[], hash: number): void {
  if (found.length < MAX_SEARCH_TERMS && !found.includes(hash)) found.push(hash);
}

/** The weighted terms of an item, each once: its search terms and its whole Japanese words. */
export function weightedTerms({ title, lead }: StoryFeatures, found: readonly number[]): readonly number[] {
  const all = [...found];
  for (const { hash } of title.words) if (!all.includes(hash)) all.push(hash);
  if (lead !== null) for (const { hash } of lead.words) if (!all.includes(hash)) all.push(hash);
  return all;
}

/** Maximum items searched for one word, the newest first. */
const MAX_PER_WORD = 16;
/** Minimum share of a candidate, relative to that of the best one. */
const MIN_SHARE = 0.4;
/** Words with a lower weight are too common to search by. */
const MAX_COMMON_SHARE = 0.25;

/**
 * Inverted index of the items that share words with a new one: for every word a chain of items. Words are passed as
 * their hashes. All data is in typed arrays, so that 100,000 items take some ten megabytes and create no garbage.
 */
export class WordIndex {
  /** Hash table of words, and for each the newest link of its chain, or -1 for an empty slot. */
  #words = new Int32Array(2048);
  #heads = new Int32Array(2048).fill(-1);
  #used = 0;
  /** For each link the item, and after it the previous link of the same word: side by side, as they are read. */
  #chains = new Int32Array(8192);
  #links = 0;
  /**
   * For each item the search in which it was last found, and after it how much it shared: two views of one buffer, since
   * both are read together. Reused, so that a search creates no garbage.
   */
  #found = new Int32Array(2048);
  #shares = new Float32Array(this.#found.buffer);
  #search = 0;
  /** The items that a search found. */
  #candidates = new Int32Array(MAX_SEARCH_TERMS * MAX_PER_WORD);
  #bestShares = new Float64Array(16);

  add(item: number, words: readonly number[]): void {
    while (item * 2 >= this.#found.length) {
      this.#found = grown(this.#found);
      this.#shares = new Float32Array(this.#found.buffer);
    }
    for (const word of words) this.#link(item, word);
  }

  /** The items that share most with these words, most first; `weigh` returns the weight of a word. */
  nearest(words: readonly number[], weigh: (word: number) => number, limit: number): number[] {
    const search = ++this.#search;
    const [chains, seen, shares] = [this.#chains, this.#found, this.#shares];
    const most = words.length * MAX_PER_WORD;
    if (this.#candidates.length < most) this.#candidates = new Int32Array(most);
    if (this.#bestShares.length < limit) this.#bestShares = new Float64Array(limit);
    const found = this.#candidates;
    let count = 0;
    for (const word of words) {
      const weight = weigh(word);
      if (weight < MAX_COMMON_SHARE) continue;
      let link = this.#heads[this.#placeOf(word)] ?? -1;
      for (let steps = 0; link >= 0 && steps < MAX_PER_WORD; steps++) {
        const item = chains[link * 2] ?? 0;
        const [mark, share] = [item * 2, item * 2 + 1];
        if (seen[mark] === search) shares[share] = (shares[share] ?? 0) + weight;
        else {
          seen[mark] = search;
          shares[share] = weight;
          found[count++] = item;
        }
        link = chains[link * 2 + 1] ?? -1;
      }
    }
    return this.#best(count, limit);
  }

  /** The items that have a word, the newest first. */
  itemsWith(word: number, limit: number): number[] {
    const items: number[] = [];
    let link = this.#heads[this.#placeOf(word)] ?? -1;
    while (link >= 0 && items.length < limit) {
      items.push(this.#chains[link * 2] ?? 0);
      link = this.#chains[link * 2 + 1] ?? -1;
    }
    return items;
  }

  /** How much an item shared in the last search that found it. */
  share(item: number): number {
    return this.#shares[item * 2 + 1] ?? 0;
  }

  /** Of the candidates found; those that share much less than the best one are left out. */
  #best(count: number, limit: number): number[] {
    const [found, shares, bestShares] = [this.#candidates, this.#shares, this.#bestShares];
    const best: number[] = [];
    for (let n = 0; n < count; n++) {
      const item = found[n] ?? 0;
      const share = shares[item * 2 + 1] ?? 0;
      const { length } = best;
      if (length > 0 && share < (bestShares[0] ?? 0) * MIN_SHARE) continue;
      if (length === limit && share <= (bestShares[limit - 1] ?? 0)) continue;
      let place = length === limit ? limit - 1 : length;
      for (; place > 0 && (bestShares[place - 1] ?? 0) < share; place--) {
        best[place] = best[place - 1] ?? 0;
        bestShares[place] = bestShares[place - 1] ?? 0;
      }
      best[place] = item;
      bestShares[place] = share;
    }
    const least = (bestShares[0] ?? 0) * MIN_SHARE;
    while (best.length > 0 && (bestShares[best.length - 1] ?? 0) < least) best.pop();
    return best;
  }

  #link(item: number, word: number): void {
    const link = this.#links++;
    if (link * 2 >= this.#chains.length) this.#chains = grown(this.#chains);
    let place = this.#placeOf(word);
    if (this.#heads[place] === -1 && ++this.#used * 2 > this.#heads.length) {
      this.#spread();
      place = this.#placeOf(word);
    }
    this.#chains[link * 2] = item;
    this.#chains[link * 2 + 1] = this.#heads[place] ?? -1;
    this.#words[place] = word;
    this.#heads[place] = link;
  }

  /** The slot of a word, or the empty slot where it would be. At least half of the slots are empty. */
  #placeOf(word: number): number {
    const [words, heads] = [this.#words, this.#heads];
    const last = heads.length - 1;
    let place = word & last;
    while (heads[place] !== -1 && words[place] !== word) place = (place + 1) & last;
    return place;
  }

  /** Doubles the number of slots, so that lookups stay short. */
  #spread(): void {
    const [words, heads] = [this.#words, this.#heads];
    this.#words = new Int32Array(words.length * 2);
    this.#heads = new Int32Array(heads.length * 2).fill(-1);
    for (const [old, head] of heads.entries()) {
      if (head === -1) continue;
      const place = this.#placeOf(words[old] ?? 0);
      this.#words[place] = words[old] ?? 0;
      this.#heads[place] = head;
    }
  }
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
