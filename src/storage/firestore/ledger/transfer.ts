import type { DocumentData } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { State } from '../../../item/lifecycle.ts';
import { dumpItem, loadItem } from '../../../ledger/item-record.ts';
import type { LedgerRecord, LoadOutcome } from '../../../ledger/ledger.ts';
import { loadMessage } from '../../../outbox/message-record.ts';
import { MAX_CONFLICTS, type Write } from '../connection.ts';
import { contentionError } from '../errors.ts';
import { messageDocument, messagePath, readMessage } from '../outbox-messages.ts';
import { lookUp } from './admit.ts';
import { recordOfDocument, tombstoneDocument } from './document.ts';
import type { LedgerStore } from './ledger-store.ts';
import { allDocuments } from './queries.ts';

const RECORDS_PER_COMMIT = 50;

export async function* dump(store: LedgerStore): AsyncGenerator<LedgerRecord, void, void> {
  for await (const snapshot of allDocuments(store.connection, store.queries.inOrder)) {
    const stored = recordOfDocument(snapshot);
    if (stored !== null) yield dumpItem(stored);
  }
  for await (const snapshot of allDocuments(store.connection, store.queries.messagesInOrder)) {
    const message = readMessage(snapshot);
    if (message !== null) yield { kind: 'delivery', delivery: message.delivery };
  }
  for await (const snapshot of allDocuments(store.connection, store.queries.tombstonesInOrder)) {
    const { key, state, swept_at } = snapshot.data() as { key: ItemKey; state: State; swept_at: number };
    yield { kind: 'tombstone', key, state, sweptAt: swept_at };
  }
}

export async function load(store: LedgerStore, records: readonly LedgerRecord[]): Promise<LoadOutcome[]> {
  const outcomes: LoadOutcome[] = [];
  for (let from = 0; from < records.length; from += RECORDS_PER_COMMIT)
    outcomes.push(...(await loadBatch(store, records.slice(from, from + RECORDS_PER_COMMIT))));
  return outcomes;
}

async function loadBatch(store: LedgerStore, records: readonly LedgerRecord[]): Promise<LoadOutcome[]> {
  const made = await Promise.all(records.map((record) => writeOf(store, record)));
  for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
    const keys = records.flatMap((record) => keyOf(record) ?? []);
    const found = await lookUp(store, keys);
    const messages = await store.connection.getAll(
      records.flatMap((record) =>
        record.kind === 'delivery' ? [messagePath(store, record.delivery.key)] : [],
      ),
    );
    const existingMessages = new Map(messages.map((snapshot) => [snapshot.id, snapshot]));
    const seen = new Set<string>();
    const writes: Write[] = [];
    const outcomes = made.map((write, index): LoadOutcome => {
      const [, id] = write.at;
      const key = keyOf(records[index]);
      const { item, tombstone } = key === null ? { item: existingMessages.get(id) } : (found.get(key) ?? {});
      if (seen.has(id)) return 'there';
      seen.add(id);
      // A document with our number was written by an earlier attempt whose reply was lost.
      if (item?.exists)
        return sequenceNumberOf(item.data()) === sequenceNumberOf(write.data) ? 'loaded' : 'there';
      if (tombstone?.exists) return 'there';
      writes.push(write);
      return 'loaded';
    });
    if ((await store.connection.commit(writes)) === 'committed') return outcomes;
  }
  throw contentionError(store.layout.items, MAX_CONFLICTS);
}

/** The unique sequence number of an item or a message. */
function sequenceNumberOf(data: DocumentData | undefined): unknown {
  return (data?.ledger as { nth?: number } | undefined)?.nth ?? data?.nth;
}

function keyOf(record: LedgerRecord | undefined): ItemKey | null {
  if (record === undefined || record.kind === 'delivery') return null;
  return record.kind === 'item' ? record.item.key : record.key;
}

async function writeOf(
  store: LedgerStore,
  record: LedgerRecord,
): Promise<Write & { readonly data: DocumentData }> {
  switch (record.kind) {
    case 'item': {
      const stored = loadItem(record, store.order.next());
      return { do: 'create', at: store.itemPath(record.item.key), data: await store.documentOf(stored) };
    }
    case 'delivery': {
      const { delivery } = record;
      const data = messageDocument(loadMessage(delivery, store.order.next()), store.layout.idOf);
      return { do: 'create', at: messagePath(store, delivery.key), data };
    }
    case 'tombstone':
      return { do: 'create', at: store.tombstonePath(record.key), data: tombstoneDocument(record) };
  }
}
