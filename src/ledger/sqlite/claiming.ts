import type { ItemKey } from '../../item/item.ts';
import { OPEN_STATES, type State } from '../../item/lifecycle.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';
import { CLOCK_TOLERANCE, type CorrectedTimes, type LeaseWatch } from '../../time/future.ts';
import { takeoverLine } from '../item-record.ts';
import type { Claim, ClaimAsk } from '../ledger.ts';
import { writeLine } from './history.ts';
import { itemOf, SELECT_ITEM, SELECT_ITEM_BY_ID } from './rows.ts';
import { nextInLine } from './turns.ts';

/** Takes the item whose turn it is. Inside a transaction. `wake first`: ask again in another one. */
export function claimNext(db: Connection, ask: ClaimAsk, now: number): Claim | null | 'wake first' {
  const again = sameAttempt(db, ask, now);
  if (again !== undefined) return claimOf(again, ask.owner);
  const id = nextInLine(db, ask.states ?? OPEN_STATES, now);
  return typeof id === 'number' ? take(db, id, ask, now) : id;
}

/** Takes this very item. Inside a transaction. */
export function claim(db: Connection, key: ItemKey, ask: ClaimAsk, now: number): Claim | null {
  const again = sameAttempt(db, ask, now);
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
  return take(db, Number(row.item_id), ask, now);
}

/** Answers the new end of the lease, or `null` when the claim was lost. */
export function renew(db: Connection, held: Claim, leaseMs: number, now: number): Claim | null {
  const until = now + leaseMs;
  const changed = db.run(
    `UPDATE claims SET claimed_until = ?
     WHERE item_id = (SELECT item_id FROM standings WHERE key = ?) AND token = ? AND owner = ? AND claimed_until > ?`,
    until,
    held.item.key,
    held.token,
    held.owner,
    now,
  );
  return changed === 0 ? null : { ...held, until };
}

/** Gives it back: it is due as before and keeps its place in the line. */
export function release(db: Connection, held: Claim, now: number): void {
  const given = db.get(
    `DELETE FROM claims WHERE item_id = (SELECT item_id FROM standings WHERE key = ?) AND token = ? AND owner = ? AND claimed_until > ?
     RETURNING item_id`,
    held.item.key,
    held.token,
    held.owner,
    now,
  );
  if (given !== undefined)
    db.run('UPDATE standings SET token = ? WHERE item_id = ?', held.token, Number(given.item_id));
}

/** Ends claims that a clock which was ahead gave an end far away, once their workers are dead. Inside a transaction. */
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

function sameAttempt(db: Connection, ask: ClaimAsk, now: number): Row | undefined {
  if (ask.attempt === undefined) return undefined;
  return db.get(
    `${SELECT_ITEM} WHERE i.id IN
       (SELECT item_id FROM claims WHERE attempt = ? AND owner = ? AND claimed_until > ?)`,
    ask.attempt,
    ask.owner,
    now,
  );
}

function take(db: Connection, id: number, ask: ClaimAsk, now: number): Claim | null {
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
    writeLine(db, id, takeoverLine(before.state as State, String(before.owner), ask.owner, now));
  return { item: itemOf(before), owner: ask.owner, token, until };
}

function claimOf(row: Row, owner: string): Claim {
  return { item: itemOf(row), owner, token: Number(row.token), until: Number(row.claimed_until) };
}
