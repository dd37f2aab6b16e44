import type { ItemKey } from '../../item/item.ts';
import type { ItemRecord, Tombstone } from '../../ledger/item-record.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import { type MessageRecord, newMessage, standingOf } from '../../outbox/message-record.ts';

/** State shared by an in-memory ledger and its outbox. */
export interface MemoryLedgerState {
  readonly items: Map<ItemKey, ItemRecord>;
  readonly tombstones: Map<ItemKey, Tombstone>;
  readonly messages: Map<string, MessageRecord>;
  /** Sources of swept items. */
  readonly seenSources: Set<string>;
  count: number;
}

export function emptyLedgerState(): MemoryLedgerState {
  return { items: new Map(), tombstones: new Map(), messages: new Map(), seenSources: new Set(), count: 0 };
}

/** Oldest first. */
export function messagesOf(store: MemoryLedgerState, key: ItemKey): MessageRecord[] {
  return [...store.messages.values()]
    .filter((message) => message.delivery.itemKeys.includes(key))
    .sort((a, b) => a.nth - b.nth);
}

export function standingIn(store: MemoryLedgerState, message: NewMessage): ReturnType<typeof standingOf> {
  const related = message.itemKeys.flatMap((key) => messagesOf(store, key));
  return standingOf(
    message,
    store.messages.get(message.key)?.delivery ?? null,
    related.map(({ delivery }) => delivery),
  );
}

export function addMessage(store: MemoryLedgerState, message: NewMessage, now: number): void {
  store.messages.set(message.key, newMessage(message, ++store.count, now));
}
