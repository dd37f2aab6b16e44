import { wordHash } from './word-hash.ts';

/** Looked at for one word, the newest first: enough for what is news. */
const MOST_FOR_A_WORD = 16;
/** A word that is in so many finds nothing. */
const TOO_COMMON = 0.25;

/**
 * Finds the tellings that share words with a new one, without looking at each: for every word a chain of those that have
 * it. Everything lies in typed arrays, so that 100,000 tellings take some twenty megabytes and no garbage.
 */
export class WordIndex {
  /** For each word the newest link of its chain, or -1. */
  #heads = new Int32Array(1024).fill(-1);
  /** For each link the telling, the word and the link before it. */
  #tellings = new Int32Array(4096);
  #words = new Uint32Array(4096);
  #before = new Int32Array(4096);
  #links = 0;
  /** The search in which a telling was last found, and how much it shared; kept here so that a search makes no garbage. */
  #found = new Int32Array(1024);
  #shares = new Float32Array(1024);
  #search = 0;

  add(telling: number, words: Iterable<string>): void {
    while (telling >= this.#found.length) {
      this.#found = grown(this.#found, Int32Array);
      this.#shares = grown(this.#shares, Float32Array);
    }
    for (const word of words) this.#link(telling, wordHash(word));
  }

  /** The tellings that share most with these words, most first; `weigh` says how much a word tells. */
  nearest(words: Iterable<string>, weigh: (word: string) => number, most: number): number[] {
    const search = ++this.#search;
    const found: number[] = [];
    for (const word of words) {
      const weight = weigh(word);
      if (weight < TOO_COMMON) continue;
      const hash = wordHash(word);
      let link = this.#heads[hash & (this.#heads.length - 1)] ?? -1;
      for (let steps = 0; link >= 0 && steps < MOST_FOR_A_WORD; link = this.#before[link] ?? -1) {
        if (this.#words[link] !== hash) continue;
        steps++;
        const telling = this.#tellings[link] ?? 0;
        if (this.#found[telling] === search) this.#shares[telling] = (this.#shares[telling] ?? 0) + weight;
        else {
          this.#found[telling] = search;
          this.#shares[telling] = weight;
          found.push(telling);
        }
      }
    }
    return this.#best(found, most);
  }

  /** How much a telling shared in the search that found it last. */
  share(telling: number): number {
    return this.#shares[telling] ?? 0;
  }

  #best(found: readonly number[], most: number): number[] {
    const best: number[] = [];
    for (const telling of found) {
      const share = this.share(telling);
      if (best.length === most && share <= this.share(best[most - 1] ?? 0)) continue;
      if (best.length === most) best.pop();
      let place = best.length;
      while (place > 0 && this.share(best[place - 1] ?? 0) < share) place--;
      best.splice(place, 0, telling);
    }
    return best;
  }

  #link(telling: number, hash: number): void {
    const link = this.#links++;
    if (link >= this.#words.length) {
      this.#tellings = grown(this.#tellings, Int32Array);
      this.#words = grown(this.#words, Uint32Array);
      this.#before = grown(this.#before, Int32Array);
    }
    this.#tellings[link] = telling;
    this.#words[link] = hash;
    if (this.#links > this.#heads.length * 2) this.#spread();
    else this.#chain(link);
  }

  #chain(link: number): void {
    const head = (this.#words[link] ?? 0) & (this.#heads.length - 1);
    this.#before[link] = this.#heads[head] ?? -1;
    this.#heads[head] = link;
  }

  /** Twice as many chains, so that each stays short. */
  #spread(): void {
    this.#heads = new Int32Array(this.#heads.length * 2).fill(-1);
    for (let link = 0; link < this.#links; link++) this.#chain(link);
  }
}

function grown<A extends Int32Array | Uint32Array | Float32Array>(
  array: A,
  Kind: new (size: number) => A,
): A {
  const larger = new Kind(array.length * 2);
  larger.set(array);
  return larger;
}
