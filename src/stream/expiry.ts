import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { Subscriber } from './subscriber.ts';

/** Ends streams whose token has run out (C23). One timer for all of them: one each would be a good part of a stream's memory. */
export class Expiry {
  readonly #clock: Clock;
  readonly #open: () => Iterable<Subscriber>;
  #next = Number.POSITIVE_INFINITY;
  #waiting: AbortController | null = null;

  constructor(clock: Clock, open: () => Iterable<Subscriber>) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Something that is open ends at this time. */
  expect(endsAt: number): void {
    if (endsAt < this.#next) this.#wake(endsAt);
  }

  stop(): void {
    this.#waiting?.abort();
  }

  #wake(at: number): void {
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#next = at;
    this.#clock.sleep(Math.max(0, at - this.#clock.now()), waiting.signal).then(
      () => this.#sweep(),
      () => {},
    );
  }

  #sweep(): void {
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const subscriber of this.#open())
      if (subscriber.endsAt <= now) subscriber.end('token');
      else next = Math.min(next, subscriber.endsAt);
    this.#next = Number.POSITIVE_INFINITY;
    // What ends within the same second ends together.
    if (Number.isFinite(next)) this.#wake(Math.max(next, now + SECOND));
  }
}
