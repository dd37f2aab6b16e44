import type { ItemKey } from '../../../item/item.ts';
import { OPEN_STATES, type State } from '../../../item/lifecycle.ts';
import { takeoverLine } from '../../../ledger/item-record.ts';
import type { Claim, ClaimRequest, HandOverQuery } from '../../../ledger/ledger.ts';
import { CLOCK_TOLERANCE, type CorrectedTimes, type LeaseWatch } from '../../../time/clock.ts';
import type { Connection, Row } from '../connection.ts';
import { appendHistory } from './record.ts';
import { itemOf, SELECT_ITEM, SELECT_ITEM_BY_ID } from './rows.ts';

/** Claims the next item. Inside a transaction. `wake first`: retry in another one. */
export function claimNext(db: Connection, ask: ClaimRequest, now: number): Claim | null | 'wake first' {
  const again = claimOfAttempt(db, ask, now);
  if (again !== undefined) return claimOf(again, ask.owner);
  const id = nextItemId(db, ask.states ?? OPEN_STATES, now);
  return typeof id === 'number' ? claimById(db, id, ask, now) : id;
}

/** Claims this item. Inside a transaction. */
export function claim(db: Connection, key: ItemKey, ask: ClaimRequest, now: number): Claim | null {
  const again = claimOfAttempt(db, ask, now);
  if (again !== undefined) return again.key === key ? claimOf(again, ask.owner) : null;
  const row = db.get(
    `SELECT s.item_id, s.state, s.due_at, c.claimed_until FROM standings s
     LEFT JOIN claims c ON c.item_id = s.item_id WHERE s.key = ?`,
    key,
  );
  if (row === undefined || !(ask.states ?? OPEN_STATES).includes(row.state as State)) return null;
  if (!OPEN_STATES.includes(row.state as State)) return null;
  if (row.claimed_until !== null && Number(row.claimed_until) > now) return null;
  if (!ask.early && row.due_at !== null && Number(row.due_at) > now) return null;
  return claimById(db, Number(row.item_id), ask, now);
}

/** Returns the claim with its new expiry, or `null` when it was lost. */
export function renew(db: Connection, claimed: Claim, leaseMs: number, now: number): Claim | null {
  const until = now + leaseMs;
  const changed = db.run(
    `UPDATE claims SET claimed_until = ?
     WHERE item_id = (SELECT item_id FROM standings WHERE key = ?) AND token = ? AND owner = ? AND claimed_until > ?`,
    until,
    claimed.item.key,
    claimed.token,
    claimed.owner,
    now,
  );
  return changed === 0 ? null : { ...claimed, until };
}

/** Releases a claim: the item is due as before and keeps its place in the queue. */
export function release(db: Connection, claimed: Claim, now: number): void {
  const released = db.get(
    `DELETE FROM claims WHERE item_id = (SELECT item_id FROM standings WHERE key = ?) AND token = ? AND owner = ? AND claimed_until > ?
     RETURNING item_id`,
    claimed.item.key,
    claimed.token,
    claimed.owner,
    now,
  );
  if (released !== undefined)
    db.run('UPDATE standings SET token = ? WHERE item_id = ?', claimed.token, Number(released.item_id));
}

/** Expires claims with a far-off expiry from a clock that was ahead, once their workers are dead. Inside a transaction. */
export function expireStalled(
  db: Connection,
  leaseMs: number,
  leases: LeaseWatch,
  now: number,
): CorrectedTimes {
  const rows = db.all(
    'SELECT item_id, claimed_until FROM claims WHERE claimed_until > ?',
    now + leaseMs + CLOCK_TOLERANCE,
  );
  const over = rows.filter((row) =>
    leases.isOver(`item ${Number(row.item_id)}`, Number(row.claimed_until), leaseMs),
  );
  for (const row of over)
    db.run('UPDATE claims SET claimed_until = ? WHERE item_id = ?', now, Number(row.item_id));
  return { corrected: over.length, watched: rows.length - over.length };
}

function claimOfAttempt(db: Connection, ask: ClaimRequest, now: number): Row | undefined {
  if (ask.attempt === undefined) return undefined;
  return db.get(
    `${SELECT_ITEM} WHERE i.id IN
       (SELECT item_id FROM claims WHERE attempt = ? AND owner = ? AND claimed_until > ?)`,
    ask.attempt,
    ask.owner,
    now,
  );
}

