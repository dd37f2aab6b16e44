import type { ItemKey, Verdict } from '../../../item/item.ts';
import {
  type ItemStatus,
  OPEN_STATES,
  type Reason,
  type State,
  type Transition,
} from '../../../item/lifecycle.ts';
import { summaryView } from '../../../item/views.ts';
import { stepLine, sweepLine } from '../../../ledger/item-record.ts';
import type { Claim, HistoryEntry, RecordedSighting, Step } from '../../../ledger/ledger.ts';
import type { Connection, Row } from '../connection.ts';
import { enqueueAbsent } from '../outbox-messages.ts';
import { unmarkChanged } from './adopt.ts';
import { itemOf, moveTally, SELECT_ITEM_BY_KEY, textOrNull, toTimestamp } from './rows.ts';

const SELECT_STANDING = `SELECT s.item_id, s.state, s.reason, c.owner, ifnull(c.token, s.token) AS token, c.claimed_until,
    s.last_step, s.handed_at, s.published, s.steps
  FROM standings s CROSS JOIN items i ON i.id = s.item_id LEFT JOIN claims c ON c.item_id = i.id WHERE s.key = ?`;

/** Records a step under a claim, inside a transaction. */
export function record(
  db: Connection,
  claim: Claim,
  transition: Transition,
  step: Step,
  now: number,
): 'recorded' | 'lost' {
  const row = db.get(SELECT_STANDING, claim.item.key);
  if (row === undefined) return 'lost';
  const name = stepNameOf(claim, transition);
  if (row.last_step === name || wasRecorded(db, row, claim, name)) return 'recorded';
  if (!holdsClaim(row, claim, now) || row.state !== transition.from) return 'lost';
  storeTransition(db, row, transition, step.keepClaim === true ? name : null);
  insertHistoryLine(
    db,
    Number(row.item_id),
    Number(row.steps) + 1,
    stepLine(transition, claim.owner, step),
    name,
  );
  if (step.messages !== undefined) enqueueAbsent(db, step.messages, now);
  return 'recorded';
}

/** Records a person's step on an unclaimed item, inside a transaction. */
export function recordIntervention(db: Connection, key: ItemKey, transition: Transition, who: string): void {
  const row = db.get(SELECT_STANDING, key);
  if (row === undefined) throw new Error(`There is no item ${key}.`);
  storeTransition(db, row, transition, null);
  insertHistoryLine(db, Number(row.item_id), Number(row.steps) + 1, stepLine(transition, who, {}));
}

/** Idempotency key of a step under a claim. Short, because every history line stores it. */
function stepNameOf({ token }: Claim, { event, to }: Transition): string {
  return `${token} ${event} ${to.checkedAt.toString(36)}`;
}

function holdsClaim(row: Row, claim: Claim, now: number): boolean {
  return row.owner === claim.owner && Number(row.token) === claim.token && Number(row.claimed_until) > now;
}

/** The step may have been recorded before another worker continued with the item. */
function wasRecorded(db: Connection, row: Row, claim: Claim, name: string): boolean {
  if (Number(row.token) === claim.token && row.owner === claim.owner) return false;
  return (
    db.get('SELECT 1 AS there FROM history WHERE item_id = ? AND step = ?', Number(row.item_id), name) !==
    undefined
  );
}

/** `keptStep`: the claim is kept, and a repeated step is recognised by this name; otherwise by its history line. */
function storeTransition(db: Connection, row: Row, { from, to }: Transition, keptStep: string | null): void {
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
  unmarkChanged(db, id);
  const { turn, wakeAt, settledAt } = queuePlaceOf(to, Number(row.published));
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
    moveTally(db, { state: from, reason: row.reason as ItemStatus['reason'] }, to);
  }
}

/** Place of an item in the queue after a step: at its turn, asleep until it is due, or none. */
export function queuePlaceOf(
  to: ItemStatus,
  published: number,
): { turn: number | null; wakeAt: number | null; settledAt: number | null } {
  if (!OPEN_STATES.includes(to.state)) return { turn: null, wakeAt: null, settledAt: to.checkedAt };
  if (to.dueAt !== null && to.dueAt > to.checkedAt) return { turn: null, wakeAt: to.dueAt, settledAt: null };
  return { turn: to.state === 'accepted' ? published : to.checkedAt, wakeAt: null, settledAt: null };
}

