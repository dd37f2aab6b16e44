import { newDelivery, sayTwice } from '../delivery-steps.ts';
import type { NewIntent } from '../ledger.ts';
import { type MemoryStore, messagesOf } from './store.ts';

/** All of them or none. */
export function intend(
  store: MemoryStore,
  intents: readonly NewIntent[],
  now: number,
): 'written' | 'there' | 'taken' {
  const found = intents.map((intent) => look(store, intent));
  if (found.includes('taken') || sayTwice(intents)) return 'taken';
  const free = intents.filter((_, index) => found[index] === 'free');
  for (const intent of free) write(store, intent, now);
  return free.length > 0 ? 'written' : 'there';
}

export function intendWhatIsFree(store: MemoryStore, intents: readonly NewIntent[], now: number): void {
  for (const intent of intents) if (look(store, intent) === 'free') write(store, intent, now);
}

function look(store: MemoryStore, intent: NewIntent): 'free' | 'there' | 'taken' {
  const same = store.messages.get(intent.key);
  if (same !== undefined && same.delivery.state !== 'dropped') return 'there';
  const said = intent.itemKeys.some((key) =>
    messagesOf(store, key).some(
      ({ delivery }) => delivery.destination === intent.destination && delivery.state !== 'dropped',
    ),
  );
  return said ? 'taken' : 'free';
}

function write(store: MemoryStore, intent: NewIntent, now: number): void {
  store.messages.set(intent.key, {
    nth: ++store.count,
    token: 0,
    marked: null,
    held: null,
    delivery: newDelivery(intent, now),
  });
}
