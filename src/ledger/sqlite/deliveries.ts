import type { ItemKey } from '../../item/item.ts';
import type { MessageRecord } from '../../outbox/message-record.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryState,
  OPEN_DELIVERIES,
} from '../../press/outbox.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';
import { numberOf, textOf } from './rows.ts';

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
    remoteId: textOf(row.remote_id),
    remoteUrl: textOf(row.remote_url),
    detail: textOf(row.detail),
    attempts: Number(row.attempts),
    createdAt: Number(row.created_at),
    firstTriedAt: numberOf(row.first_tried_at),
    updatedAt: Number(row.updated_at),
    dueAt: numberOf(row.due_at),
  };
}

/** `itemKeys` where the caller knows them: saves a query. */
export function messageOf(db: Connection, row: Row, itemKeys?: readonly ItemKey[]): MessageRecord {
  const owner = textOf(row.owner);
  return {
    delivery: deliveryOf(db, row, itemKeys),
    nth: Number(row.id),
    token: Number(row.token),
    marked: numberOf(row.marked_token),
    held: owner === null ? null : { owner, until: Number(row.held_until), attempt: null },
  };
}

/** Everything of a message that its steps change. */
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
  const merged = readRows(db, filter).sort((a, b) => Number(b.id) - Number(a.id));
  const page = merged.slice(0, filter.limit);
  return {
    deliveries: page.map((row) => deliveryOf(db, row)),
    next: merged.length > filter.limit ? String(page.at(-1)?.id) : null,
  };
}

/** One row more than the page of each state holds, so that it is known whether there is another page. */
function readRows(db: Connection, { states, destination, limit, cursor }: DeliveryFilter): Row[] {
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
