import { HOUR, MINUTE } from '../../src/time/duration.ts';

/** Mastodon's limits: all calls of an account, and new statuses more strictly. */
export interface MastodonLimits {
  readonly calls: { readonly requests: number; readonly perMs: number };
  readonly statuses: { readonly requests: number; readonly perMs: number };
}

export const MASTODON_LIMITS: MastodonLimits = {
  calls: { requests: 300, perMs: 5 * MINUTE },
  statuses: { requests: 300, perMs: 3 * HOUR },
};

/** Fixed windows on the clock, as in Mastodon. */
export class Throttle {
  readonly #limits: MastodonLimits;
  readonly #used = new Map<string, number>();

  constructor(limits: MastodonLimits) {
    this.#limits = limits;
  }

  /** Headers for the answer, and whether it must be 429. */
  take(family: keyof MastodonLimits, now: number): { headers: Record<string, string>; exceeded: boolean } {
    const { requests, perMs } = this.#limits[family];
    const window = Math.floor(now / perMs);
    const name = `${family} ${window}`;
    const used = (this.#used.get(name) ?? 0) + 1;
    this.#used.set(name, used);
    for (const other of this.#used.keys()) {
      if (other.startsWith(`${family} `) && other !== name) this.#used.delete(other);
    }
    return {
      exceeded: used > requests,
      headers: {
        'x-ratelimit-limit': String(requests),
        'x-ratelimit-remaining': String(Math.max(0, requests - used)),
        'x-ratelimit-reset': new Date((window + 1) * perMs).toISOString().replace('Z', '000Z'),
      },
    };
  }
}
