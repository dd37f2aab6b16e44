import type { Item, ItemKey } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { ConsumeOptions, Handled, Queue, QueueDelivery } from './queue.ts';

export interface LedgerQueueOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** How often the ledger is asked when there is nothing to do: also how soon a dead worker's item is found (X21). */
  readonly pollMs?: number;
  /** How long an item that is to come later rests before this process hands it over again. */
  readonly retryDelayMs?: number;
  /** A handler threw. Its item comes again later. */
  readonly onError?: (key: ItemKey, error: unknown) => void;
}

/**
 * The ledger as its own queue (D10). Admitting is handing over; whose turn it is, the ledger says. An item is named to
 * one handler of this process at a time, and to several processes perhaps: who may work on it, the claim decides.
 */
export class LedgerQueue implements Queue {
  readonly abilities = { separate: false };
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #retryDelayMs: number;
  readonly #onError: (key: ItemKey, error: unknown) => void;
  /** Under way in this process. */
  readonly #busy = new Set<ItemKey>();
  /** Not to be named again before this time. */
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
    // The ledger has them already; only this process need not wait until it looks again.
    if (items.length > 0) this.#wakeUp();
  }

  async consume(
    handle: (delivery: QueueDelivery) => Promise<Handled>,
    options: ConsumeOptions,
  ): Promise<void> {
    const { concurrency, signal } = options;
    const stop = (): void => this.#wakeUp();
    signal.addEventListener('abort', stop, { once: true });
    const under = new Set<Promise<void>>();
    try {
      while (!signal.aborted) {
        const woken = this.#wake.promise;
        const free = concurrency - under.size;
        const keys = free > 0 ? await this.#next(free) : [];
        for (const key of keys) {
          const work = this.#deliver(key, handle).finally(() => under.delete(work));
          under.add(work);
        }
        if (signal.aborted) break;
        if (keys.length === 0) await this.#waitForWork(woken, under, signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      await Promise.all(under);
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
      // What is done and still open rests too: its handler may have left it to another process.
      await handle({ key });
    } catch (error) {
      this.#onError(key, error);
    } finally {
      this.#busy.delete(key);
      this.#delayedUntil.set(key, this.#clock.now() + this.#retryDelayMs);
      this.#wakeUp();
    }
  }

  /** Until something is enqueued or done, or it is time to look again. */
  async #waitForWork(
    woken: Promise<void>,
    under: ReadonlySet<Promise<void>>,
    signal: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const sleep = this.#clock
      .sleep(this.#pollMs, AbortSignal.any([signal, over.signal]))
      .catch((error: unknown) => {
        if (!signal.aborted && !over.signal.aborted) throw error;
      });
    await Promise.race([woken, sleep, ...under]);
    over.abort();
    await sleep;
  }

  #wakeUp(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}
