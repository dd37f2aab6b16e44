import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemKey } from '../../../item/item.ts';
import type { State } from '../../../item/lifecycle.ts';
import { summaryView } from '../../../item/views.ts';
import type { HistoryEntry, LedgerRecord, LoadOutcome } from '../../../ledger/ledger.ts';
import { OPEN_DELIVERIES } from '../../../outbox/outbox.ts';
import type { Connection } from '../connection.ts';
import { readDelivery, tallyDelivery } from '../outbox-messages.ts';
import { hasUrl, urlColumn } from './admit.ts';
import { unmarkChanged } from './adopt.ts';
import { appendHistory, queuePlaceOf, readHistory, readSightings } from './record.ts';
import { addToTally, factsOf, itemOf, SELECT_ITEM, toTimestamp } from './rows.ts';

const PAGE_SIZE = 100;

/** Exports everything page by page, each page one snapshot. */
export async function* dump(db: Connection): AsyncGenerator<LedgerRecord, void, void> {
  yield* pages((after) => itemsAfter(db, after), db, 0);
  yield* pages((after) => deliveriesAfter(db, after), db, 0);
  yield* pages((after) => tombstonesAfter(db, after), db, '');
}

type Page<P> = readonly { readonly at: P; readonly record: LedgerRecord }[];

async function* pages<P>(read: (after: P) => Page<P>, db: Connection, start: P) {
  let after = start;
  for (;;) {
    const from = after;
    const page = await db.read(() => read(from));
    for (const { record } of page) yield record;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = last.at;
    await nextTurn();
  }
}

function itemsAfter(db: Connection, after: number): Page<number> {
  const rows = db.all(`${SELECT_ITEM} WHERE i.id > ? ORDER BY i.id LIMIT ${PAGE_SIZE}`, after);
  return rows.map((row) => {
    const item = itemOf(row);
    const status = db.get('SELECT handed_at FROM standings WHERE item_id = ?', Number(row.id));
    return {
      at: Number(row.id),
      record: {
        kind: 'item',
        item,
        token: Number(row.token),
        handOver: status?.handed_at !== null,
        sightings: readSightings(db, item.key),
        history: readHistory(db, item.key),
      },
    };
  });
}

function deliveriesAfter(db: Connection, after: number): Page<number> {
  return db
    .all(`SELECT id FROM deliveries WHERE id > ? ORDER BY id LIMIT ${PAGE_SIZE}`, after)
    .flatMap((row) => {
      const delivery = readDelivery(db, Number(row.id));
      return delivery === null
        ? []
        : [{ at: Number(row.id), record: { kind: 'delivery', delivery } as const }];
    });
}

function tombstonesAfter(db: Connection, after: string): Page<string> {
  return db
    .all(`SELECT key, state, swept_at FROM tombstones WHERE key > ? ORDER BY key LIMIT ${PAGE_SIZE}`, after)
    .map((row) => ({
      at: String(row.key),
      record: {
        kind: 'tombstone',
        key: String(row.key) as ItemKey,
        state: row.state as State,
        sweptAt: Number(row.swept_at),
      },
    }));
}

/** Imports one record, inside a transaction. */
export function load(db: Connection, record: LedgerRecord): LoadOutcome {
  switch (record.kind) {
    case 'item':
      return exists(db, record.item.key) ? 'there' : loadItem(db, record);
    case 'delivery':
      return loadDelivery(db, record.delivery);
    case 'tombstone':
      if (exists(db, record.key)) return 'there';
      db.run(
        'INSERT INTO tombstones (key, state, swept_at) VALUES (?, ?, ?)',
        record.key,
        record.state,
        record.sweptAt,
      );
      addToTally(db, 'tombstone', 'none', 1);
      return 'loaded';
  }
}

function exists(db: Connection, key: ItemKey): boolean {
  return (
    db.get('SELECT 1 AS there FROM standings WHERE key = ?', key) !== undefined ||
    db.get('SELECT 1 AS there FROM aliases WHERE key = ?', key) !== undefined ||
    db.get('SELECT 1 AS there FROM tombstones WHERE key = ?', key) !== undefined
  );
}

