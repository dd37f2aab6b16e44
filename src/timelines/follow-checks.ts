import { createHash } from 'node:crypto';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { TimelineOrigin } from './origin.ts';
import type { StreamLog } from './streams.ts';
import { type HomePullAuthors, homeTimeline, type TimelineStore } from './timeline-store.ts';

export interface FollowCheckDependencies {
  readonly store: TimelineStore;
  readonly origin: Pick<TimelineOrigin, 'following'>;
  readonly streams: Pick<StreamLog, 'reset' | 'subscribedHomes'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A home that was checked within this time is not checked again. */
  readonly intervalMs: number;
}

/** Maximum time that a reader waits for the answer. */
const MAX_WAIT_MS = 500;
/** Time after a failure in which readers skip the check. */
const FAILURE_COOLDOWN_MS = 10 * SECOND;

/**
 * Compares the follows that a home was built from with the user service from time to time: a remote service may change
 * follows without an event, and an event may get lost (C13).
 */
export class FollowChecks {
  readonly #deps: FollowCheckDependencies;
  readonly #checking = new Map<string, Promise<boolean>>();
  #cooldownUntil = 0;

  constructor(deps: FollowCheckDependencies) {
    this.#deps = deps;
  }

  /**
   * Whether the home was evicted because it was built from other follows. If the user service fails or is slow, the home is
   * read as it is, and a late answer counts for the next reader.
   */
  async changed(userId: string, known: HomePullAuthors | null): Promise<boolean> {
    const { clock } = this.#deps;
    if (!this.#isDue(known) || clock.monotonic() < this.#cooldownUntil) return false;
    const waited = new AbortController();
    const timeout = clock.sleep(MAX_WAIT_MS, waited.signal).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([this.#checkOnce(userId, known), timeout]);
    } finally {
      waited.abort();
    }
  }

  /** Checks the homes that have open streams, which are not read. Ends with the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, store, streams, log } = this.#deps;
    while (!signal.aborted) {
      await clock.sleep(intervalMs / 2, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        for (const userId of await streams.subscribedHomes()) {
          if (signal.aborted) return;
          const window = await store.page(homeTimeline(userId), { limit: 1 });
          const known = window?.pullAuthors ?? null;
          if (window !== null && this.#isDue(known)) await this.#checkOnce(userId, known, signal);
        }
      } catch (error) {
        log.warn('Failed to check the follows of open streams, retrying', { error });
      }
    }
  }

  #isDue(known: HomePullAuthors | null): boolean {
    const { clock, intervalMs } = this.#deps;
    return known?.checkedAt === undefined || Math.abs(clock.now() - known.checkedAt) >= intervalMs;
  }

  #checkOnce(userId: string, known: HomePullAuthors | null, signal?: AbortSignal): Promise<boolean> {
    const running = this.#checking.get(userId);
    if (running) return running;
    const started = this.#check(userId, known, signal).finally(() => this.#checking.delete(userId));
    this.#checking.set(userId, started);
    return started;
  }

  async #check(userId: string, known: HomePullAuthors | null, signal?: AbortSignal): Promise<boolean> {
    const { store, origin, streams, clock, log } = this.#deps;
    const home = homeTimeline(userId);
    try {
      const follows = fingerprint(await origin.following(userId, signal));
      if (known?.follows === follows) {
        const pullAuthors = { ...known, checkedAt: clock.now() };
        await store.merge(home, { entries: [], floor: null, pullAuthors });
        return false;
      }
      await store.evict(home);
      await streams.reset([home]);
      return true;
    } catch (error) {
      if (signal?.aborted) return false;
      log.warn('Failed to check follows; the timeline is shown as it is', { error });
      this.#cooldownUntil = clock.monotonic() + FAILURE_COOLDOWN_MS;
      return false;
    }
  }
}

/** Equal for two lists with the same IDs, in any order. */
export function fingerprint(ids: readonly string[]): string {
  return ids.reduce(fingerprintWith, '0');
}

/** The fingerprint `of` a list, with this ID added. */
export function fingerprintWith(of: string, id: string): string {
  const digest = createHash('sha1').update(id).digest('hex').slice(0, 16);
  return BigInt.asUintN(64, BigInt(`0x${of}`) + BigInt(`0x${digest}`)).toString(16);
}
