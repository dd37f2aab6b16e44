interface Batch<K, T> {
  readonly read: (keys: readonly K[]) => Promise<readonly (T | undefined)[]>;
  readonly asked: Map<K, PromiseWithResolvers<T>>;
}

/**
 * Collects reads and does them together at the end of the event loop's turn. A read that is under way already is not joined: it may
 * have missed what was written before the call.
 */
export class Batches<K, T> {
  readonly #max: number;
  readonly #waiting = new Map<string, Batch<K, T>>();

  /** `max`: so many different keys go in one batch. */
  constructor(max: number) {
    this.#max = max;
  }

  /** `read` answers in the order of the keys. Of one group any caller's `read` serves for all. */
  read(group: string, key: K, read: Batch<K, T>['read']): Promise<T> {
    let batch = this.#waiting.get(group);
    if (batch === undefined) {
      if (this.#waiting.size === 0) setImmediate(() => this.#flush());
      batch = { read, asked: new Map() };
      this.#waiting.set(group, batch);
    }
    let answer = batch.asked.get(key);
    if (answer === undefined) {
      answer = Promise.withResolvers();
      batch.asked.set(key, answer);
    }
    return answer.promise;
  }

  #flush(): void {
    const batches = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { read, asked } of batches) {
      const all = [...asked];
      for (let from = 0; from < all.length; from += this.#max)
        void answerAll(read, all.slice(from, from + this.#max));
    }
  }
}

async function answerAll<K, T>(
  read: Batch<K, T>['read'],
  asked: readonly (readonly [K, PromiseWithResolvers<T>])[],
): Promise<void> {
  try {
    const answers = await read(asked.map(([key]) => key));
    for (const [n, [, { resolve }]] of asked.entries()) resolve(answers[n] as T);
  } catch (error) {
    for (const [, { reject }] of asked) reject(error);
  }
}
