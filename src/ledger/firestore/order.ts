/**
 * Numbers that grow with every admission in this process, and by the clock between processes. A clock that is set back
 * does not set them back. They stay exact until the year 2255.
 */
export class Order {
  readonly #now: () => number;
  readonly #start: number;
  #last = 0;

  constructor(now: () => number, random: () => number = Math.random) {
    this.#now = now;
    // Two processes that admit in the same millisecond are unlikely to give the same numbers.
    this.#start = Math.floor(random() * 700);
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, this.#now() * 1000 + this.#start);
    return this.#last;
  }

  /** The next number will be greater than this one of another process. */
  follow(nth: number): void {
    this.#last = Math.max(this.#last, nth);
  }
}
