import type { Clock } from '../time/clock.ts';

/**
 * Until when limits are used up, as the other side has said. One for the whole program, since two publishers may share
 * a limit. It is kept in memory only: whoever has forgotten it is told again by the next answer.
 */
export class Rests {
  readonly #clock: Clock;
  readonly #ends = new Map<string, { readonly until: number; readonly monotonic: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limit with this name is used up until then. */
  note(limit: string, until: number): void {
    const later = Math.max(until, this.until(limit));
    const monotonic = this.#clock.monotonic() + later - this.#clock.now();
    this.#ends.set(limit, { until: later, monotonic });
  }

  /** The latest end of these limits; 0 where none of them is known to be used up. A clock that is set back makes none longer. */
  until(...limits: readonly string[]): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    const ends = limits.flatMap((limit) => this.#ends.get(limit) ?? []);
    return Math.max(0, ...ends.map(({ until, monotonic }) => Math.min(until, Math.ceil(ahead + monotonic))));
  }
}
