import pLimit from 'p-limit';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';
import type { ChangeFeed, ChangeHandler, EventDelivery, FeedChange } from './change-feed.ts';
import { AuthorOrder, blocksLaterEvents, orderKey } from './event-log.ts';

const RETRY = { baseMs: 200, capMs: 10 * SECOND };
const DEFERRED_CONCURRENCY = 2;
/** Events being retried, deferred or queued behind an earlier one of their author, above which no more are accepted. */
const MAX_WORKING = 1000;

/**
 * Handles changes in the process that reads the feed, for timelines in its memory. It stores nothing: after a restart the
 * timelines are rebuilt from the social store, which has everything that the feed contained.
 */
export class LocalDelivery implements EventDelivery {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #order = new AuthorOrder();
  readonly #deferred = pLimit(DEFERRED_CONCURRENCY);
  readonly #working = new Set<Promise<void>>();
  #feed: ChangeFeed | null = null;
  #accepted = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  async deliver(feed: ChangeFeed, handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    this.#feed = feed;
    const accept = (change: FeedChange): Promise<void> => this.#accept(change, handle, signal);
    await feed.relay({ durable: false, log: this.#log, accept }, signal);
    await Promise.all(this.#working);
  }

  async waiting(): Promise<number> {
    return ((await this.#feed?.waiting()) ?? 0) + this.#working.size;
  }

  /** Resolves when the next change may begin: after the first attempt, or at once if an earlier drop of its author is in progress. */
  async #accept(entry: FeedChange, handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    while (this.#working.size >= MAX_WORKING) await Promise.race(this.#working);
    if (signal.aborted) return;
    const next = Promise.withResolvers<void>();
    const work = this.#work(entry, handle, next.resolve, signal).finally(() => {
      this.#working.delete(work);
      next.resolve();
    });
    this.#working.add(work);
    await next.promise;
  }

  async #work(
    entry: FeedChange,
    handle: ChangeHandler,
    next: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const author = orderKey(entry.change);
    const position = String(++this.#accepted).padStart(16, '0');
    if (author !== null && this.#order.isBusy(author)) next();
    const turn = author === null ? null : await this.#order.turn(author, position);
    try {
      for (let failures = 0; !signal.aborted; ) {
        try {
          const deferred = await handle(entry.change, entry);
          next();
          if (deferred) await this.#deferred(deferred);
          return;
        } catch (error) {
          next();
          if (!blocksLaterEvents(error)) turn?.end();
          failures += 1;
          const waitMs = jitteredBackoff(failures, RETRY, Math.random());
          const event = entry.change.type;
          this.#log.error('Failed to handle a timeline event, retrying', { event, failures, waitMs, error });
          await this.#clock.sleep(waitMs, signal).catch(() => {});
        }
      }
    } finally {
      turn?.end();
    }
  }
}