function loadItem(db: Connection, record: LedgerRecord & { readonly kind: 'item' }): LoadOutcome {
  const { item } = record;
  const { status, reason } = summaryView(item);
  const url = urlColumn(item, (form) => hasUrl(db, form));
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      url,
      item.title,
      toTimestamp(item.publishedAt),
      status,
      reason,
      item.attempts,
      toTimestamp(item.createdAt),
      toTimestamp(item.checkedAt),
    );
  const id = Number(lastInsertRowid);
  unmarkChanged(db, id);
  const { turn, wakeAt, settledAt } = queuePlaceOf(item, item.publishedAt);
  db.run(
    `INSERT INTO standings (item_id, key, state, reason, detail, due_at, checked_at, published, turn, wake_at, settled_at, token,
       handed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    item.key,
    item.state,
    item.reason,
    item.detail,
    item.dueAt,
    item.checkedAt,
    item.publishedAt,
    turn,
    wakeAt,
    settledAt,
    record.token,
    record.handOver ? 0 : null,
  );
  const {
    state,
    reason: _reason,
    detail,
    attempts,
    dueAt,
    createdAt,
    checkedAt,
    verdict,
    ...sighting
  } = item;
  void [detail, attempts, dueAt, checkedAt];
  loadSightings(db, id, record, factsOf(sighting, url), createdAt);
  loadHistory(db, id, record.history, verdict);
  addToTally(db, state, item.reason, 1);
  return 'loaded';
}

function loadSightings(
  db: Connection,
  id: number,
  record: LedgerRecord & { readonly kind: 'item' },
  firstFacts: string,
  createdAt: number,
): void {
  const insert = (nth: number, sourceId: string, at: number, facts: string): number =>
    db.run(
      'INSERT INTO sightings (item_id, nth, source_id, seen_at, facts) VALUES (?, ?, ?, ?, ?)',
      id,
      nth,
      sourceId,
      at,
      facts,
    );
  insert(0, record.item.sourceId, record.sightings[0]?.at ?? createdAt, firstFacts);
  for (const [index, { sourceId, at, ...seen }] of record.sightings.slice(1).entries())
    insert(index + 1, sourceId, at, JSON.stringify(seen));
}

function loadHistory(
  db: Connection,
  id: number,
  history: readonly HistoryEntry[],
  verdict: (LedgerRecord & { readonly kind: 'item' })['item']['verdict'],
): void {
  const lines = history.filter((line) => line.event !== 'admit');
  for (const line of lines) appendHistory(db, id, line);
  if (verdict !== null && !lines.some((line) => line.verdict !== undefined))
    db.run('INSERT INTO verdicts (item_id, nth, body) VALUES (?, 0, ?)', id, JSON.stringify(verdict));
}

function loadDelivery(
  db: Connection,
  delivery: (LedgerRecord & { readonly kind: 'delivery' })['delivery'],
): LoadOutcome {
  if (db.get('SELECT 1 AS there FROM deliveries WHERE key = ?', delivery.key) !== undefined) return 'there';
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO deliveries (key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at,
         first_tried_at, updated_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      delivery.key,
      delivery.destination,
      delivery.body,
      delivery.state,
      OPEN_DELIVERIES.includes(delivery.state) ? 1 : 0,
      delivery.remoteId,
      delivery.remoteUrl,
      delivery.detail,
      delivery.attempts,
      delivery.createdAt,
      delivery.firstTriedAt,
      delivery.updatedAt,
      delivery.dueAt,
    );
  for (const [nth, key] of delivery.itemKeys.entries())
    db.run(
      'INSERT INTO delivery_items (item_key, delivery_id, nth) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      key,
      lastInsertRowid,
      nth,
    );
  tallyDelivery(db, delivery.state, 1);
  return 'loaded';
}
