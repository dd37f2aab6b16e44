import type { Item, ItemKey } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { ConsumeOptions, Handled, Queue, QueueDelivery } from './queue.ts';

export interface LedgerQueueOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Poll interval of an idle queue; also bounds how late a dead worker's item is found (X21). */
  readonly pollMs?: number;
  /** Delay before this process redelivers an item. */
  readonly retryDelayMs?: number;
  /** A handler threw. Its item is redelivered. */
  readonly onError?: (key: ItemKey, error: unknown) => void;
}

/**
 * The ledger as its own queue (D10). An admitted item is enqueued already, and the ledger defines the order. An item is
 * delivered to one handler of this process at a time, but perhaps to several processes: the claim decides who works on it.
 */
export class LedgerQueue implements Queue {
  readonly abilities = { separate: false };
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #retryDelayMs: number;
  readonly #onError: (key: ItemKey, error: unknown) => void;
  /** In flight in this process. */
  readonly #busy = new Set<ItemKey>();
  /** Earliest time of the next delivery. */
  readonly #delayedUntil = new Map<ItemKey, number>();
  #wake: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(options: LedgerQueueOptions) {
    this.#ledger = options.ledger;
    this.#clock = options.clock;
    this.#pollMs = options.pollMs ?? 5 * SECOND;
    this.#retryDelayMs = options.retryDelayMs ?? 5 * SECOND;
    this.#onError = options.onError ?? (() => {});
  }

  async enqueue(items: readonly Item[]): Promise<void> {
    // The ledger has them already; waking saves this process the wait for its next poll.
    if (items.length > 0) this.#wakeUp();
  }

  async consume(
    handle: (delivery: QueueDelivery) => Promise<Handled>,
    options: ConsumeOptions,
  ): Promise<void> {
    const { concurrency, signal } = options;
    const stop = (): void => this.#wakeUp();
    signal.addEventListener('abort', stop, { once: true });
    const inFlight = new Set<Promise<void>>();
    try {
      while (!signal.aborted) {
        const woken = this.#wake.promise;
        const free = concurrency - inFlight.size;
        const keys = free > 0 ? await this.#next(free) : [];
        for (const key of keys) {
          const work = this.#deliver(key, handle).finally(() => inFlight.delete(work));
          inFlight.add(work);
        }
        if (signal.aborted) break;
        if (keys.length === 0) await this.#waitForWork(woken, inFlight, signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      await Promise.all(inFlight);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wakeUp();
  }

  async #next(limit: number): Promise<ItemKey[]> {
    const now = this.#clock.now();
    for (const [key, until] of this.#delayedUntil) if (until <= now) this.#delayedUntil.delete(key);
    const skipped = this.#busy.size + this.#delayedUntil.size;
    const keys = await this.#ledger.upcoming(limit + skipped);
    return keys.filter((key) => !this.#busy.has(key) && !this.#delayedUntil.has(key)).slice(0, limit);
  }

  async #deliver(key: ItemKey, handle: (delivery: QueueDelivery) => Promise<Handled>): Promise<void> {
    this.#busy.add(key);
    try {
      // `done` is delayed like `later`: the handler may have left an open item to another process.
      await handle({ key });
    } catch (error) {
      this.#onError(key, error);
    } finally {
      this.#busy.delete(key);
      this.#delayedUntil.set(key, this.#clock.now() + this.#retryDelayMs);
      this.#wakeUp();
    }
  }

  /** Waits until something is enqueued or done, or the next poll is due. */
  async #waitForWork(
    woken: Promise<void>,
    inFlight: ReadonlySet<Promise<void>>,
    signal: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const sleep = this.#clock
      .sleep(this.#pollMs, AbortSignal.any([signal, over.signal]))
      .catch((error: unknown) => {
        if (!signal.aborted && !over.signal.aborted) throw error;
      });
    await Promise.race([woken, sleep, ...inFlight]);
    over.abort();
    await sleep;
  }

  #wakeUp(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}
