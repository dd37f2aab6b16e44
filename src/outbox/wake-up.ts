import type { Clock } from '../time/clock.ts';

/** Wakes a waiting loop at once or at a given time, so that it need not poll for work of its own process. */
export class WakeUpSignal {
  readonly #clock: Clock;
  #at = Number.POSITIVE_INFINITY;
  #woken = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wakes the loop at this time; default now. */
  wake(at = this.#clock.now()): void {
    if (at >= this.#at) return;
    this.#at = at;
    this.#woken.resolve();
    this.#woken = Promise.withResolvers<void>();
  }

  /** Waits for a wake-up, at most for `ms`, or until the signal. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const end = clock.monotonic() + ms;
    for (;;) {
      const left = Math.min(end - clock.monotonic(), this.#at - clock.now());
      if (left <= 0 || signal.aborted) break;
      const over = new AbortController();
      const sleep = clock.sleep(left, AbortSignal.any([signal, over.signal])).catch(() => {});
      await Promise.race([sleep, this.#woken.promise]);
      over.abort();
      await sleep;
    }
    this.#at = Number.POSITIVE_INFINITY;
  }
}
