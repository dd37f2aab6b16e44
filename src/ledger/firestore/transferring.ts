import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { Write } from '../../firestore/connection.ts';
import type { QueryForm } from '../../firestore/query.ts';
import type { ItemKey } from '../../item/item.ts';
import type { State } from '../../item/lifecycle.ts';
import type { LedgerRecord, LoadOutcome } from '../ledger.ts';
import { lookUp } from './admitting.ts';
import { documentOf, storedOf } from './document.ts';
import { hashOf } from './layouts/items.ts';
import { messageDocument, messageOf, placeOfMessage } from './messages.ts';
import type { LedgerStore } from './store.ts';
import { toldHistory } from './stored-item.ts';

const PAGE = 300;
const PER_COMMIT = 50;

export async function* dump(store: LedgerStore): AsyncGenerator<LedgerRecord, void, void> {
  for await (const snapshot of pages(store, store.queries.inOrder)) {
    const stored = storedOf(snapshot);
    if (stored === null) continue;
    yield {
      kind: 'item',
      item: stored.item,
      token: stored.token,
      handOver: stored.handedAt !== null,
      sightings: stored.sightings,
      history: toldHistory(stored),
    };
  }
  for await (const snapshot of pages(store, store.queries.messagesInOrder)) {
    const message = messageOf(snapshot);
    if (message !== null) yield { kind: 'delivery', delivery: message.delivery };
  }
  for await (const snapshot of pages(store, store.queries.gravesInOrder)) {
    const { key, state, swept_at } = snapshot.data() as { key: ItemKey; state: State; swept_at: number };
    yield { kind: 'tombstone', key, state, sweptAt: swept_at };
  }
}

async function* pages(store: LedgerStore, form: QueryForm): AsyncGenerator<QueryDocumentSnapshot> {
  let startAfter: readonly unknown[] | undefined;
  for (;;) {
    const page = await store.connection.query(form, {
      where: [],
      limit: PAGE,
      ...(startAfter !== undefined && { startAfter }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    startAfter = form.orderBy.map(([field]): unknown => last.get(field));
  }
}

export async function load(store: LedgerStore, records: readonly LedgerRecord[]): Promise<LoadOutcome[]> {
  const outcomes: LoadOutcome[] = [];
  for (let from = 0; from < records.length; from += PER_COMMIT)
    outcomes.push(...(await loadSome(store, records.slice(from, from + PER_COMMIT))));
  return outcomes;
}

async function loadSome(store: LedgerStore, records: readonly LedgerRecord[]): Promise<LoadOutcome[]> {
  for (;;) {
    const keys = records.flatMap((record) => keyOf(record) ?? []);
    const found = await lookUp(store, keys);
    const messages = await store.connection.getAll(
      records.flatMap((record) =>
        record.kind === 'delivery' ? [placeOfMessage(store, record.delivery.key)] : [],
      ),
    );
    const saidAlready = new Set(messages.filter(({ exists }) => exists).map(({ id }) => id));
    const taken = new Set<string>();
    const writes: Write[] = [];
    const outcomes = records.map((record): LoadOutcome => {
      const write = writeOf(store, record);
      const [, id] = write.at;
      const key = keyOf(record);
      const { item, grave } = (key === null ? undefined : found.get(key)) ?? {};
      if (item?.exists || grave?.exists || taken.has(id) || (key === null && saidAlready.has(id)))
        return 'there';
      taken.add(id);
      writes.push(write);
      return 'loaded';
    });
    if ((await store.connection.commit(writes)) === 'committed') return outcomes;
  }
}

function keyOf(record: LedgerRecord): ItemKey | null {
  if (record.kind === 'delivery') return null;
  return record.kind === 'item' ? record.item.key : record.key;
}

function writeOf(store: LedgerStore, record: LedgerRecord): Write {
  switch (record.kind) {
    case 'item': {
      const { item, token, sightings, history } = record;
      const stored = {
        item,
        nth: store.order.next(),
        token,
        claim: null,
        handedAt: record.handOver ? 0 : null,
        sightings,
        history,
        admission: '',
      };
      return { do: 'create', at: store.placeOf(item.key), data: documentOf(store.layout, stored) };
    }
    case 'delivery': {
      const { delivery } = record;
      const message = { delivery, nth: store.order.next(), token: 0, marked: null, held: null };
      return { do: 'create', at: placeOfMessage(store, delivery.key), data: messageDocument(store, message) };
    }
    case 'tombstone': {
      const { key, state, sweptAt } = record;
      const data = { key, key_hash: hashOf(key), state, swept_at: sweptAt };
      return { do: 'create', at: store.graveOf(key), data };
    }
  }
}