function claimById(db: Connection, id: number, ask: ClaimRequest, now: number): Claim | null {
  const before = db.get(SELECT_ITEM_BY_ID, id);
  if (before === undefined) return null;
  const token = Number(before.token) + 1;
  const until = now + ask.leaseMs;
  db.run(
    'INSERT OR REPLACE INTO claims (item_id, owner, token, claimed_until, attempt) VALUES (?, ?, ?, ?, ?)',
    id,
    ask.owner,
    token,
    until,
    ask.attempt ?? null,
  );
  if (before.owner !== null)
    appendHistory(db, id, takeoverLine(before.state as State, String(before.owner), ask.owner, now));
  return { item: itemOf(before), owner: ask.owner, token, until };
}

function claimOf(row: Row, owner: string): Claim {
  return { item: itemOf(row), owner, token: Number(row.token), until: Number(row.claimed_until) };
}

/** How many claimed or not yet due items the contract's selections skip. */
const FRONT_SIZE = 32;
/** How many items one transaction wakes. */
const WAKE_BATCH = 1000;

/**
 * Condition for claimable items: unclaimed and due. The due time is checked even for woken items, because the clock may go
 * back. The claim is looked up by `id`, a column of the first table, so that a claimed item costs no further lookup.
 */
export function claimableSql(id: string): string {
  return `NOT EXISTS (SELECT 1 FROM claims c WHERE c.item_id = ${id} AND c.claimed_until > ?1)
  AND (s.due_at IS NULL OR s.due_at <= ?1)`;
}

/** The column `status` of queued items (B3). */
const STATUSES = { waiting: 0, deferred: 1, accepted: 2 } as const;

/** The selections of B6, on the contract's own indexes. */
export const FRONT_SQL = {
  accepted: selectFront(STATUSES.accepted, 'published_at'),
  waiting: selectFront(STATUSES.waiting, 'last_checked_at'),
  deferred: selectFront(STATUSES.deferred, 'last_checked_at'),
} as const;

function selectFront(status: number, order: string): string {
  return `SELECT s.item_id, s.turn, s.state FROM
    (SELECT id FROM items WHERE status = ${status} ORDER BY ${order}, id LIMIT ${FRONT_SIZE}) f
    CROSS JOIN standings s ON s.item_id = f.id WHERE ${claimableSql('f.id')} AND s.turn IS NOT NULL LIMIT 1`;
}

/** The heads of all three queues in one query, which queues are not empty, and whether items have to be woken first. */
const SELECT_FRONTS = [
  ...Object.values(FRONT_SQL).map((selection) => `SELECT * FROM (${selection})`),
  ...Object.values(STATUSES).map(
    (status) => `SELECT * FROM (SELECT NULL, NULL, ${status} FROM items WHERE status = ${status} LIMIT 1)`,
  ),
  `SELECT * FROM (SELECT item_id, NULL, 'asleep' FROM standings WHERE wake_at <= ?1 LIMIT 1)`,
].join(' UNION ALL ');

/** All claimable items of a queue, in order. Skips claimed items. */
export const QUEUE_SQL = {
  waiting: `FROM items i CROSS JOIN standings s ON s.item_id = i.id
  WHERE i.status = ${STATUSES.waiting} AND ${claimableSql('i.id')} AND s.turn IS NOT NULL ORDER BY i.last_checked_at, i.id`,
  deferred: sleepingQueueSql('deferred'),
  accepted: sleepingQueueSql('accepted'),
} as const;

/** Many of these items may be asleep: an index has only the others, in the same order. */
function sleepingQueueSql(state: 'deferred' | 'accepted'): string {
  return `FROM standings s CROSS JOIN items i ON i.id = s.item_id
  WHERE s.state = '${state}' AND s.state <> 'waiting' AND s.turn IS NOT NULL AND ${claimableSql('s.item_id')} ORDER BY s.turn, s.item_id`;
}

/**
 * The ID of the next item: accepted before all others, then the oldest check (B6). `wake first`: more items are to be woken
 * than fit into one transaction.
 */
