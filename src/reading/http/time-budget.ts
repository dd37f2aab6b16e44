import type { Clock } from '../../time/clock.ts';
import type { Deadlines } from './deadlines.ts';

/** Work that has begun and can be given up. `done` settles at once when it is. */
export interface Running<T> {
  readonly done: Promise<T>;
  giveUp(reason: unknown): void;
}

/**
 * The time that one reading may take over all its hops. Only time spent with the other side counts: waiting for a
 * host's turn is our own politeness.
 */
export class TimeBudget {
  readonly signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  #left: number;

  constructor(clock: Clock, deadlines: Deadlines, totalMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#left = totalMs;
    this.signal = signal;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  /** Waits for a piece of work with what is left, and gives it up when the time is over or the caller does. */
  async spend<T>(running: Running<T>): Promise<T> {
    const started = this.#clock.monotonic();
    const onAbort = (): void => running.giveUp(this.signal?.reason);
    if (this.signal?.aborted) onAbort();
    else this.signal?.addEventListener('abort', onAbort, { once: true });
    let ranOut = false;
    const cancel = this.#deadlines.add(this.#left, () => {
      ranOut = true;
      running.giveUp(new Error('out of time'));
    });
    try {
      return await running.done;
    } finally {
      this.signal?.removeEventListener('abort', onAbort);
      cancel();
      this.#left = ranOut ? 0 : this.#left - (this.#clock.monotonic() - started);
    }
  }
}
