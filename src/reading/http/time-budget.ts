import type { Clock } from '../../time/clock.ts';

/**
 * The time that one reading may take over all its hops. Only time spent with the other side counts: waiting for a
 * host's turn is our own politeness.
 */
export class TimeBudget {
  readonly signal: AbortSignal | undefined;
  readonly #clock: Clock;
  #left: number;

  constructor(clock: Clock, totalMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#left = totalMs;
    this.signal = signal;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  /** Runs a piece of work with what is left; its signal ends it when the time is over or the caller gives up. */
  async spend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const started = this.#clock.monotonic();
    const stopWork = new AbortController();
    const stopTimer = new AbortController();
    const onAbort = (): void => stopWork.abort(this.signal?.reason);
    if (this.signal?.aborted) onAbort();
    else this.signal?.addEventListener('abort', onAbort, { once: true });
    let ranOut = false;
    this.#clock.sleep(this.#left, stopTimer.signal).then(
      () => {
        ranOut = true;
        stopWork.abort(new Error('out of time'));
      },
      () => {},
    );
    try {
      return await work(stopWork.signal);
    } finally {
      this.signal?.removeEventListener('abort', onAbort);
      stopTimer.abort();
      this.#left = ranOut ? 0 : this.#left - (this.#clock.monotonic() - started);
    }
  }
}
