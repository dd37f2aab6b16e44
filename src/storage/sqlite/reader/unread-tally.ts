import type { Contribution } from './story-states.ts';

/** Unread stories of a person by their sources. */
export class UnreadTally {
  /** Stories of one entry and one source. */
  readonly #alone = new Map<number, number>();
  /** The others, by the set of their sources. */
  readonly #shared = new Map<string, { readonly sources: readonly number[]; stories: number }>();
  readonly #bySource = new Map<number, number>();
  #sum = 0;

  /** All unread stories. */
  get sum(): number {
    return this.#sum;
  }

  of(source: number): number {
    return this.#bySource.get(source) ?? 0;
  }

  /** Sources with unread stories. */
  get sources(): number[] {
    return [...this.#bySource.keys()];
  }

  /** Unread stories of any of these sources. */
  ofAny(sources: readonly number[]): number {
    const wanted = new Set(sources);
    let all = 0;
    for (const source of wanted) all += this.#alone.get(source) ?? 0;
    for (const set of this.#shared.values())
      if (set.sources.some((source) => wanted.has(source))) all += set.stories;
    return all;
  }

  add({ shared, sources }: Contribution, stories: number): void {
    const [first] = sources;
    if (!shared && first !== undefined) {
      this.addAlone(first, stories);
      return;
    }
    const sorted = sources.toSorted((a, b) => a - b);
    const key = sorted.join();
    const set = this.#shared.get(key) ?? { sources: sorted, stories: 0 };
    set.stories += stories;
    if (set.stories === 0) this.#shared.delete(key);
    else this.#shared.set(key, set);
    this.#sum += stories;
    for (const source of sorted) addTo(this.#bySource, source, stories);
  }

  addAlone(source: number, stories: number): void {
    addTo(this.#alone, source, stories);
    addTo(this.#bySource, source, stories);
    this.#sum += stories;
  }

  setAlone(source: number, stories: number): void {
    this.addAlone(source, stories - (this.#alone.get(source) ?? 0));
  }
}

function addTo(counts: Map<number, number>, source: number, by: number): void {
  const count = (counts.get(source) ?? 0) + by;
  if (count === 0) counts.delete(source);
  else counts.set(source, count);
}
