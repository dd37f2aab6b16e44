import type { Item, ItemKey, Sighting } from '../item/item.ts';

/**
 * Hands items over to workers, perhaps in other processes. A delivery only names an item: it may be late, duplicated or
 * out of order, and the ledger decides whether there is anything to do.
 */
export interface Queue extends AsyncDisposable {
  readonly abilities: QueueAbilities;
  /** Resolves when the queue has stored the items durably. */
  enqueue(items: readonly Item[]): Promise<void>;
  /** Receives until the signal is aborted, then finishes the deliveries in flight and resolves. */
  consume(handle: (delivery: QueueDelivery) => Promise<Handled>, options: ConsumeOptions): Promise<void>;
}

export interface QueueAbilities {
  /** False where the ledger itself is the queue: an admitted item is enqueued already. */
  readonly separate: boolean;
}

export interface QueueDelivery {
  readonly key: ItemKey;
  /** The item as described by the message, if it is; for an item that the ledger does not know yet. */
  readonly sighting?: Sighting;
}

/** `done`: acknowledge. `later`: redeliver. */
export type Handled = 'done' | 'later';

export interface ConsumeOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal;
}
