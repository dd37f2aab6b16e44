import type { State } from '../../item/lifecycle.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';

/** How far the selections of the contract look past items that are held or not yet due. */
const FRONT = 32;
/** How many sleeping items one transaction wakes. */
const WAKE_BATCH = 1000;

/**
 * The selections of B6, on the contract's own indexes. Where the whole front of the line is held or waits, the place is
 * found by `idx_standings_turn`, which holds only what may be taken and has the same order.
 */
export const SELECTIONS: Readonly<Partial<Record<State, string>>> = {
  accepted: selectFront(2, 'published_at'),
  waiting: selectFront(0, 'last_checked_at'),
  deferred: selectFront(1, 'last_checked_at'),
};

function selectFront(status: number, order: string): string {
  return `SELECT s.item_id, s.turn FROM
    (SELECT id FROM items WHERE status = ${status} ORDER BY ${order}, id LIMIT ${FRONT}) f
    CROSS JOIN standings s ON s.item_id = f.id WHERE s.turn IS NOT NULL LIMIT 1`;
}

const SELECT_BEHIND = `SELECT item_id, turn FROM standings
  WHERE state = ? AND turn IS NOT NULL ORDER BY turn, item_id LIMIT 1`;

/** The ID of the item whose turn it is: accepted before all others, then the oldest check (B6). */
export function nextInLine(db: Connection, states: readonly State[]): number | null {
  const accepted = states.includes('accepted') ? firstOf(db, 'accepted') : undefined;
  if (accepted !== undefined) return Number(accepted.item_id);
  const waiting = states.includes('waiting') ? firstOf(db, 'waiting') : undefined;
  const deferred = states.includes('deferred') ? firstOf(db, 'deferred') : undefined;
  const first = older(waiting, deferred);
  return first === undefined ? null : Number(first.item_id);
}

function firstOf(db: Connection, state: State): Row | undefined {
  const selection = SELECTIONS[state];
  if (selection === undefined) return undefined;
  return db.get(selection) ?? db.get(SELECT_BEHIND, state);
}

function older(a: Row | undefined, b: Row | undefined): Row | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const difference = Number(a.turn) - Number(b.turn) || Number(a.item_id) - Number(b.item_id);
  return difference <= 0 ? a : b;
}

/** Gives items whose wait or lease is over their place in the line. False: there are more, wake again first. */
export function wake(db: Connection, now: number): boolean {
  const woken = db.run(
    `UPDATE standings SET wake_at = NULL, turn = CASE WHEN state = 'accepted' THEN published ELSE checked_at END
     WHERE item_id IN (SELECT item_id FROM standings WHERE wake_at <= ? ORDER BY wake_at LIMIT ${WAKE_BATCH})`,
    now,
  );
  return woken < WAKE_BATCH;
}
