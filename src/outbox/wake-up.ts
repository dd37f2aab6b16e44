import type { Clock } from '../time/clock.ts';
import type { DeliveryOutcome, MessageStore } from './outbox.ts';

/**
 * Wakes whoever sees messages through. What this process writes down for later says when that is; so nobody has to look for it
 * all the time.
 */
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

/** The outbox with a bell: what is to be tried again rings at its time, what a person wants again rings at once. */
export function withWakeUp(outbox: MessageStore, bell: WakeUpSignal): MessageStore {
  const ringFor = (outcome: DeliveryOutcome): void => {
    if (outcome.state === 'intended' || outcome.state === 'unknown') bell.wake(outcome.dueAt);
  };
  return {
    abilities: outbox.abilities,
    claimNext: (...ask) => outbox.claimNext(...ask),
    nextDue: (destinations) => outbox.nextDue(destinations),
    markSending: (held) => outbox.markSending(held),
    async finish(held, outcome) {
      const settled = await outbox.finish(held, outcome);
      ringFor(outcome);
      return settled;
    },
    async finishAndClaimNext(held, outcome, leaseMs) {
      const settled = await outbox.finishAndClaimNext(held, outcome, leaseMs);
      ringFor(outcome);
      return settled;
    },
    async decide(key, decision, who) {
      const decided = await outbox.decide(key, decision, who);
      if (decision === 'again') bell.wake();
      return decided;
    },
    async correctFutureTimes(...ask) {
      const corrected = await outbox.correctFutureTimes(...ask);
      if (corrected.corrected > 0) bell.wake();
      return corrected;
    },
    list: (filter) => outbox.list(filter),
    ofItem: (key) => outbox.ofItem(key),
    counts: () => outbox.counts(),
  };
}
