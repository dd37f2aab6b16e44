import type { ReadTelling } from './story-evidence.ts';

/** Characters in all that are kept taken apart: the titles of 100,000 tellings, or a fifth of them with their leads. */
const MOST_CHARACTERS = 8_000_000;

/**
 * Tellings that are kept taken apart, by their number, since a story is told again soon or never. There are two halves:
 * when the new one is full it becomes the old one, and what is in the old one by then has not been asked for since.
 */
export class Readings {
  readonly #mostOfHalf: number;
  #new = new Map<number, ReadTelling>();
  #old = new Map<number, ReadTelling>();
  #characters = 0;

  constructor(mostCharacters = MOST_CHARACTERS) {
    this.#mostOfHalf = mostCharacters / 2;
  }

  get(number: number): ReadTelling | undefined {
    const kept = this.#new.get(number);
    if (kept !== undefined) return kept;
    const old = this.#old.get(number);
    if (old !== undefined) this.keep(number, old);
    return old;
  }

  keep(number: number, telling: ReadTelling): void {
    if (this.#characters > this.#mostOfHalf) {
      this.#old = this.#new;
      this.#new = new Map();
      this.#characters = 0;
    }
    this.#new.set(number, telling);
    this.#characters += telling.characters;
  }
}
