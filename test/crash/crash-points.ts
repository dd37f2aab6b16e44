/** One place that the program passed. */
export interface Point {
  /** Stable: port, method, and whether the call is done: `outbox.finish:after`. */
  readonly name: string;
  /** Counted from 1 in each run of the program. */
  readonly number: number;
}

/** Counts the points that a run passes, and runs a hook at each. */
export class Points {
  readonly #passed: string[] = [];
  #last = performance.now();
  #running = 0;
  readonly #onPoint: (point: Point) => Promise<void> | void;

  constructor(onPoint: (point: Point) => Promise<void> | void = () => {}) {
    this.#onPoint = onPoint;
  }

  get passed(): readonly string[] {
    return this.#passed;
  }

  /** For how many milliseconds no point was passed; 0 while a call is between two of them. */
  get idleMs(): number {
    return this.#running > 0 ? 0 : performance.now() - this.#last;
  }

  /** Runs a call between two points. */
  around<R>(name: string, work: () => Promise<R>): Promise<R> {
    return this.during(async () => {
      await this.#at(`${name}:before`);
      const result = await work();
      await this.#at(`${name}:after`);
      return result;
    });
  }

  /** Runs a call without an effect; the run does not count as idle meanwhile. */
  async during<R>(work: () => Promise<R>): Promise<R> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#last = performance.now();
    }
  }

  async #at(name: string): Promise<void> {
    this.#last = performance.now();
    const number = this.#passed.push(name);
    await this.#onPoint({ name, number });
  }
}

/** Simulated crash of the program inside this process. */
export class CrashError extends Error {
  override readonly name = 'CrashError';
  constructor(point: string) {
    super(`crashed at ${point}`);
  }
}