export function nextItemId(
  db: Connection,
  states: readonly State[],
  now: number,
): number | null | 'wake first' {
  let fronts = db.all(SELECT_FRONTS, now);
  if (fronts.some((front) => front.state === 'asleep')) {
    if (!wakeDueItems(db, now)) return 'wake first';
    fronts = db.all(SELECT_FRONTS, now);
  }
  let first: Row | undefined;
  for (const state of OPEN_STATES) {
    if (!states.includes(state)) continue;
    const row = fronts.find((front) => front.state === state) ?? firstBehindFront(db, state, fronts, now);
    if (row !== undefined && state === 'accepted') return Number(row.item_id);
    first = olderRow(first, row);
  }
  return first === undefined ? null : Number(first.item_id);
}

/** Skips the query where the queue is empty. */
function firstBehindFront(
  db: Connection,
  state: State,
  fronts: readonly Row[],
  now: number,
): Row | undefined {
  const status = STATUSES[state as keyof typeof STATUSES];
  if (!fronts.some((front) => front.state === status)) return undefined;
  return db.get(
    `SELECT s.item_id, s.turn, s.state ${QUEUE_SQL[state as keyof typeof QUEUE_SQL]} LIMIT 1`,
    now,
  );
}

function olderRow(a: Row | undefined, b: Row | undefined): Row | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const difference = Number(a.turn) - Number(b.turn) || Number(a.item_id) - Number(b.item_id);
  return difference <= 0 ? a : b;
}

/** The keys of the next items, in order. */
export function upcoming(db: Connection, limit: number, now: number): ItemKey[] {
  const [accepted, waiting, deferred] = OPEN_STATES.map((state) =>
    db.all(
      `SELECT s.key, s.turn, s.item_id ${QUEUE_SQL[state as keyof typeof QUEUE_SQL]} LIMIT ?2`,
      now,
      limit,
    ),
  );
  const rest = [...(waiting ?? []), ...(deferred ?? [])].sort((a, b) => (olderRow(a, b) === a ? -1 : 1));
  return [...(accepted ?? []), ...rest].slice(0, limit).map((row) => String(row.key) as ItemKey);
}

const SELECT_DUE = `SELECT item_id FROM standings WHERE wake_at <= ? LIMIT ${WAKE_BATCH}`;
const UPDATE_DUE = `UPDATE standings SET wake_at = NULL,
    turn = CASE WHEN state = 'accepted' THEN published ELSE checked_at END
  WHERE item_id IN (${SELECT_DUE})`;

/** Puts items that are due back into the queue. False: there are more, wake again first. */
export function wakeDueItems(db: Connection, now: number): boolean {
  if (db.get(SELECT_DUE, now) === undefined) return true;
  return db.run(UPDATE_DUE, now) < WAKE_BATCH;
}

/** Items that a separate queue does not have, or has had for too long. After `wakeDueItems`. */
export function pendingHandOver(db: Connection, ask: HandOverQuery, now: number): ItemKey[] {
  const never = db.all(
    `SELECT s.key FROM standings s CROSS JOIN items i ON i.id = s.item_id
     WHERE s.handed_at = 0 AND s.turn IS NOT NULL AND ${claimableSql('s.item_id')} ORDER BY s.turn LIMIT ?2`,
    now,
    ask.limit,
  );
  // Also items whose lease expired: their queue message went to the worker that lost the lease.
  const stale =
    never.length >= ask.limit
      ? []
      : db.all(
          `SELECT s.key FROM standings s CROSS JOIN items i ON i.id = s.item_id LEFT JOIN claims l ON l.item_id = s.item_id
           WHERE s.handed_at > 0 AND s.turn IS NOT NULL AND ${claimableSql('s.item_id')}
             AND (s.handed_at < ?2 OR s.handed_at < l.claimed_until)
           ORDER BY s.handed_at LIMIT ?3`,
          now,
          ask.handedBefore ?? 0,
          ask.limit - never.length,
        );
  return [...never, ...stale].map((row) => String(row.key) as ItemKey);
}

export function markHandedOver(db: Connection, keys: readonly ItemKey[], now: number): void {
  db.run(
    `UPDATE standings SET handed_at = ? WHERE handed_at IS NOT NULL AND item_id IN
       (SELECT s.item_id FROM json_each(?) j CROSS JOIN standings s ON s.key = j.value)`,
    now,
    JSON.stringify(keys),
  );
}
