import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { TransactionReads, Write } from '../../firestore/connection.ts';
import { type Delivery, type DeliveryState, OPEN_DELIVERIES } from '../../press/outbox.ts';
import type { NewIntent } from '../ledger.ts';
import { hashOf } from './layouts/items.ts';
import { pack, shown, unpack } from './packing.ts';
import type { LedgerStore } from './store.ts';
import { timeOf } from './times.ts';

/** One message as its document holds it. */
export interface StoredMessage {
  readonly delivery: Delivery;
  readonly nth: number;
  readonly token: number;
  /** The token under which it was last marked as being sent. */
  readonly marked: number | null;
  readonly held: { readonly owner: string; readonly until: number; readonly attempt: string } | null;
}

/** `array-contains-any` takes no more. */
const MOST_IDS = 30;

/**
 * A message's document: what people look for, the fields that queries use, and everything as it is in `content`.
 * Its ID is the SHA-256 of the message's key.
 */
export function messageDocument(store: LedgerStore, stored: StoredMessage): DocumentData {
  const { delivery } = stored;
  return {
    key: shown(delivery.key),
    destination: delivery.destination,
    state: delivery.state,
    open: OPEN_DELIVERIES.includes(delivery.state),
    nth: stored.nth,
    item_ids: delivery.itemKeys.map((key) => store.layout.idOf(key)),
    remote_id: delivery.remoteId,
    created_at: timeOf(delivery.createdAt),
    updated_at: timeOf(delivery.updatedAt),
    content: pack(stored),
  };
}

export function messageOf(snapshot: DocumentSnapshot): StoredMessage | null {
  const content: unknown = snapshot.get('content');
  return content === undefined ? null : (unpack(content) as StoredMessage);
}

export function newMessage(intent: NewIntent, nth: number, now: number): StoredMessage {
  return {
    nth,
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
  };
}

export function placeOfMessage(store: LedgerStore, key: string): readonly [string, string] {
  return [store.layout.outbox, hashOf(key)];
}

/** All messages that carry one of these items, the oldest first. */
export async function messagesOf(
  store: LedgerStore,
  ids: readonly string[],
  reads: Pick<TransactionReads, 'query'> = store.connection,
): Promise<{ readonly snapshot: DocumentSnapshot; readonly message: StoredMessage }[]> {
  const found = new Map<string, { snapshot: DocumentSnapshot; message: StoredMessage }>();
  const distinct = [...new Set(ids)];
  for (let from = 0; from < distinct.length; from += MOST_IDS)
    for (const snapshot of await reads.query(store.queries.ofItems, {
      where: [distinct.slice(from, from + MOST_IDS)],
    })) {
      const message = messageOf(snapshot);
      if (message !== null) found.set(snapshot.id, { snapshot, message });
    }
  return [...found.values()].sort((a, b) => a.message.nth - b.message.nth);
}

export type Standing = 'free' | 'there' | 'taken';

/** How each intent stands to what was said before, and the writes for those that are free. */
export async function weigh(
  store: LedgerStore,
  intents: readonly NewIntent[],
  reads: TransactionReads,
): Promise<{ readonly standings: Standing[]; readonly writes: Write[] }> {
  const same = await reads.getAll(intents.map((intent) => placeOfMessage(store, intent.key)));
  const ids = intents.flatMap((intent) => intent.itemKeys.map((key) => store.layout.idOf(key)));
  const said = (await messagesOf(store, ids, reads)).map(({ message }) => message.delivery);
  const standings = intents.map((intent, index): Standing => {
    const there = same[index] === undefined ? null : messageOf(same[index]);
    if (there !== null && there.delivery.state !== 'dropped') return 'there';
    return said.some((delivery) => saysTheSame(delivery, intent)) ? 'taken' : 'free';
  });
  const now = store.clock.now();
  const writes = intents.flatMap((intent, index): Write[] =>
    standings[index] === 'free'
      ? [
          {
            do: 'set',
            at: placeOfMessage(store, intent.key),
            data: messageDocument(store, newMessage(intent, store.order.next(), now)),
          },
        ]
      : [],
  );
  return { standings, writes };
}

function saysTheSame(said: Delivery, intent: NewIntent): boolean {
  if (said.destination !== intent.destination || said.state === 'dropped') return false;
  return intent.itemKeys.some((key) => said.itemKeys.includes(key));
}

/** Two messages of one call with one item for one destination. */
export function sayTwice(intents: readonly NewIntent[]): boolean {
  return intents.some((a) =>
    intents.some(
      (b) =>
        a.key !== b.key &&
        a.destination === b.destination &&
        a.itemKeys.some((key) => b.itemKeys.includes(key)),
    ),
  );
}

export function isUnderWay(state: DeliveryState): boolean {
  return state === 'parked' || OPEN_DELIVERIES.includes(state);
}
