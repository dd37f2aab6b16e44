import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import type { MessageRecord } from '../../../outbox/message-record.ts';
import { type Delivery, type DeliveryState, OPEN_DELIVERIES } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../time/clock.ts';
import type { FirestoreConnection } from '../connection.ts';
import { ARTICLES } from '../ledger/article-layout.ts';
import { firestoreTime, hashOf, pack, unpack } from '../ledger/document.ts';
import type { SequenceNumbers } from '../ledger/ledger-store.ts';
import type { QueryForm } from '../query.ts';

export type CuratorCollections = Readonly<Record<keyof typeof ARTICLES, string>>;

export function curatorCollections(prefix: string): CuratorCollections {
  const names = Object.entries(ARTICLES).map(([name, collection]) => [name, prefix + collection]);
  return Object.fromEntries(names) as CuratorCollections;
}

/** What every part of the curator's store needs. */
export interface CuratorBase {
  readonly connection: FirestoreConnection;
  readonly clock: Clock;
  readonly order: SequenceNumbers;
  readonly names: CuratorCollections;
  readonly queries: CuratorQueries;
}

/** One message of a digest. The fencing token grows each time it is marked as being sent. */
export type DigestMessage = Omit<MessageRecord, 'nth'>;

export function unsentMessage(delivery: Delivery): DigestMessage {
  return { delivery, token: 0, marked: null, held: null };
}

/** One document of the outbox: the messages of a digest, and those of its articles that are not recorded elsewhere yet. */
export interface Digest {
  readonly id: string;
  /** The order of digests; ties are broken by the ID. */
  readonly nth: number;
  readonly articles: readonly ItemRecord[];
  readonly messages: readonly DigestMessage[];
}

/** Format of the previous version: one document for each message, with the articles in it. */
export interface FormerMessage extends MessageRecord {
  readonly articles?: readonly ItemRecord[];
  /** Messages that its process was going to send, and that had no document of their own yet. */
  readonly carried?: readonly FormerMessage[];
  /** Superseded: another message published one of its articles first, and nothing of it was sent. */
  readonly gaveWay?: true;
}

/**
 * A digest's document: everything in `content`, and beside it the queried fields. `tags` has the states of the messages,
 * each alone and with its destination as prefix.
 */
export function digestDocument(digest: Digest): DocumentData {
  const { articles, messages, nth } = digest;
  const deliveries = messages.map(({ delivery }) => delivery);
  const times = deliveries.map(({ updatedAt }) => updatedAt);
  const count = (state: DeliveryState): number => deliveries.filter((one) => one.state === state).length;
  return {
    open: articles.length > 0 || deliveries.some(({ state }) => OPEN_DELIVERIES.includes(state)),
    nth,
    message_ids: deliveries.map(({ key }) => hashOf(key)),
    item_ids: [...keysOf(digest)].map((key) => hashOf(key)),
    tags: [...new Set(deliveries.flatMap(({ state, destination }) => [state, tagOf(destination, state)]))],
    sent: count('sent'),
    dropped: count('dropped'),
    updated_at: firestoreTime(Math.max(0, ...times)),
    content: pack({ nth, articles, messages }),
  };
}

export function tagOf(destination: string, state: DeliveryState): string {
  return `${hashOf(destination).slice(0, 16)} ${state}`;
}

export function digestOf(snapshot: DocumentSnapshot): Digest | null {
  const content: unknown = snapshot.get('content');
  if (content === undefined) return null;
  const read = unpack(content) as Omit<Digest, 'id'> | FormerMessage;
  return 'delivery' in read ? fromFormer(snapshot.id, read) : { ...read, id: snapshot.id };
}

/** A message document of the previous version; `null` for a digest. */
export function formerMessageOf(snapshot: DocumentSnapshot): FormerMessage | null {
  const content: unknown = snapshot.get('content');
  const read = content === undefined ? null : (unpack(content) as FormerMessage | Digest);
  return read !== null && 'delivery' in read ? read : null;
}

/**
 * A message of the previous version as a digest of its own. Articles of a finished message were recorded, unless `takeover`
 * finds otherwise.
 */
