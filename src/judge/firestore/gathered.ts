/** A piece of work that waits for its turn, and what to tell whoever waits for it. */
interface Waiting<I, O> {
  readonly input: I;
  resolve(answer: O): void;
  reject(error: unknown): void;
}

/**
 * Does at once what comes alone, and together what came meanwhile: one round trip at a time, and each carries all that
 * waited for it. So a process is at most one writer of a document, however many calls it makes at the same time.
 */
export class Gathered<I, O> {
  readonly #work: (inputs: readonly I[]) => Promise<readonly O[]>;
  readonly #most: number;
  #waiting: Waiting<I, O>[] = [];
  #running: Promise<void> | null = null;

  /** `work` answers every input, in order. */
  constructor(work: (inputs: readonly I[]) => Promise<readonly O[]>, most: number) {
    this.#work = work;
    this.#most = most;
  }

  do(input: I): Promise<O> {
    const answer = new Promise<O>((resolve, reject) => this.#waiting.push({ input, resolve, reject }));
    this.#running ??= this.#run();
    return answer;
  }

  /** When nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Never fails: whoever waits is told. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#round(this.#waiting.splice(0, this.#most));
    this.#running = null;
  }

  async #round(some: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const answers = await this.#work(some.map(({ input }) => input));
      for (const [index, waiting] of some.entries()) {
        if (index < answers.length) waiting.resolve(answers[index] as O);
        else waiting.reject(new Error('A piece of gathered work was left without an answer.'));
      }
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
