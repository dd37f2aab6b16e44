import type { ItemKey } from '../../item/item.ts';
import { OPEN_STATES, type State } from '../../item/lifecycle.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';

/** How far the selections of the contract look past items that are held or not yet due. */
const FRONT = 32;
/** How many sleeping items one transaction wakes. */
const WAKE_BATCH = 1000;

/**
 * What may be taken now: nobody holds it, and it is due. An item that was woken is asleep again when the clock goes back. Whether
 * it is held is asked of `id`, a column of the table that comes first, so that a held one costs no further look.
 */
export function stillFree(id: string): string {
  return `NOT EXISTS (SELECT 1 FROM claims c WHERE c.item_id = ${id} AND c.claimed_until > ?1)
  AND (s.due_at IS NULL OR s.due_at <= ?1)`;
}

/** The column `status` of items in a line (B3). */
const STATUSES = { waiting: 0, deferred: 1, accepted: 2 } as const;

/** The selections of B6, on the contract's own indexes. */
export const SELECTIONS = {
  accepted: selectFront(STATUSES.accepted, 'published_at'),
  waiting: selectFront(STATUSES.waiting, 'last_checked_at'),
  deferred: selectFront(STATUSES.deferred, 'last_checked_at'),
} as const;

function selectFront(status: number, order: string): string {
  return `SELECT s.item_id, s.turn, s.state FROM
    (SELECT id FROM items WHERE status = ${status} ORDER BY ${order}, id LIMIT ${FRONT}) f
    CROSS JOIN standings s ON s.item_id = f.id WHERE ${stillFree('f.id')} AND s.turn IS NOT NULL LIMIT 1`;
}

/** The fronts of all three lines in one go, which lines have anybody in them, and whether somebody has to be woken first. */
const SELECT_FRONTS = [
  ...Object.values(SELECTIONS).map((selection) => `SELECT * FROM (${selection})`),
  ...Object.values(STATUSES).map(
    (status) => `SELECT * FROM (SELECT NULL, NULL, ${status} FROM items WHERE status = ${status} LIMIT 1)`,
  ),
  `SELECT * FROM (SELECT item_id, NULL, 'asleep' FROM standings WHERE wake_at <= ?1 LIMIT 1)`,
].join(' UNION ALL ');

/** A whole line of those who may be taken, from its front. Whoever is held is passed. */
export const LINES = {
  waiting: `FROM items i CROSS JOIN standings s ON s.item_id = i.id
  WHERE i.status = ${STATUSES.waiting} AND ${stillFree('i.id')} AND s.turn IS NOT NULL ORDER BY i.last_checked_at, i.id`,
  deferred: sleepersLine('deferred'),
  accepted: sleepersLine('accepted'),
} as const;

/** Many of these may be asleep: an index holds only the others, in the same order. */
function sleepersLine(state: 'deferred' | 'accepted'): string {
  return `FROM standings s CROSS JOIN items i ON i.id = s.item_id
  WHERE s.state = '${state}' AND s.state <> 'waiting' AND s.turn IS NOT NULL AND ${stillFree('s.item_id')} ORDER BY s.turn, s.item_id`;
}

/**
 * The ID of the item whose turn it is: accepted before all others, then the oldest check (B6). `wake first`: so many are
 * to be woken that another transaction has to go on with it.
 */
export function nextInLine(
  db: Connection,
  states: readonly State[],
  now: number,
): number | null | 'wake first' {
  let fronts = db.all(SELECT_FRONTS, now);
  if (fronts.some((front) => front.state === 'asleep')) {
    if (!wake(db, now)) return 'wake first';
    fronts = db.all(SELECT_FRONTS, now);
  }
  let first: Row | undefined;
  for (const state of OPEN_STATES) {
    if (!states.includes(state)) continue;
    const row = fronts.find((front) => front.state === state) ?? behind(db, state, fronts, now);
    if (row !== undefined && state === 'accepted') return Number(row.item_id);
    first = older(first, row);
  }
  return first === undefined ? null : Number(first.item_id);
}

/** Nobody is behind the front of an empty line. */
function behind(db: Connection, state: State, fronts: readonly Row[], now: number): Row | undefined {
  const status = STATUSES[state as keyof typeof STATUSES];
  if (!fronts.some((front) => front.state === status)) return undefined;
  return db.get(`SELECT s.item_id, s.turn, s.state ${LINES[state as keyof typeof LINES]} LIMIT 1`, now);
}

function older(a: Row | undefined, b: Row | undefined): Row | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const difference = Number(a.turn) - Number(b.turn) || Number(a.item_id) - Number(b.item_id);
  return difference <= 0 ? a : b;
}

/** The keys of the items whose turn it is, in that order. */
export function upcoming(db: Connection, limit: number, now: number): ItemKey[] {
  const [accepted, waiting, deferred] = OPEN_STATES.map((state) =>
    db.all(`SELECT s.key, s.turn, s.item_id ${LINES[state as keyof typeof LINES]} LIMIT ?2`, now, limit),
  );
  const rest = [...(waiting ?? []), ...(deferred ?? [])].sort((a, b) => (older(a, b) === a ? -1 : 1));
  return [...(accepted ?? []), ...rest].slice(0, limit).map((row) => String(row.key) as ItemKey);
}

const SELECT_OVER = `SELECT item_id FROM standings WHERE wake_at <= ? LIMIT ${WAKE_BATCH}`;
const WAKE = `UPDATE standings SET wake_at = NULL,
    turn = CASE WHEN state = 'accepted' THEN published ELSE checked_at END
  WHERE item_id IN (${SELECT_OVER})`;

/** Gives items whose wait is over their place in the line. False: there are more, wake again first. */
export function wake(db: Connection, now: number): boolean {
  if (db.get(SELECT_OVER, now) === undefined) return true;
  return db.run(WAKE, now) < WAKE_BATCH;
}
