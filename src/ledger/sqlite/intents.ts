import type { ItemKey } from '../../item/item.ts';
import { sayTwice } from '../../outbox/message-record.ts';
import type { Connection } from '../../sqlite/connection.ts';
import type { NewIntent } from '../ledger.ts';

type Found = 'free' | 'there' | 'taken';

/** All of them or none, inside a transaction. */
export function intend(
  db: Connection,
  intents: readonly NewIntent[],
  now: number,
): 'written' | 'there' | 'taken' {
  const found = intents.map((intent) => look(db, intent));
  if (found.includes('taken') || sayTwice(intents)) return 'taken';
  const free = intents.filter((_, index) => found[index] === 'free');
  for (const intent of free) write(db, intent, now);
  return free.length > 0 ? 'written' : 'there';
}

/** For a step that must not fail because of a message: what was said already is not said again. */
export function intendWhatIsFree(db: Connection, intents: readonly NewIntent[], now: number): void {
  for (const intent of intents) if (look(db, intent) === 'free') write(db, intent, now);
}

function look(db: Connection, intent: NewIntent): Found {
  const same = db.get('SELECT state FROM deliveries WHERE key = ?', intent.key);
  if (same !== undefined && same.state !== 'dropped') return 'there';
  return intent.itemKeys.some((key) => isSaid(db, key, intent.destination)) ? 'taken' : 'free';
}

function isSaid(db: Connection, key: ItemKey, destination: string): boolean {
  const row = db.get(
    `SELECT 1 AS said FROM delivery_items l CROSS JOIN deliveries d ON d.id = l.delivery_id
     WHERE l.item_key = ? AND d.destination = ? AND d.state <> 'dropped' LIMIT 1`,
    key,
    destination,
  );
  return row !== undefined;
}

function write(db: Connection, intent: NewIntent, now: number): void {
  forgetDropped(db, intent.key);
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO deliveries (key, destination, body, state, is_open, attempts, created_at, updated_at)
       VALUES (?, ?, ?, 'intended', 1, 0, ?, ?)`,
    )
    .run(intent.key, intent.destination, intent.body, now, now);
  for (const [nth, key] of intent.itemKeys.entries())
    db.run(
      'INSERT INTO delivery_items (item_key, delivery_id, nth) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      key,
      lastInsertRowid,
      nth,
    );
  tallyDelivery(db, 'intended', 1);
}

/** What a person dropped and brought back goes to the end of the line like any other. */
function forgetDropped(db: Connection, key: string): void {
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