/** Appends a line with its verdict. A repeated step is recognised by `step`. */
export function appendHistory(
  db: Connection,
  id: number,
  line: HistoryEntry,
  step: string | null = null,
): void {
  const row = db.get('UPDATE standings SET steps = steps + 1 WHERE item_id = ? RETURNING steps', id);
  insertHistoryLine(db, id, Number(row?.steps), line, step);
}

/** Inserts a line under a number that the caller counts. */
export function insertHistoryLine(
  db: Connection,
  id: number,
  nth: number,
  line: HistoryEntry,
  step: string | null = null,
): void {
  db.run(
    `INSERT INTO history (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    nth,
    line.at,
    line.event,
    line.from,
    line.to,
    line.reason,
    line.detail,
    line.who,
    Object.keys(line.notes).length === 0 ? null : JSON.stringify(line.notes),
    step,
  );
  if (line.verdict !== undefined)
    db.run(
      'INSERT INTO verdicts (item_id, nth, body) VALUES (?, ?, ?)',
      id,
      nth,
      JSON.stringify(line.verdict),
    );
}

/** The whole history. The line of the admission is derived from the item. */
export function readHistory(db: Connection, key: ItemKey): HistoryEntry[] {
  const row = db.get(SELECT_ITEM_BY_KEY, key);
  if (row === undefined) {
    const swept = db.get('SELECT state, swept_at FROM tombstones WHERE key = ?', key);
    return swept === undefined ? [] : [sweepLine(swept.state as State, Number(swept.swept_at))];
  }
  const id = Number(row.id);
  const lines = db.all(
    `SELECT h.*, v.body AS verdict FROM history h LEFT JOIN verdicts v ON v.item_id = h.item_id AND v.nth = h.nth
     WHERE h.item_id = ? ORDER BY h.nth`,
    id,
  );
  return [admitHistoryLine(row, lines[0]), ...lines.map(lineFromRow)];
}

function admitHistoryLine(row: Row, first: Row | undefined): HistoryEntry {
  const item = itemOf(row);
  const state = first === undefined ? item.state : (first.from_state as State | null);
  const baseline = state === 'baseline';
  return {
    at: item.createdAt,
    event: 'admit',
    from: null,
    to: baseline ? 'baseline' : 'waiting',
    reason: baseline ? 'first_contact' : 'none',
    detail: null,
    who: item.sourceId === '' ? null : item.sourceId,
    notes: item.sourceName === '' ? {} : { source: item.sourceName },
  };
}

function lineFromRow(row: Row): HistoryEntry {
  return {
    at: Number(row.at),
    event: String(row.event),
    from: row.from_state as State | null,
    to: row.to_state as State | null,
    reason: row.reason as Reason,
    detail: textOrNull(row.detail),
    who: textOrNull(row.who),
    notes: row.notes === null ? {} : (JSON.parse(String(row.notes)) as HistoryEntry['notes']),
    ...(row.verdict !== null && { verdict: JSON.parse(String(row.verdict)) as Verdict }),
  };
}

/** Every source that showed an item. */
export function readSightings(db: Connection, key: ItemKey): RecordedSighting[] {
  const rows = db.all(
    `SELECT i.url, i.title, g.source_id, g.seen_at, g.facts FROM items i
     CROSS JOIN sightings g ON g.item_id = i.id WHERE i.id = (SELECT item_id FROM standings WHERE key = ?) ORDER BY g.nth`,
    key,
  );
  return rows.map((row) => {
    const facts = JSON.parse(String(row.facts)) as Partial<RecordedSighting>;
    return {
      sourceId: String(row.source_id),
      sourceName: facts.sourceName ?? '',
      url: facts.url ?? String(row.url),
      title: facts.title ?? String(row.title),
      at: Number(row.seen_at),
    };
  });
}
