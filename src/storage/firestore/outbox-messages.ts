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

/** Each look costs one read, and a dead worker's message must be found within a minute (X21). */
export const POLL_INTERVAL_MS = 45 * SECOND;
/** `array-contains-any` takes no more. */
const MAX_IDS_PER_QUERY = 30;

/**
 * A message's document: what people look for, the fields that queries use, and everything as it is in `content`.
 * Its ID is the SHA-256 of the message's key; `idOf` gives the IDs of its items.
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

/** The one order of messages. Two processes may have given the same number; then the ID of the document decides. */
export function byMessageOrder(a: MessageRecord, b: MessageRecord): number {
  if (a.nth !== b.nth) return a.nth - b.nth;
  const [one, other] = [hashOf(a.delivery.key), hashOf(b.delivery.key)];
  return one < other ? -1 : Number(one > other);
}

/** Names the last message of a page by number and document ID. */
export function messageCursor({ nth, delivery }: MessageRecord): string {
  return `${nth}~${hashOf(delivery.key)}`;
}

/** As `startAfter` takes it. Cursors of earlier versions have the number alone. */
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

/** All messages that carry one of these items, the oldest first. */
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

/** How each intent stands to what was said before, and the writes for those that are free: none of them overwrites what came since. */
export async function planEnqueue(
  store: LedgerStore,
  intents: readonly NewMessage[],
  reads: TransactionReads = store.connection,
): Promise<{ readonly standings: DuplicateCheck[]; readonly writes: Write[] }> {
  const same = await reads.getAll(intents.map((intent) => messagePath(store, intent.key)));
  const ids = intents.flatMap((intent) => intent.itemKeys.map((key) => store.layout.idOf(key)));
  const beside = await messagesOf(store, ids, reads);
  for (const { message } of beside) store.order.advancePast(message.nth);
  const said = beside.map(({ message }) => message.delivery);
  const standings = intents.map((intent, index): DuplicateCheck => {
    const there = same[index] === undefined ? null : readMessage(same[index]);
    return standingOf(intent, there?.delivery ?? null, said);
  });
  const now = store.clock.now();
  const writes = intents.flatMap((intent, index): Write[] =>
    standings[index] === 'free'
      ? [
          createOrReplace(
            same[index] ?? {},
            messagePath(store, intent.key),
            messageDocument(newMessage(intent, store.order.next(), now), store.layout.idOf),
          ),
        ]
      : [],
  );
  return { standings, writes };
}

/** What a page of deliveries is asked with: the form of the query is one of three, by what the filter names. */
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
