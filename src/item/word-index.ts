/** Looked at for one word, the newest first: enough for what is news. */
const MOST_FOR_A_WORD = 16;
/** A word that is in so many finds nothing. */
const TOO_COMMON = 0.25;

/**
 * Finds the tellings that share words with a new one, without looking at each: for every word a chain of those that have
 * it. Words come as their hashes. Everything lies in typed arrays, so that 100,000 tellings take some ten megabytes
 * and no garbage.
 */
export class WordIndex {
  /** Places of words, found by their hash, and for each the newest link of its chain, or -1 where no word is. */
  #words = new Int32Array(2048);
  #heads = new Int32Array(2048).fill(-1);
  #used = 0;
  /** For each link the telling, and the link of the same word before it. */
  #tellings = new Int32Array(4096);
  #before = new Int32Array(4096);
  #links = 0;
  /** The search in which a telling was last found, and how much it shared; kept here so that a search makes no garbage. */
  #found = new Int32Array(1024);
  #shares = new Float32Array(1024);
  #search = 0;

  add(telling: number, words: readonly number[]): void {
    while (telling >= this.#found.length) {
      this.#found = grown(this.#found, Int32Array);
      this.#shares = grown(this.#shares, Float32Array);
    }
    for (const word of words) this.#link(telling, word);
  }

  /** The tellings that share most with these words, most first; `weigh` says how much a word tells. */
  nearest(words: readonly number[], weigh: (word: number) => number, most: number): number[] {
    const search = ++this.#search;
    const found: number[] = [];
    const [tellings, before, seen, shares] = [this.#tellings, this.#before, this.#found, this.#shares];
    for (const word of words) {
      const weight = weigh(word);
      if (weight < TOO_COMMON) continue;
      let link = this.#heads[this.#placeOf(word)] ?? -1;
      for (let steps = 0; link >= 0 && steps < MOST_FOR_A_WORD; steps++) {
        const telling = tellings[link] ?? 0;
        if (seen[telling] === search) shares[telling] = (shares[telling] ?? 0) + weight;
        else {
          seen[telling] = search;
          shares[telling] = weight;
          found.push(telling);
        }
        link = before[link] ?? -1;
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
      let place = best.length === most ? most - 1 : best.length;
      for (; place > 0 && this.share(best[place - 1] ?? 0) < share; place--)
        best[place] = best[place - 1] ?? 0;
      best[place] = telling;
    }
    return best;
  }

  #link(telling: number, word: number): void {
    const link = this.#links++;
    if (link >= this.#tellings.length) {
      this.#tellings = grown(this.#tellings, Int32Array);
      this.#before = grown(this.#before, Int32Array);
    }
    let place = this.#placeOf(word);
    if (this.#heads[place] === -1 && ++this.#used * 2 > this.#heads.length) {
      this.#spread();
      place = this.#placeOf(word);
    }
    this.#tellings[link] = telling;
    this.#before[link] = this.#heads[place] ?? -1;
    this.#words[place] = word;
    this.#heads[place] = link;
  }

  /** Where a word is, or the free place where it would be. At least half of the places are free. */
  #placeOf(word: number): number {
    const [words, heads] = [this.#words, this.#heads];
    const last = heads.length - 1;
    let place = word & last;
    while (heads[place] !== -1 && words[place] !== word) place = (place + 1) & last;
    return place;
  }

  /** Twice as many places, so that each word is found at once. */
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

function grown<A extends Int32Array | Float32Array>(array: A, Kind: new (size: number) => A): A {
  const larger = new Kind(array.length * 2);
  larger.set(array);
  return larger;
}
