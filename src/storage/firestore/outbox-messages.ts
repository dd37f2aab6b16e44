import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey } from '../../item/item.ts';
import { BadCursorError } from '../../ledger/filter.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import { type MessageRecord, newMessage, standingOf } from '../../outbox/message-record.ts';
import { DELIVERY_STATES, type DeliveryFilter, OPEN_DELIVERIES } from '../../outbox/outbox.ts';
import { SECOND } from '../../time/duration.ts';
import type { TransactionReads, Write } from './connection.ts';
import { displayText, firestoreTime, hashOf, pack, unpack } from './ledger/document.ts';
import type { LedgerStore } from './ledger/ledger-store.ts';
import type { QueryForm, QueryValues } from './query.ts';
import { createOrReplace } from './query.ts';

/** Each poll costs one read, and a dead worker's message must be found within a minute (X21). */
export const POLL_INTERVAL_MS = 45 * SECOND;
/** Maximum number of values of `array-contains-any`. */
const MAX_IDS_PER_QUERY = 30;

/**
 * A message's document: fields for people in the console, the queried fields, and everything in `content`. Its ID is the
 * SHA-256 of the message's key; `idOf` gives the IDs of its items.
 */
export function messageDocument(
  stored: MessageRecord,
  idOf: (key: ItemKey) => string = hashOf,
): DocumentData {
  const { delivery } = stored;
  return {
    key: displayText(delivery.key),
    destination: delivery.destination,
    state: delivery.state,
    open: OPEN_DELIVERIES.includes(delivery.state),
    nth: stored.nth,
    item_ids: delivery.itemKeys.map((key) => idOf(key)),
    remote_id: delivery.remoteId,
    created_at: firestoreTime(delivery.createdAt),
    updated_at: firestoreTime(delivery.updatedAt),
    content: pack(stored),
  };
}

export function readMessage(snapshot: DocumentSnapshot): MessageRecord | null {
  const content: unknown = snapshot.get('content');
  return content === undefined ? null : (unpack(content) as MessageRecord);
}

export function messagePath(store: LedgerStore, key: string): readonly [string, string] {
  return [store.layout.outbox, hashOf(key)];
}

/** The total order of messages. Two processes may have given the same number; then the document ID decides. */
export function byMessageOrder(a: MessageRecord, b: MessageRecord): number {
  if (a.nth !== b.nth) return a.nth - b.nth;
  const [one, other] = [hashOf(a.delivery.key), hashOf(b.delivery.key)];
  return one < other ? -1 : Number(one > other);
}

/** Names the last message of a page by number and document ID. */
export function messageCursor({ nth, delivery }: MessageRecord): string {
  return `${nth}~${hashOf(delivery.key)}`;
}

/** Values for `startAfter`. Cursors of earlier versions have the number alone. */
function cursorValues(cursor: string): readonly unknown[] {
  const parts = /^(\d{1,16})(?:~([0-9a-f]{64}))?$/.exec(cursor);
  if (parts === null) throw new BadCursorError(cursor);
  return parts[2] === undefined ? [Number(parts[1])] : [Number(parts[1]), parts[2]];
}

/** A message and the document that it was read from. */
export interface MessageDocument {
  readonly snapshot: DocumentSnapshot;
  readonly message: MessageRecord;
}

/** All messages that contain one of these items, the oldest first. */
export async function messagesOf(
  store: LedgerStore,
  ids: readonly string[],
  reads: Pick<TransactionReads, 'query'> = store.connection,
): Promise<MessageDocument[]> {
  const found = new Map<string, MessageDocument>();
  const distinct = [...new Set(ids)];
  for (let from = 0; from < distinct.length; from += MAX_IDS_PER_QUERY)
    for (const snapshot of await reads.query(store.queries.ofItems, {
      where: [distinct.slice(from, from + MAX_IDS_PER_QUERY)],
    })) {
      const message = readMessage(snapshot);
      if (message !== null) found.set(snapshot.id, { snapshot, message });
    }
  return [...found.values()].sort((a, b) => byMessageOrder(a.message, b.message));
}

type DuplicateCheck = ReturnType<typeof standingOf>;

/**
 * Compares each new message with those enqueued before. The writes create the free ones and overwrite nothing that was
 * enqueued meanwhile.
 */
export async function planEnqueue(
  store: LedgerStore,
  messages: readonly NewMessage[],
  reads: TransactionReads = store.connection,
): Promise<{ readonly checks: DuplicateCheck[]; readonly writes: Write[] }> {
  const same = await reads.getAll(messages.map(({ key }) => messagePath(store, key)));
  const ids = messages.flatMap(({ itemKeys }) => itemKeys.map((key) => store.layout.idOf(key)));
  const beside = await messagesOf(store, ids, reads);
  for (const { message } of beside) store.order.advancePast(message.nth);
  const enqueued = beside.map(({ message }) => message.delivery);
  const checks = messages.map((message, index): DuplicateCheck => {
    const existing = same[index] === undefined ? null : readMessage(same[index]);
    return standingOf(message, existing?.delivery ?? null, enqueued);
  });
  const now = store.clock.now();
  const writes = messages.flatMap((message, index): Write[] =>
    checks[index] === 'free'
      ? [
          createOrReplace(
            same[index] ?? {},
            messagePath(store, message.key),
            messageDocument(newMessage(message, store.order.next(), now), store.layout.idOf),
          ),
        ]
      : [],
  );
  return { checks, writes };
}

/** The query of a page of deliveries: one of three forms, depending on the filter. */
export function deliveryQuery(
  queries: Readonly<Record<'messages' | 'messagesByState' | 'messagesByDestination', QueryForm>>,
  filter: DeliveryFilter,
): { readonly form: QueryForm; readonly values: QueryValues } {
  const { states = DELIVERY_STATES, destination } = filter;
  const rest = {
    limit: filter.limit + 1,
    ...(filter.cursor !== undefined && { startAfter: cursorValues(filter.cursor) }),
  };
  if (destination !== undefined)
    return { form: queries.messagesByDestination, values: { where: [destination, [...states]], ...rest } };
  if (filter.states !== undefined)
    return { form: queries.messagesByState, values: { where: [[...states]], ...rest } };
  return { form: queries.messages, values: { where: [], ...rest } };
}
