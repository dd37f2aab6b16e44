import type { Clock } from '../time/clock.ts';

export interface CircuitOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** So many failures in a row open it. */
  readonly after?: number;
  /** How long nothing is tried. */
  readonly restMs?: number;
}

/**
 * Keeps requests from waiting, one after the other, for a server that does not answer. Closed: everything passes.
 * Open: nothing does. After a rest one call is let through; when it succeeds, the circuit is closed again.
 */
export class Circuit {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #after: number;
  readonly #restMs: number;
  #failures = 0;
  #restUntil = 0;
  #trying = false;

  constructor({ clock, after = 3, restMs = 500 }: CircuitOptions) {
    this.#clock = clock;
    this.#after = after;
    this.#restMs = restMs;
  }

  get open(): boolean {
    return this.#failures >= this.#after;
  }

  /** Whether a call may go out now. */
  admit(): boolean {
    if (!this.open) return true;
    if (this.#trying || this.#clock.monotonic() < this.#restUntil) return false;
    this.#trying = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trying = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#trying = false;
    this.#restUntil = this.#clock.monotonic() + this.#restMs;
  }
}
