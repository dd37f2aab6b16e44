import type { Clock } from '../../time/clock.ts';
import type { LedgerCounts } from '../ledger.ts';

/** How long a count may be told again, in milliseconds. */
export interface CountsFor {
  /** Where this process has changed something since. */
  readonly changed: number;
  /** Where it has not; others may have. */
  readonly unchanged: number;
}

/** The last count of a ledger: counting costs some thirty reads, and pages ask for it every few seconds. */
export class RememberedCounts {
  readonly #clock: Clock;
  readonly #for: CountsFor | undefined;
  #last: { readonly at: number; readonly counts: LedgerCounts } | null = null;
  #changed = false;

  constructor(clock: Clock, countsFor: CountsFor | undefined) {
    this.#clock = clock;
    this.#for = countsFor;
  }

  /** Work of this process that may change something. */
  after<T>(work: Promise<T>): Promise<T> {
    return work.finally(() => {
      this.#changed = true;
    });
  }

  async get(count: () => Promise<LedgerCounts>): Promise<LedgerCounts> {
    const now = this.#clock.monotonic();
    const keep = (this.#changed ? this.#for?.changed : this.#for?.unchanged) ?? 0;
    if (this.#last !== null && now - this.#last.at < keep) return this.#last.counts;
    this.#changed = false;
    this.#last = { at: now, counts: await count() };
    return this.#last.counts;
  }
}
