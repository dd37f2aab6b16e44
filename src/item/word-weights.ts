/** As if so many other tellings had been seen, so that the first ones are weighed sensibly too. */
const PRIOR = 500;
const PLACES = 2 ** 16;

/**
 * How much a word tells: one that few tellings have tells more than one that many have. Words come as their hashes.
 * Counts lie in one array of fixed size; two words that fall on one place are rare, and only make each other weigh a
 * little less.
 */
export class WordWeights {
  readonly #counts = new Uint32Array(PLACES);
  #tellings = 0;
  #scale = Math.log(1 + PRIOR);

  /** Counts the words of one more telling, each once. */
  add(words: readonly number[]): void {
    this.#tellings++;
    this.#scale = Math.log(1 + this.#tellings + PRIOR);
    for (const word of words) {
      const place = word & (PLACES - 1);
      this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    }
  }

  /** From near 0 for a word in every telling to 1 for one that is new. */
  of(word: number): number {
    const all = this.#tellings + PRIOR;
    return Math.log(1 + all / ((this.#counts[word & (PLACES - 1)] ?? 0) + 1)) / this.#scale;
  }
}
