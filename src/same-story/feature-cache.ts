import type { StoryFeatures } from './story-features.ts';

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
