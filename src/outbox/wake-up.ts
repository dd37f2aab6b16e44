import type { Clock } from '../time/clock.ts';

/** Wakes a loop when there is work to do: at once, or at a time that is known, so that it need not poll for what its own process wrote. */
export class WakeUpSignal {
  readonly #clock: Clock;
  #at = Number.POSITIVE_INFINITY;
  #woken = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** There is something to do at this time; now where none is given. */
  wake(at = this.#clock.now()): void {
    if (at >= this.#at) return;
    this.#at = at;
    this.#woken.resolve();
    this.#woken = Promise.withResolvers<void>();
  }

  /** Waits until there is something to do, at most for `ms`, or until the signal. */
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
