import type { Clock } from '../time/clock.ts';
import { endsTooLate, type LeaseWatch } from '../time/future.ts';

/**
 * Leases that end later than any lease can: their holder's clock was ahead. A holder that lives renews its lease; one that was
 * seen unchanged for the time of a lease is over, whatever its end.
 */
export class StalledLeases implements LeaseWatch {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { readonly until: number; readonly since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isOver(name: string, until: number, leaseMs: number): boolean {
    const now = this.#clock.now();
    if (until <= now) return true;
    if (!endsTooLate(until, leaseMs, now)) return false;
    const seen = this.#seen.get(name);
    if (seen?.until === until) return this.#clock.monotonic() - seen.since >= leaseMs;
    this.#seen.set(name, { until, since: this.#clock.monotonic() });
    return false;
  }
}
