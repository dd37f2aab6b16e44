/** One place that the program came past. */
export interface Point {
  /** Stable: the port, what was asked of it, and whether that is done: `outbox.settle:after`. */
  readonly name: string;
  /** Counted from 1 in each run of the program. */
  readonly number: number;
}

/** Counts the places that a run comes past, and lets something happen at each. */
export class Points {
  readonly #passed: string[] = [];
  #last = performance.now();
  #under = 0;
  readonly #happen: (point: Point) => Promise<void> | void;

  constructor(happen: (point: Point) => Promise<void> | void = () => {}) {
    this.#happen = happen;
  }

  get passed(): readonly string[] {
    return this.#passed;
  }

  /** For how many milliseconds nobody came past any; 0 while something is between two of them. */
  get quietFor(): number {
    return this.#under > 0 ? 0 : performance.now() - this.#last;
  }

  /** Does something between two points. */
  around<R>(name: string, work: () => Promise<R>): Promise<R> {
    return this.during(async () => {
      await this.#at(`${name}:before`);
      const result = await work();
      await this.#at(`${name}:after`);
      return result;
    });
  }

  /** Does something that leaves no trace; it is not quiet meanwhile. */
  async during<R>(work: () => Promise<R>): Promise<R> {
    this.#under++;
    try {
      return await work();
    } finally {
      this.#under--;
      this.#last = performance.now();
    }
  }

  async #at(name: string): Promise<void> {
    this.#last = performance.now();
    const number = this.#passed.push(name);
    await this.#happen({ name, number });
  }
}

/** The program was ended here, as far as one process can do that to a part of itself. */
export class CrashError extends Error {
  override readonly name = 'CrashError';
  constructor(point: string) {
    super(`crashed at ${point}`);
  }
}
