import type { Item, ItemKey } from '../../item/item.ts';
import type { State } from '../../item/lifecycle.ts';
import type { Delivery } from '../../press/outbox.ts';
import type { HistoryEntry, Sighted } from '../ledger.ts';

/** One item and everything beside it. */
export interface Entry {
  /** Counts admissions; ties in time are broken by it. */
  readonly nth: number;
  item: Item;
  token: number;
  claim: { readonly owner: string; readonly until: number; readonly attempt: string | null } | null;
  /** `null`: the ledger is the queue. 0: not handed over yet. */
  handedAt: number | null;
  readonly steps: Set<string>;
  readonly sightings: Sighted[];
  readonly history: HistoryEntry[];
}

export interface Message {
  delivery: Delivery;
  readonly nth: number;
  token: number;
  marked: number | null;
  held: { readonly owner: string; readonly until: number } | null;
}

/** What a memory ledger and its outbox share. */
export interface MemoryStore {
  readonly items: Map<ItemKey, Entry>;
  readonly tombstones: Map<ItemKey, { readonly state: State; readonly sweptAt: number }>;
  readonly messages: Map<string, Message>;
  /** Sources of swept items. */
  readonly metSources: Set<string>;
  count: number;
}

export function emptyStore(): MemoryStore {
  return { items: new Map(), tombstones: new Map(), messages: new Map(), metSources: new Set(), count: 0 };
}

export function messagesOf(store: MemoryStore, key: ItemKey): Message[] {
  return [...store.messages.values()]
    .filter((message) => message.delivery.itemKeys.includes(key))
    .sort((a, b) => a.nth - b.nth);
}
