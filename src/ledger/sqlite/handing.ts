import type { ItemKey } from '../../item/item.ts';
import type { Connection } from '../../sqlite/connection.ts';
import type { UnhandedAsk } from '../ledger.ts';
import { stillFree } from './turns.ts';

/** What a separate queue does not have, or had for too long. After `wake`. */
export function unhanded(db: Connection, ask: UnhandedAsk, now: number): ItemKey[] {
  const never = db.all(
    `SELECT s.key FROM standings s CROSS JOIN items i ON i.id = s.item_id
     WHERE s.handed_at = 0 AND s.turn IS NOT NULL AND ${stillFree('s.item_id')} ORDER BY s.turn LIMIT ?2`,
    now,
    ask.limit,
  );
  // Also what may be worked on since a lease ran out: what the queue had went to whoever let it.
  const stale =
    never.length >= ask.limit
      ? []
      : db.all(
          `SELECT s.key FROM standings s CROSS JOIN items i ON i.id = s.item_id LEFT JOIN claims l ON l.item_id = s.item_id
           WHERE s.handed_at > 0 AND s.turn IS NOT NULL AND ${stillFree('s.item_id')}
             AND (s.handed_at < ?2 OR s.handed_at < l.claimed_until)
           ORDER BY s.handed_at LIMIT ?3`,
          now,
          ask.handedBefore ?? 0,
          ask.limit - never.length,
        );
  return [...never, ...stale].map((row) => String(row.key) as ItemKey);
}

export function markHanded(db: Connection, keys: readonly ItemKey[], now: number): void {
  db.run(
    `UPDATE standings SET handed_at = ? WHERE handed_at IS NOT NULL AND item_id IN
       (SELECT s.item_id FROM json_each(?) j CROSS JOIN standings s ON s.key = j.value)`,
    now,
    JSON.stringify(keys),
  );
}