export function fromFormer(id: string, former: FormerMessage): Digest {
  const { nth, delivery, token, marked, held, articles = [] } = former;
  const isOpen = OPEN_DELIVERIES.includes(delivery.state);
  return { id, nth, articles: isOpen ? articles : [], messages: [{ delivery, token, marked, held }] };
}

/** Every item that the digest or one of its messages names. */
export function keysOf({ articles, messages }: Pick<Digest, 'articles' | 'messages'>): Set<ItemKey> {
  return new Set([
    ...articles.map(({ item }) => item.key),
    ...messages.flatMap(({ delivery }) => delivery.itemKeys),
  ]);
}

export function byAge(a: Digest, b: Digest): number {
  if (a.nth !== b.nth) return a.nth - b.nth;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Maximum number of values of `in` and `array-contains-any`. */
const MAX_IDS = 30;

export function inChunks<T>(all: readonly T[], size = MAX_IDS): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < all.length; from += size) chunks.push(all.slice(from, from + size));
  return chunks;
}

/** Every query of the curator's store. */
export function curatorQueries(names: CuratorCollections = ARTICLES) {
  const recorded = (collection: string, time: string) => ({
    listed: form(collection, [], NEWEST),
    listedBySource: form(collection, [['ledger.source', '==']], NEWEST),
    inOrder: form(collection, [], ITEM_ORDER),
    all: form(collection, [], [['__name__', 'asc']]),
    byId: form(collection, [['__name__', 'in']], []),
    byKey: form(collection, [['ledger.key', 'in']], []),
    ofState: form(collection, [['ledger.state', '==']], []),
    ofReason: form(collection, [['ledger.reason', '==']], []),
    /** By the time field of the contract, which every program that follows it records (A14). */
    old: form(
      collection,
      [[time, '<']],
      [
        [time, 'asc'],
        ['__name__', 'asc'],
      ],
    ),
  });
  return {
    notified: {
      ...recorded(names.notified, 'notified_at'),
      listedByState: form(names.notified, [['ledger.state', '==']], NEWEST),
    },
    rejected: recorded(names.rejected, 'evaluated_at'),
    candidates: form(names.candidates, [], []),
    candidatesById: form(names.candidates, [['__name__', 'in']], []),
    candidatesOfState: form(names.candidates, [['ledger.state', 'in']], []),
    waiting: form(names.waiting, [], [['__name__', 'asc']]),
    remembered: form(names.remembered, [], []),
    rememberedSince: form(names.remembered, [['__name__', '>']], []),
    openDigests: form(names.outbox, [['open', '==']], []),
    digestsOfItems: form(names.outbox, [['item_ids', 'array-contains-any']], []),
    digestOfMessage: form(names.outbox, [['message_ids', 'array-contains']], []),
    allDigests: form(names.outbox, [], []),
    digests: form(names.outbox, [], NEWEST_DIGESTS),
    digestsWith: form(names.outbox, [['tags', 'array-contains-any']], NEWEST_DIGESTS),
    digestsTagged: form(names.outbox, [['tags', 'array-contains-any']], []),
    digestsInOrder: form(names.outbox, [], DIGEST_ORDER),
    /** Only documents of the previous version have this field. */
    formerMessages: form(names.outbox, [['state', 'in']], []),
  };
}

export type CuratorQueries = ReturnType<typeof curatorQueries>;

/** Two processes may have given the same number; then the document name decides. */
const ITEM_ORDER: QueryForm['orderBy'] = [
  ['ledger.nth', 'asc'],
  ['__name__', 'asc'],
];
const DIGEST_ORDER: QueryForm['orderBy'] = [
  ['nth', 'asc'],
  ['__name__', 'asc'],
];
const NEWEST_DIGESTS: QueryForm['orderBy'] = [
  ['nth', 'desc'],
  ['__name__', 'desc'],
];
const NEWEST: QueryForm['orderBy'] = [
  ['ledger.checked_at', 'desc'],
  ['ledger.nth', 'desc'],
  ['__name__', 'desc'],
];

function form(collection: string, where: QueryForm['where'], orderBy: QueryForm['orderBy']): QueryForm {
  return { collection, where, orderBy };
}
