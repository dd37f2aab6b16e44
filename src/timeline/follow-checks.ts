import { createHash } from 'node:crypto';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { TimelineOrigin } from './origin.ts';
import type { StreamLog } from './stream-log.ts';
import { type Aside, homeOf, type TimelineStore } from './timeline-store.ts';

export interface FollowCheckParts {
  readonly store: TimelineStore;
  readonly origin: Pick<TimelineOrigin, 'following'>;
  readonly streams: Pick<StreamLog, 'reset' | 'watchedHomes'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A home that was checked within this time is believed. */
  readonly everyMs: number;
}

/**
 * Asks the user service again whom the readers of homes follow. A remote one may change follows without an event, and an
 * event may get lost: what a home was built from is compared from time to time (C13).
 */
export class FollowChecks {
  readonly #parts: FollowCheckParts;
  readonly #checking = new Map<string, Promise<boolean>>();

  constructor(parts: FollowCheckParts) {
    this.#parts = parts;
  }

  /** Whether the home was dropped, because it was built from other follows. Where that cannot be asked, it was not. */
  changed(userId: string, known: Aside | null): Promise<boolean> {
    const { clock, everyMs } = this.#parts;
    if (known?.checkedAt !== undefined && Math.abs(clock.now() - known.checkedAt) < everyMs)
      return Promise.resolve(false);
    const running = this.#checking.get(userId);
    if (running) return running;
    const started = this.#check(userId, known).finally(() => this.#checking.delete(userId));
    this.#checking.set(userId, started);
    return started;
  }

  /** The homes that have streams, which are not read. Ends with the signal. */
  async keepChecking(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, store, streams, log } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(everyMs / 2, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        for (const userId of await streams.watchedHomes()) {
          if (signal.aborted) return;
          const window = await store.page(homeOf(userId), { limit: 1 });
          if (window !== null) await this.changed(userId, window.aside ?? null);
        }
      } catch (error) {
        log.warn('Failed to check the follows of open streams, retrying', { error });
      }
    }
  }

  async #check(userId: string, known: Aside | null): Promise<boolean> {
    const { store, origin, streams, clock, log } = this.#parts;
    const home = homeOf(userId);
    try {
      const follows = fingerprint(await origin.following(userId));
      if (known?.follows === follows) {
        const aside = { ...known, checkedAt: clock.now() };
        await store.merge(home, { entries: [], floor: null, aside });
        return false;
      }
      await store.drop(home);
      await streams.reset([home]);
      return true;
    } catch (error) {
      log.warn('Failed to check follows; the timeline is shown as it is', { error });
      return false;
    }
  }
}

/** Says whether two lists have the same IDs, in whatever order. */
export function fingerprint(ids: readonly string[]): string {
  return ids.reduce(withOne, '0');
}

/** The fingerprint of a list that has this ID too. */
export function withOne(of: string, id: string): string {
  const digest = createHash('sha1').update(id).digest('hex').slice(0, 16);
  return BigInt.asUintN(64, BigInt(`0x${of}`) + BigInt(`0x${digest}`)).toString(16);
}
