import type { LifecyclePolicy } from '../../item/lifecycle.ts';
import type { OutboxStore } from '../../press/outbox.ts';
import type { Clock } from '../../time/clock.ts';
import { MemoryLedger } from './ledger.ts';
import { MemoryOutbox } from './outbox.ts';
import { emptyStore } from './store.ts';

/** A pipeline's memory without a file: its ledger and its outbox. */
export function openMemoryLedger(options: { readonly clock: Clock; readonly policy: LifecyclePolicy }): {
  readonly ledger: MemoryLedger;
  readonly outbox: OutboxStore;
} & AsyncDisposable {
  const store = emptyStore();
  const ledger = new MemoryLedger(store, options.clock, options.policy);
  const outbox = new MemoryOutbox(store, options.clock);
  return { ledger, outbox, [Symbol.asyncDispose]: async () => {} };
}
