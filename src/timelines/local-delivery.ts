import pLimit from 'p-limit';
import type { Logger } from '../telemetry/logger.ts';
import { backOff } from '../time/back-off.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import { AuthorOrder, meansLater, orderKey, type Turn } from '../timeline/author-order.ts';
import type { ChangeFeed, ChangeHandler, EventDelivery, FeedChange } from './change-feed.ts';

const RETRY = { baseMs: 200, capMs: 10 * SECOND };
/** Long rests that are worked on at the same time. */
const RESTS = 2;
/** So many events may be in retry, in a rest or behind an earlier one of their author before no more are taken. */
const MAX_ASIDE = 1000;

/**
 * Handles changes in the process that reads the feed, for timelines in its memory. It stores nothing: after a restart the
 * timelines are read from the social store, which has everything that the feed told.
 */
export class LocalDelivery implements EventDelivery {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #order = new AuthorOrder();
  readonly #rests = pLimit(RESTS);
  /** Work that goes on beside the feed. */
  readonly #aside = new Set<Promise<void>>();
  #feed: ChangeFeed | null = null;
  #taken = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  async deliver(feed: ChangeFeed, handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    this.#feed = feed;
    const take = (change: FeedChange): Promise<void> => this.#take(change, handle, signal);
    await feed.relay({ durable: false, log: this.#log, take }, signal);
    await Promise.all(this.#aside);
  }

  async waiting(): Promise<number> {
    return ((await this.#feed?.waiting()) ?? 0) + this.#aside.size;
  }

  async #take(taken: FeedChange, handle: ChangeHandler, signal: AbortSignal): Promise<void> {
    while (this.#aside.size >= MAX_ASIDE) await Promise.race(this.#aside);
    if (signal.aborted) return;
    const left = await this.#begin(taken, handle, signal);
    if (left === undefined) return;
    const work = left().finally(() => this.#aside.delete(work));
    this.#aside.add(work);
  }

  /** What is left to do beside the others: the rest of a long work, a retry, or an event that waits for an earlier one. */
  async #begin(
    taken: FeedChange,
    handle: ChangeHandler,
    signal: AbortSignal,
  ): Promise<(() => Promise<void>) | undefined> {
    const { change } = taken;
    const position = String(++this.#taken).padStart(16, '0');
    const whole = async (): Promise<void> => {
      const rest = await handle(change, taken);
      if (rest) await this.#rests(rest);
    };
    const key = orderKey(change);
    if (key !== null && this.#order.isTaken(key))
      return async () => this.#untilDone(taken, whole, whole, signal, await this.#order.turn(key, position));
    const turn = key === null ? null : await this.#order.turn(key, position);
    try {
      const rest = await handle(change, taken);
      if (rest) return () => this.#untilDone(taken, () => this.#rests(rest), whole, signal, turn);
      turn?.end();
      return undefined;
    } catch (error) {
      return () => this.#untilDone(taken, () => Promise.reject(error), whole, signal, turn);
    }
  }

  async #untilDone(
    { change }: FeedChange,
    first: () => Promise<void>,
    again: () => Promise<void>,
    signal: AbortSignal,
    turn: Turn | null,
  ): Promise<void> {
    try {
      for (let failures = 0; !signal.aborted; ) {
        try {
          return await (failures === 0 ? first() : again());
        } catch (error) {
          if (!meansLater(error)) turn?.end();
          failures += 1;
          const waitMs = backOff(failures, RETRY, Math.random());
          this.#log.error('Failed to handle a timeline event, retrying', {
            event: change.type,
            failures,
            waitMs,
            error,
          });
          await this.#clock.sleep(waitMs, signal).catch(() => {});
        }
      }
    } finally {
      turn?.end();
    }
  }
}
