import type { Clock } from '../time/clock.ts';
import { HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';

interface Tally {
  failures: number;
  /** By the monotonic clock. */
  notBefore: number;
  lastAt: number;
}

interface Rule {
  /** So many failures cost nothing. */
  readonly free: number;
  readonly longest: number;
}

/** Somebody who guesses at one account from one place waits long; an account that is guessed at from everywhere only a
 * little, so that nobody can lock its owner out. */
const RULES = {
  both: { free: 5, longest: 15 * MINUTE },
  address: { free: 20, longest: 15 * MINUTE },
  account: { free: 50, longest: 20 * SECOND },
} as const satisfies Record<string, Rule>;

const FORGET_AFTER = HOUR;
const MOST_KEPT = 20_000;

/** Counts failed sign-ins, and makes whoever fails often wait, twice as long each time. */
export class Attempts {
  readonly #clock: Clock;
  readonly #tallies = new Map<string, Tally>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many milliseconds to wait before the next try; 0 means now. */
  waitFor(account: string, address: string): number {
    const now = this.#clock.monotonic();
    const waits = keysOf(account, address).map(([key]) => (this.#tallies.get(key)?.notBefore ?? 0) - now);
    return Math.max(0, ...waits);
  }

  failed(account: string, address: string): void {
    const now = this.#clock.monotonic();
    for (const [key, { free, longest }] of keysOf(account, address)) {
      const known = this.#tallies.get(key);
      const failures = known === undefined || now - known.lastAt > FORGET_AFTER ? 1 : known.failures + 1;
      const wait = failures <= free ? 0 : backoff(failures - free, { baseMs: 2 * SECOND, capMs: longest });
      this.#tallies.delete(key);
      this.#tallies.set(key, { failures, notBefore: now + wait, lastAt: now });
    }
    // The oldest go first: a map keeps the order in which they were put in.
    for (const key of this.#tallies.keys()) {
      if (this.#tallies.size <= MOST_KEPT) break;
      this.#tallies.delete(key);
    }
  }

  succeeded(account: string, address: string): void {
    for (const [key] of keysOf(account, address).slice(0, 2)) this.#tallies.delete(key);
  }
}

function keysOf(account: string, address: string): (readonly [string, Rule])[] {
  return [
    [`both ${account} ${address}`, RULES.both],
    [`account ${account}`, RULES.account],
    [`address ${address}`, RULES.address],
  ];
}
