interface Pending<I, O> {
  readonly input: I;
  readonly answer: PromiseWithResolvers<O>;
}

/**
 * Runs one batch at a time: a single call runs at once, calls that arrive while a batch is running go into the next one. So
 * a process is at most one writer of a document, however many concurrent calls it makes.
 */
export class Batcher<I, O> {
  readonly #run: (inputs: readonly I[]) => Promise<readonly O[]>;
  readonly #max: number;
  readonly #pending: Pending<I, O>[] = [];
  #running: Promise<void> | null = null;

  /** `run` returns a result for every input, in order. `max`: the most inputs of one batch. */
  constructor(run: (inputs: readonly I[]) => Promise<readonly O[]>, max: number) {
    this.#run = run;
    this.#max = max;
  }

  do(input: I): Promise<O> {
    const answer = Promise.withResolvers<O>();
    this.#pending.push({ input, answer });
    this.#running ??= this.#runAll();
    return answer.promise;
  }

  get isIdle(): boolean {
    return this.#running === null;
  }

  /** Resolves when no batch is running. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, this.#max);
      try {
        const answers = await this.#run(batch.map(({ input }) => input));
        for (const [index, { answer }] of batch.entries()) answer.resolve(answers[index] as O);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    this.#running = null;
  }
}
