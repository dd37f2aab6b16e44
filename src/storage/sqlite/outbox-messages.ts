import type { ItemKey } from '../../item/item.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import { type MessageRecord, repeatItem } from '../../outbox/message-record.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryState,
  OPEN_DELIVERIES,
} from '../../outbox/outbox.ts';
import type { Connection, Row } from './connection.ts';
import { numberOrNull, textOrNull } from './ledger/rows.ts';

type DuplicateCheck = 'free' | 'there' | 'taken';

/** Enqueues all messages or none, inside a transaction. */
export function enqueue(
  db: Connection,
  messages: readonly NewMessage[],
  now: number,
): 'written' | 'there' | 'taken' {
  const found = messages.map((message) => checkDuplicate(db, message));
  if (found.includes('taken') || repeatItem(messages)) return 'taken';
  const free = messages.filter((_, index) => found[index] === 'free');
  for (const message of free) insertMessage(db, message, now);
  return free.length > 0 ? 'written' : 'there';
}

/** For a step that must not fail because of a message: skips duplicates. */
export function enqueueAbsent(db: Connection, messages: readonly NewMessage[], now: number): void {
  for (const message of messages) if (checkDuplicate(db, message) === 'free') insertMessage(db, message, now);
}

function checkDuplicate(db: Connection, message: NewMessage): DuplicateCheck {
  const same = db.get('SELECT state FROM deliveries WHERE key = ?', message.key);
  if (same !== undefined && same.state !== 'dropped') return 'there';
  return message.itemKeys.some((key) => hasMessage(db, key, message.destination)) ? 'taken' : 'free';
}

function hasMessage(db: Connection, key: ItemKey, destination: string): boolean {
  const row = db.get(
    `SELECT 1 AS found FROM delivery_items l CROSS JOIN deliveries d ON d.id = l.delivery_id
     WHERE l.item_key = ? AND d.destination = ? AND d.state <> 'dropped' LIMIT 1`,
    key,
    destination,
  );
  return row !== undefined;
}

function insertMessage(db: Connection, message: NewMessage, now: number): void {
  deleteDropped(db, message.key);
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO deliveries (key, destination, body, state, is_open, attempts, created_at, updated_at)
       VALUES (?, ?, ?, 'intended', 1, 0, ?, ?)`,
    )
    .run(message.key, message.destination, message.body, now, now);
  for (const [nth, key] of message.itemKeys.entries())
    db.run(
      'INSERT INTO delivery_items (item_key, delivery_id, nth) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      key,
      lastInsertRowid,
      nth,
    );
  tallyDelivery(db, 'intended', 1);
}

/** A dropped message that a person enqueues again goes to the end of the queue. */
function deleteDropped(db: Connection, key: string): void {
  const row = db.get("DELETE FROM deliveries WHERE key = ? AND state = 'dropped' RETURNING id", key);
  if (row === undefined) return;
  db.run('DELETE FROM delivery_items WHERE delivery_id = ?', Number(row.id));
  tallyDelivery(db, 'dropped', -1);
}

export function tallyDelivery(db: Connection, state: string, change: number): void {
  db.run(
    'INSERT INTO delivery_tallies (state, n) VALUES (?, ?) ON CONFLICT (state) DO UPDATE SET n = n + excluded.n',
    state,
    change,
  );
}

export function readDelivery(db: Connection, id: number): Delivery | null {
  const row = db.get('SELECT * FROM deliveries WHERE id = ?', id);
  return row === undefined ? null : deliveryOf(db, row);
}

function itemKeysOf(db: Connection, row: Row): ItemKey[] {
  return db
    .all('SELECT item_key FROM delivery_items WHERE delivery_id = ? ORDER BY nth', Number(row.id))
    .map((link) => String(link.item_key) as ItemKey);
}

function deliveryOf(db: Connection, row: Row, itemKeys: readonly ItemKey[] = itemKeysOf(db, row)): Delivery {
  return {
    key: String(row.key),
    itemKeys,
    destination: String(row.destination),
    body: String(row.body),
    state: row.state as DeliveryState,
    remoteId: textOrNull(row.remote_id),
    remoteUrl: textOrNull(row.remote_url),
    detail: textOrNull(row.detail),
    attempts: Number(row.attempts),
    createdAt: Number(row.created_at),
    firstTriedAt: numberOrNull(row.first_tried_at),
    updatedAt: Number(row.updated_at),
    dueAt: numberOrNull(row.due_at),
  };
}

/** `itemKeys`, if known to the caller, saves a query. */
export function messageOf(db: Connection, row: Row, itemKeys?: readonly ItemKey[]): MessageRecord {
  const owner = textOrNull(row.owner);
  return {
    delivery: deliveryOf(db, row, itemKeys),
    nth: Number(row.id),
    token: Number(row.token),
    marked: numberOrNull(row.marked_token),
    held: owner === null ? null : { owner, until: Number(row.held_until), attempt: null },
  };
}

/** Stores everything that steps change in a message. */
export function updateMessage(db: Connection, { nth, token, marked, held, delivery }: MessageRecord): void {
  db.run(
    `UPDATE deliveries SET state = ?, is_open = ?, remote_id = ?, remote_url = ?, detail = ?, attempts = ?,
       first_tried_at = ?, updated_at = ?, due_at = ?, owner = ?, token = ?, held_until = ?, marked_token = ? WHERE id = ?`,
    delivery.state,
    OPEN_DELIVERIES.includes(delivery.state) ? 1 : 0,
    delivery.remoteId,
    delivery.remoteUrl,
    delivery.detail,
    delivery.attempts,
    delivery.firstTriedAt,
    delivery.updatedAt,
    delivery.dueAt,
    held?.owner ?? null,
    token,
    held?.until ?? null,
    marked,
    nth,
  );
}

/** Newest first. Each state is read by its index and the rows are merged, so that nothing is sorted or scanned. */
export function listDeliveries(db: Connection, filter: DeliveryFilter): DeliveryPage {
  const merged = readDeliveryRows(db, filter).sort((a, b) => Number(b.id) - Number(a.id));
  const page = merged.slice(0, filter.limit);
  return {
    deliveries: page.map((row) => deliveryOf(db, row)),
    next: merged.length > filter.limit ? String(page.at(-1)?.id) : null,
  };
}

/** Reads one row per state more than the page, to detect a next page. */
function readDeliveryRows(db: Connection, { states, destination, limit, cursor }: DeliveryFilter): Row[] {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  if (destination !== undefined)
    return (states ?? DELIVERY_STATES).flatMap((state) =>
      db.all(
        'SELECT * FROM deliveries WHERE destination = ? AND state = ? AND id < ? ORDER BY id DESC LIMIT ?',
        destination,
        state,
        before,
        limit + 1,
      ),
    );
  if (states === undefined)
    return db.all('SELECT * FROM deliveries WHERE id < ? ORDER BY id DESC LIMIT ?', before, limit + 1);
  return states.flatMap((state) =>
    db.all(
      'SELECT * FROM deliveries WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?',
      state,
      before,
      limit + 1,
    ),
  );
}
