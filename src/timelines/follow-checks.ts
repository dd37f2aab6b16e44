import { createHash } from 'node:crypto';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { TimelineOrigin } from './origin.ts';
import type { StreamLog } from './streams.ts';
import { type HomePullAuthors, homeTimeline, type TimelineStore } from './timeline-store.ts';

export interface FollowCheckParts {
  readonly store: TimelineStore;
  readonly origin: Pick<TimelineOrigin, 'following'>;
  readonly streams: Pick<StreamLog, 'reset' | 'subscribedHomes'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A home that was checked within this time is believed. */
  readonly intervalMs: number;
}

/** So long a reader waits for the answer. */
const MAX_WAIT_MS = 500;
/** After a failure readers do not wait for an answer for so long. */
const FAILURE_COOLDOWN_MS = 10 * SECOND;

/**
 * Asks the user service again whom the readers of homes follow. A remote one may change follows without an event, and an
 * event may get lost: what a home was built from is compared from time to time (C13).
 */
export class FollowChecks {
  readonly #parts: FollowCheckParts;
  readonly #checking = new Map<string, Promise<boolean>>();
  #cooldownUntil = 0;

  constructor(parts: FollowCheckParts) {
    this.#parts = parts;
  }

  /**
   * Whether the home was dropped, because it was built from other follows. Where that cannot be asked now, or takes long, the
   * home is read as it is: the answer counts for the next reader.
   */
  async changed(userId: string, known: HomePullAuthors | null): Promise<boolean> {
    const { clock } = this.#parts;
    if (!this.#isDue(known) || clock.monotonic() < this.#cooldownUntil) return false;
    const waited = new AbortController();
    const patience = clock.sleep(MAX_WAIT_MS, waited.signal).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([this.#checkOnce(userId, known), patience]);
    } finally {
      waited.abort();
    }
  }

  /** The homes that have streams, which are not read. Ends with the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs: everyMs, store, streams, log } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(everyMs / 2, signal).catch(() => {});
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
    const { clock, intervalMs: everyMs } = this.#parts;
    return known?.checkedAt === undefined || Math.abs(clock.now() - known.checkedAt) >= everyMs;
  }

  #checkOnce(userId: string, known: HomePullAuthors | null, signal?: AbortSignal): Promise<boolean> {
    const running = this.#checking.get(userId);
    if (running) return running;
    const started = this.#check(userId, known, signal).finally(() => this.#checking.delete(userId));
    this.#checking.set(userId, started);
    return started;
  }

  async #check(userId: string, known: HomePullAuthors | null, signal?: AbortSignal): Promise<boolean> {
    const { store, origin, streams, clock, log } = this.#parts;
    const home = homeTimeline(userId);
    try {
      const follows = fingerprint(await origin.following(userId, signal));
      if (known?.follows === follows) {
        const aside = { ...known, checkedAt: clock.now() };
        await store.merge(home, { entries: [], floor: null, pullAuthors: aside });
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

/** Says whether two lists have the same IDs, in whatever order. */
export function fingerprint(ids: readonly string[]): string {
  return ids.reduce(fingerprintWith, '0');
}

/** The fingerprint of a list that has this ID too. */
export function fingerprintWith(of: string, id: string): string {
  const digest = createHash('sha1').update(id).digest('hex').slice(0, 16);
  return BigInt.asUintN(64, BigInt(`0x${of}`) + BigInt(`0x${digest}`)).toString(16);
}
