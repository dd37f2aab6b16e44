import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reason, State } from '../../../item/lifecycle.ts';
import type { SweepPlan, SweepReport } from '../../../ledger/ledger.ts';
import { leavesTombstone, sweepLimits } from '../../../ledger/sweep-plan.ts';
import { OPEN_DELIVERIES } from '../../../outbox/outbox.ts';
import type { Connection, Row } from '../connection.ts';
import { tallyDelivery } from '../outbox-messages.ts';
import { addToTally } from './rows.ts';

/** How many items one transaction sweeps. */
const PAGE_SIZE = 200;

const SELECT_OLD = `SELECT s.item_id, s.settled_at, s.reason, s.key FROM standings s CROSS JOIN items i ON i.id = s.item_id
  WHERE s.state = ? AND s.settled_at < ? AND (s.settled_at, s.item_id) > (?, ?)
  ORDER BY s.settled_at, s.item_id LIMIT ${PAGE_SIZE}`;

/** Sweeps in short transactions; after an interruption the next sweep continues. */
export async function sweep(db: Connection, plan: SweepPlan, now: number): Promise<SweepReport> {
  const swept: Partial<Record<State, number>> = {};
  let done = 0;
  const progress = (more: number): void => {
    done += more;
    plan.onProgress?.(done);
  };
  for (const { state, before } of sweepLimits(plan, now)) {
    let last: Row | undefined;
    for (;;) {
      if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
      const from: Row = last ?? { settled_at: Number.MIN_SAFE_INTEGER, item_id: 0 };
      const sweepPage = (): { rows: Row[]; count: number } => {
        const rows = db.all(SELECT_OLD, state, before, Number(from.settled_at), Number(from.item_id));
        const old = rows.filter((row) => !hasOpenMessages(db, String(row.key)));
        if (!plan.dryRun) for (const row of old) sweepItem(db, row, state, plan, now);
        return { rows, count: old.length };
      };
      const { rows, count } = await (plan.dryRun ? db.read(sweepPage) : db.write(sweepPage));
      last = rows.at(-1);
      if (count > 0) swept[state] = (swept[state] ?? 0) + count;
      progress(count);
      if (rows.length < PAGE_SIZE) break;
      await nextTurn();
    }
  }
  return sweepTombstones(db, plan, now, swept, progress);
}

/** An item with a message in progress, or one that awaits a person's decision, is kept. */
function hasOpenMessages(db: Connection, key: string): boolean {
  const states = db.all(
    'SELECT d.state FROM delivery_items l CROSS JOIN deliveries d ON d.id = l.delivery_id WHERE l.item_key = ?',
    key,
  );
  return states.some(({ state }) => state === 'parked' || OPEN_DELIVERIES.some((open) => open === state));
}

function sweepItem(db: Connection, row: Row, state: State, plan: SweepPlan, now: number): void {
  const id = Number(row.item_id);
  const key = String(row.key);
  const aliases = db.all('SELECT key FROM aliases WHERE item_id = ?', id);
  // A trigger deletes the dependent rows.
  db.run('DELETE FROM items WHERE id = ?', id);
  deleteDeliveries(db, key);
  if (!leavesTombstone(plan, { state, reason: row.reason as Reason })) return;
  for (const name of [key, ...aliases.map((alias) => String(alias.key))]) {
    const made = db.run(
      'INSERT INTO tombstones (key, state, swept_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      name,
      state,
      now,
    );
    addToTally(db, 'tombstone', 'none', made);
  }
}

/** A message is deleted with the last of its items. */
function deleteDeliveries(db: Connection, key: string): void {
  for (const link of db.all('DELETE FROM delivery_items WHERE item_key = ? RETURNING delivery_id', key)) {
    const id = Number(link.delivery_id);
    if (db.get('SELECT 1 AS more FROM delivery_items WHERE delivery_id = ? LIMIT 1', id)) continue;
    const deleted = db.get('DELETE FROM deliveries WHERE id = ? RETURNING state', id);
    if (deleted !== undefined) tallyDelivery(db, String(deleted.state), -1);
  }
}

async function sweepTombstones(
  db: Connection,
  plan: SweepPlan,
  now: number,
  swept: SweepReport['swept'],
  progress: (more: number) => void,
): Promise<SweepReport> {
  const before = now - plan.keepTombstones;
  let tombstonesRemoved = 0;
  let from: { at: number; key: string } = { at: Number.MIN_SAFE_INTEGER, key: '' };
  for (;;) {
    if (plan.signal?.aborted) return { swept, tombstonesRemoved, complete: false };
    const removePage = (): Row[] => {
      const rows = db.all(
        `SELECT key, swept_at FROM tombstones WHERE swept_at < ? AND (swept_at, key) > (?, ?)
         ORDER BY swept_at, key LIMIT ${PAGE_SIZE}`,
        before,
        from.at,
        from.key,
      );
      if (!plan.dryRun) {
        for (const row of rows) db.run('DELETE FROM tombstones WHERE key = ?', String(row.key));
        addToTally(db, 'tombstone', 'none', -rows.length);
      }
      return rows;
    };
    const rows = await (plan.dryRun ? db.read(removePage) : db.write(removePage));
    const last = rows.at(-1);
    tombstonesRemoved += rows.length;
    progress(rows.length);
    if (last === undefined || rows.length < PAGE_SIZE) return { swept, tombstonesRemoved, complete: true };
    from = { at: Number(last.swept_at), key: String(last.key) };
    await nextTurn();
  }
}
