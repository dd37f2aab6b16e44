import type { DocumentData } from '@google-cloud/firestore';
import { MOST_CONFLICTS, type Write } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { ItemKey } from '../../item/item.ts';
import type { State } from '../../item/lifecycle.ts';
import { loadMessage } from '../../outbox/message-record.ts';
import { dumpItem, loadItem } from '../item-record.ts';
import type { LedgerRecord, LoadOutcome } from '../ledger.ts';
import { lookUp } from './admitting.ts';
import { storedOf, tombstoneDocument } from './document.ts';
import { messageDocument, messageOf, placeOfMessage } from './messages.ts';
import { pages } from './pages.ts';
import type { LedgerStore } from './store.ts';

const PER_COMMIT = 50;

export async function* dump(store: LedgerStore): AsyncGenerator<LedgerRecord, void, void> {
  for await (const snapshot of pages(store.connection, store.queries.inOrder)) {
    const stored = storedOf(snapshot);
    if (stored !== null) yield dumpItem(stored);
  }
  for await (const snapshot of pages(store.connection, store.queries.messagesInOrder)) {
    const message = messageOf(snapshot);
    if (message !== null) yield { kind: 'delivery', delivery: message.delivery };
  }
  for await (const snapshot of pages(store.connection, store.queries.gravesInOrder)) {
    const { key, state, swept_at } = snapshot.data() as { key: ItemKey; state: State; swept_at: number };
    yield { kind: 'tombstone', key, state, sweptAt: swept_at };
  }
}

export async function load(store: LedgerStore, records: readonly LedgerRecord[]): Promise<LoadOutcome[]> {
  const outcomes: LoadOutcome[] = [];
  for (let from = 0; from < records.length; from += PER_COMMIT)
    outcomes.push(...(await loadSome(store, records.slice(from, from + PER_COMMIT))));
  return outcomes;
}

async function loadSome(store: LedgerStore, records: readonly LedgerRecord[]): Promise<LoadOutcome[]> {
  const made = await Promise.all(records.map((record) => writeOf(store, record)));
  for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
    const keys = records.flatMap((record) => keyOf(record) ?? []);
    const found = await lookUp(store, keys);
    const messages = await store.connection.getAll(
      records.flatMap((record) =>
        record.kind === 'delivery' ? [placeOfMessage(store, record.delivery.key)] : [],
      ),
    );
    const said = new Map(messages.map((snapshot) => [snapshot.id, snapshot]));
    const taken = new Set<string>();
    const writes: Write[] = [];
    const outcomes = made.map((write, index): LoadOutcome => {
      const [, id] = write.at;
      const key = keyOf(records[index]);
      const { item, grave } = key === null ? { item: said.get(id) } : (found.get(key) ?? {});
      if (taken.has(id)) return 'there';
      taken.add(id);
      // What has our number was written by an earlier try of ours whose reply was lost.
      if (item?.exists) return numberOf(item.data()) === numberOf(write.data) ? 'loaded' : 'there';
      if (grave?.exists) return 'there';
      writes.push(write);
      return 'loaded';
    });
    if ((await store.connection.commit(writes)) === 'committed') return outcomes;
  }
  throw contention(store.layout.items, MOST_CONFLICTS);
}

/** An item's or a message's place in the order, which no two of them share. */
function numberOf(data: DocumentData | undefined): unknown {
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
      return { do: 'create', at: store.placeOf(record.item.key), data: await store.documentOf(stored) };
    }
    case 'delivery': {
      const { delivery } = record;
      const data = messageDocument(loadMessage(delivery, store.order.next()), store.layout.idOf);
      return { do: 'create', at: placeOfMessage(store, delivery.key), data };
    }
    case 'tombstone':
      return { do: 'create', at: store.graveOf(record.key), data: tombstoneDocument(record) };
  }
}
