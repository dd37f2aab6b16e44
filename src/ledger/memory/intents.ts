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

/** Two messages of one call with one item for one destination. */
function sayTwice(intents: readonly NewIntent[]): boolean {
  return intents.some((a) =>
    intents.some(
      (b) =>
        a.key !== b.key &&
        a.destination === b.destination &&
        a.itemKeys.some((key) => b.itemKeys.includes(key)),
    ),
  );
}

function write(store: MemoryStore, intent: NewIntent, now: number): void {
  store.messages.set(intent.key, {
    nth: ++store.count,
    token: 0,
    marked: null,
    held: null,
    delivery: {
      ...intent,
      itemKeys: [...new Set(intent.itemKeys)],
      state: 'intended',
      remoteId: null,
      remoteUrl: null,
      detail: null,
      attempts: 0,
      createdAt: now,
      firstTriedAt: null,
      updatedAt: now,
      dueAt: null,
    },
  });
}
