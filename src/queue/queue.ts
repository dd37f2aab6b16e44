import type { Item, ItemKey, Sighting } from '../item/item.ts';

/**
 * Hands items over to workers that may be elsewhere. A queue carries names, never truth: it may deliver late, twice or
 * out of order, and whether there is anything to do is for the ledger to say.
 */
export interface Queue extends AsyncDisposable {
  readonly abilities: QueueAbilities;
  /** Hands over; resolves when the queue has it for good. */
  enqueue(items: readonly Item[]): Promise<void>;
  /** Receives until the signal is aborted; then finishes what is under way and resolves. */
  consume(handle: (delivery: QueueDelivery) => Promise<Handled>, options: ConsumeOptions): Promise<void>;
}

export interface QueueAbilities {
  /** False where the ledger itself is the queue: admitting is handing over. */
  readonly separate: boolean;
}

export interface QueueDelivery {
  readonly key: ItemKey;
  /** The item as the message tells of it, where it does: for an item that the ledger has not met. */
  readonly sighting?: Sighting;
}

/** `done`: never again. `later`: hand it over again. */
export type Handled = 'done' | 'later';

export interface ConsumeOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal;
}
