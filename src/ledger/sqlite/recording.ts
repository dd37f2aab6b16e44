import type { ItemKey } from '../../item/item.ts';
import { OPEN_STATES, type Standing, type Transition } from '../../item/lifecycle.ts';
import { summaryView } from '../../item/views.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';
import { stepLine } from '../item-record.ts';
import type { Claim, Step } from '../ledger.ts';
import { unmark } from './adopt.ts';
import { insertLine } from './history.ts';
import { intendWhatIsFree } from './intents.ts';
import { move } from './tallies.ts';
import { toTimestamp } from './timestamps.ts';

const SELECT_STANDING = `SELECT s.item_id, s.state, s.reason, c.owner, ifnull(c.token, s.token) AS token, c.claimed_until,
    s.last_step, s.handed_at, s.published, s.steps
  FROM standings s CROSS JOIN items i ON i.id = s.item_id LEFT JOIN claims c ON c.item_id = i.id WHERE s.key = ?`;

/** One step under a claim, inside a transaction. */
export function record(
  db: Connection,
  held: Claim,
  transition: Transition,
  step: Step,
  now: number,
): 'recorded' | 'lost' {
  const row = db.get(SELECT_STANDING, held.item.key);
  if (row === undefined) return 'lost';
  const name = nameOf(held, transition);
  if (row.last_step === name || wasTaken(db, row, held, name)) return 'recorded';
  if (!holds(row, held, now) || row.state !== transition.from) return 'lost';
  store(db, row, transition, step.keepClaim === true ? name : null);
  insertLine(db, Number(row.item_id), Number(row.steps) + 1, stepLine(transition, held.owner, step), name);
  if (step.intents !== undefined) intendWhatIsFree(db, step.intents, now);
  return 'recorded';
}

/** A person's step on an item that nobody holds, inside a transaction. */
export function recordByHand(db: Connection, key: ItemKey, transition: Transition, who: string): void {
  const row = db.get(SELECT_STANDING, key);
  if (row === undefined) throw new Error(`There is no item ${key}.`);
  store(db, row, transition, null);
  insertLine(db, Number(row.item_id), Number(row.steps) + 1, stepLine(transition, who, {}));
}

/** The same step under the same claim has the same name, by which it is known when it is repeated. Short: every line carries it. */
function nameOf({ token }: Claim, { event, to }: Transition): string {
  return `${token} ${event} ${to.checkedAt.toString(36)}`;
}

function holds(row: Row, held: Claim, now: number): boolean {
  return row.owner === held.owner && Number(row.token) === held.token && Number(row.claimed_until) > now;
}

/** Somebody else may have gone on with the item since; the step was taken all the same. */
function wasTaken(db: Connection, row: Row, held: Claim, name: string): boolean {
  if (Number(row.token) === held.token && row.owner === held.owner) return false;
  return (
    db.get('SELECT 1 AS there FROM history WHERE item_id = ? AND step = ?', Number(row.item_id), name) !==
    undefined
  );
}

/** `keptStep`: the claim goes on, and the step is known again by this name. One that ends the claim is known by its line. */
function store(db: Connection, row: Row, { from, to }: Transition, keptStep: string | null): void {
  const id = Number(row.item_id);
  const { status, reason } = summaryView(to);
  db.run(
    'UPDATE items SET status = ?, reason = ?, retry_count = ?, last_checked_at = ? WHERE id = ?',
    status,
    reason,
    to.attempts,
    toTimestamp(to.checkedAt),
    id,
  );
  unmark(db, id);
  const { turn, wakeAt, settledAt } = place(to, Number(row.published));
  db.run(
    `UPDATE standings SET state = ?, reason = ?, detail = ?, due_at = ?, checked_at = ?, turn = ?, wake_at = ?,
       settled_at = ?, token = ?, last_step = ?, handed_at = ?, steps = ? WHERE item_id = ?`,
    to.state,
    to.reason,
    to.detail,
    to.dueAt,
    to.checkedAt,
    turn,
    wakeAt,
    settledAt,
    Number(row.token),
    keptStep,
    row.handed_at === null ? null : 0,
    Number(row.steps) + 1,
    id,
  );
  if (keptStep === null) db.run('DELETE FROM claims WHERE item_id = ?', id);
  if (from !== to.state || row.reason !== to.reason) {
    move(db, { state: from, reason: row.reason as Standing['reason'] }, to);
  }
}

/** Where an item stands in the line after a step: at its turn, asleep until it is due, or not in the line at all. */
export function place(
  to: Standing,
  published: number,
): { turn: number | null; wakeAt: number | null; settledAt: number | null } {
  if (!OPEN_STATES.includes(to.state)) return { turn: null, wakeAt: null, settledAt: to.checkedAt };
  if (to.dueAt !== null && to.dueAt > to.checkedAt) return { turn: null, wakeAt: to.dueAt, settledAt: null };
  return { turn: to.state === 'accepted' ? published : to.checkedAt, wakeAt: null, settledAt: null };
}
