import type { ItemKey } from '../../item/item.ts';
import { type MessageRecord, newMessage, standingOf } from '../../outbox/message-record.ts';
import type { ItemRecord, Tombstone } from '../item-record.ts';
import type { NewIntent } from '../ledger.ts';

/** What a memory ledger and its outbox share. */
export interface MemoryStore {
  readonly items: Map<ItemKey, ItemRecord>;
  readonly tombstones: Map<ItemKey, Tombstone>;
  readonly messages: Map<string, MessageRecord>;
  /** Sources of swept items. */
  readonly metSources: Set<string>;
  count: number;
}

export function emptyStore(): MemoryStore {
  return { items: new Map(), tombstones: new Map(), messages: new Map(), metSources: new Set(), count: 0 };
}

/** Oldest first. */
export function messagesOf(store: MemoryStore, key: ItemKey): MessageRecord[] {
  return [...store.messages.values()]
    .filter((message) => message.delivery.itemKeys.includes(key))
    .sort((a, b) => a.nth - b.nth);
}

export function standingIn(store: MemoryStore, intent: NewIntent): ReturnType<typeof standingOf> {
  const beside = intent.itemKeys.flatMap((key) => messagesOf(store, key));
  return standingOf(
    intent,
    store.messages.get(intent.key)?.delivery ?? null,
    beside.map(({ delivery }) => delivery),
  );
}

export function addMessage(store: MemoryStore, intent: NewIntent, now: number): void {
  store.messages.set(intent.key, newMessage(intent, ++store.count, now));
}
