import type { StatementSync } from 'node:sqlite';
import { canonicalUrl } from '../../../item/identity.ts';
import { OPEN_STATES, type Reason, type State } from '../../../item/lifecycle.ts';
import { shorten } from '../../../item/shorten.ts';
import { summaryView } from '../../../item/views.ts';
import { MAX_TIME, MIN_TIME } from '../../../ledger/validation.ts';
import type { Row } from '../connection.ts';
import { fromTimestamp, toTimestamp } from './rows.ts';

/** A connection, or the database itself during a migration. */
export interface Statements {
  prepare(sql: string): StatementSync;
}

/** How many rows one call adopts. */
const MAX_ROWS = 500;

export const ANY_CHANGED = 'SELECT 1 AS there FROM changed_rows WHERE problem IS NULL LIMIT 1';

/** As text: an integer may be too large for a JavaScript number. */
const SELECT_CHANGED = `SELECT changed_rows.item_id, i.id, i.url, i.title,
    CAST(i.published_at AS TEXT) AS published_at, CAST(i.created_at AS TEXT) AS created_at,
    CAST(i.last_checked_at AS TEXT) AS last_checked_at, CAST(i.status AS TEXT) AS status, CAST(i.reason AS TEXT) AS reason,
    CAST(i.retry_count AS TEXT) AS retry_count, s.key, s.state, s.reason AS why, s.checked_at, s.published
  FROM changed_rows LEFT JOIN items i ON i.id = changed_rows.item_id LEFT JOIN standings s ON s.item_id = changed_rows.item_id
  WHERE changed_rows.problem IS NULL ORDER BY changed_rows.item_id LIMIT ${MAX_ROWS}`;

/**
 * Adopts rows of `items` that another program inserted or changed: normalises their times, so that text order is time order,
 * and derives the item status of each. Inside a transaction. Returns how many rows it read; 0 = there are no more.
 */
export function adoptRows(db: Statements): number {
  const rows = db.prepare(SELECT_CHANGED).all();
  for (const row of rows) adoptRow(db, row);
  return rows.length;
}

function adoptRow(db: Statements, row: Row): void {
  const id = Number(row.item_id);
  const read = row.id === null ? null : readRowValues(row);
  if (read === null) {
    unmarkChanged(db, id);
    return;
  }
  if (typeof read === 'string') {
    suspendRow(db, id, row);
    db.prepare('UPDATE changed_rows SET problem = ? WHERE item_id = ?').run(read, id);
    return;
  }
  if (row.state === null) insertStanding(db, id, read);
  else applyChange(db, id, row, read);
  const stamps = [read.published, read.created, read.checked].map(toTimestamp);
  if (stamps.some((stamp, nth) => stamp !== [row.published_at, row.created_at, row.last_checked_at][nth]))
    db.prepare('UPDATE items SET published_at = ?, created_at = ?, last_checked_at = ? WHERE id = ?').run(
      ...stamps,
      id,
    );
  unmarkChanged(db, id);
}

/** The ledger knows the current values of the row. */
export function unmarkChanged(db: Statements, id: number): void {
  db.prepare('DELETE FROM changed_rows WHERE item_id = ?').run(id);
}

interface RowValues {
  readonly url: string;
  readonly title: string;
  readonly published: number;
  readonly created: number;
  readonly checked: number;
  readonly status: number;
  readonly code: number;
}

/** The values of a row, or what is wrong with them. */
function readRowValues(row: Row): RowValues | string {
  const { url, title } = row;
  if (typeof url !== 'string' || url === '') return 'url is missing or no text';
  if (typeof title !== 'string') return 'title is missing or no text';
  const [status, code, retries] = [row.status, row.reason ?? '0', row.retry_count].map(wholeNumber);
  if (status === undefined || status === null || status > 3)
    return `status is ${quoted(row.status)}, and not 0, 1, 2 or 3`;
  if (code === undefined || code === null || code > 6)
    return `reason is ${quoted(row.reason)}, and not NULL or 0 to 6`;
  if (retries === undefined || retries === null)
    return `retry_count is ${quoted(row.retry_count)}, and no whole number`;
  const times = (['published_at', 'created_at', 'last_checked_at'] as const).map((column) => ({
    column,
    time: parseTime(row[column]),
  }));
  const bad = times.find(({ time }) => time === null);
  if (bad !== undefined) return `${bad.column} is ${quoted(row[bad.column])}, and no time`;
  const [published = 0, created = 0, checked = 0] = times.map(({ time }) => time ?? 0);
  return { url, title, published, created, checked, status, code };
}

function wholeNumber(text: unknown): number | null {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by magnitude, or a timestamp. */
function parseTime(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const number = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  const ms = number === null ? fromTimestamp(text) : Math.round(number * timeUnitOf(Math.abs(number)));
  return ms !== null && ms >= MIN_TIME && ms <= MAX_TIME ? ms : null;
}

function timeUnitOf(size: number): number {
  if (size < 1e11) return 1000;
  if (size < 1e14) return 1;
  return size < 1e17 ? 1e-3 : 1e-6;
}

function quoted(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return `"${shorten(String(value), 41)}"`;
}

/** Adopts a row that the ledger does not know yet. */
function insertStanding(db: Statements, id: number, read: RowValues): void {
  const { state, reason } = standingOf(read.status, read.code);
  const { turn, settledAt } = turnOfState(state, read);
  db.prepare(
    `INSERT INTO standings (item_id, key, state, reason, checked_at, published, turn, settled_at, steps)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(nth), 0) FROM history WHERE item_id = ?))`,
  ).run(id, keyFor(db, id, read.url), state, reason, read.checked, read.published, turn, settledAt, id);
  db.prepare(
    "INSERT OR IGNORE INTO sightings (item_id, nth, source_id, seen_at, facts) VALUES (?, 0, '', ?, ?)",
  ).run(id, read.created, read.title === '' ? JSON.stringify({ title: read.url }) : '{}');
  adjustTally(db, state, reason, 1);
}

/** Adopts status and times of a known row that another program changed. */
function applyChange(db: Statements, id: number, row: Row, read: RowValues): void {
  const before = { state: row.state as State, reason: row.why as Reason };
  const view = summaryView(before);
  const same = view.status === read.status && (read.status !== 1 || (view.reason ?? 0) === read.code);
  if (same && read.checked === row.checked_at && read.published === row.published) return;
  if (same) {
    const { turn, settledAt } = turnOfState(before.state, read);
    db.prepare(
      `UPDATE standings SET checked_at = ?, published = ?, settled_at = ?, turn = CASE WHEN wake_at IS NULL THEN ? END
       WHERE item_id = ?`,
    ).run(read.checked, read.published, settledAt, turn, id);
    return;
  }
  const { state, reason } = standingOf(read.status, read.code);
  const { turn, settledAt } = turnOfState(state, read);
  db.prepare(
    `UPDATE standings SET state = ?, reason = ?, detail = ?, due_at = NULL, wake_at = NULL, checked_at = ?, published = ?,
       turn = ?, settled_at = ?, last_step = NULL, steps = steps + 1,
       token = ifnull((SELECT token FROM claims WHERE claims.item_id = standings.item_id), token) WHERE item_id = ?`,
  ).run(state, reason, CHANGED_DETAIL, read.checked, read.published, turn, settledAt, id);
  db.prepare('DELETE FROM claims WHERE item_id = ?').run(id);
  db.prepare(
    `INSERT INTO history (item_id, nth, at, event, from_state, to_state, reason, detail)
     VALUES (?, (SELECT steps FROM standings WHERE item_id = ?), ?, ?, ?, ?, ?, ?)`,
  ).run(id, id, read.checked, EVENT_OF_STATE[state], before.state, state, reason, CHANGED_DETAIL);
  adjustTally(db, before.state, before.reason, -1);
  adjustTally(db, state, reason, 1);
}

const CHANGED_DETAIL = 'changed by another program';

const EVENT_OF_STATE: Readonly<Record<State, string>> = {
  waiting: 'requeue',
  deferred: 'defer',
  accepted: 'accept',
  published: 'publish',
  baseline: 'publish',
  rejected: 'reject',
  failed: 'giveUp',
  parked: 'park',
};

/** A row with unusable values stays known by its keys, but is not processed. */
function suspendRow(db: Statements, id: number, row: Row): void {
  if (row.state === null) return;
  db.prepare('INSERT OR IGNORE INTO aliases (key, item_id) VALUES (?, ?)').run(String(row.key), id);
  db.prepare('DELETE FROM standings WHERE item_id = ?').run(id);
  db.prepare('DELETE FROM claims WHERE item_id = ?').run(id);
  adjustTally(db, row.state as State, row.why as Reason, -1);
}

/** The previous key, or the canonical URL, or the raw URL where another item has that key. */
function keyFor(db: Statements, id: number, url: string): string {
  const had = db
    .prepare(
      'DELETE FROM aliases WHERE key = (SELECT key FROM aliases WHERE item_id = ? LIMIT 1) RETURNING key',
    )
    .get(id);
  const canonical = canonicalUrl(url);
  const keys = [had?.key, canonical.outcome === 'canonical' ? canonical.url : url, url];
  for (const key of keys) if (typeof key === 'string' && isKeyFree(db, key)) return key;
  return `${url}#item=${id}`;
}

/** `INSERT OR REPLACE` fires no trigger for the replaced row: its status is deleted here. */
function isKeyFree(db: Statements, key: string): boolean {
  const existing = db
    .prepare('SELECT s.item_id, i.id FROM standings s LEFT JOIN items i ON i.id = s.item_id WHERE s.key = ?')
    .get(key);
  if (existing === undefined) return true;
  if (existing.id !== null) return false;
  deleteStanding(db, Number(existing.item_id));
  return true;
}

/** What the trigger `items_deleted` does. */
function deleteStanding(db: Statements, id: number): void {
  const row = db.prepare('DELETE FROM standings WHERE item_id = ? RETURNING state, reason').get(id);
  if (row !== undefined) adjustTally(db, row.state as State, row.reason as Reason, -1);
  for (const table of ['claims', 'sightings', 'history', 'verdicts', 'aliases'])
    db.prepare(`DELETE FROM ${table} WHERE item_id = ?`).run(id);
}

function adjustTally(db: Statements, state: State, reason: Reason, change: number): void {
  db.prepare(
    'INSERT INTO tallies (state, reason, n) VALUES (?, ?, ?) ON CONFLICT (state, reason) DO UPDATE SET n = n + excluded.n',
  ).run(state, reason, change);
}

function turnOfState(state: State, read: RowValues): { turn: number | null; settledAt: number | null } {
  if (!OPEN_STATES.includes(state)) return { turn: null, settledAt: read.checked };
  return { turn: state === 'accepted' ? read.published : read.checked, settledAt: null };
}

const REASON_OF_CODE: readonly Reason[] = [
  'none',
  'not_valuable',
  'not_ready',
  'download_failed',
  'too_large',
  'api_failed',
  'retry_limit',
];

/** The table has fewer states than the lifecycle: the nearest match. */
function standingOf(status: number, code: number): { state: State; reason: Reason } {
  const reason = REASON_OF_CODE[code] ?? 'none';
  if (status === 0) return { state: 'waiting', reason: 'none' };
  if (status === 1) return { state: 'deferred', reason };
  if (status === 2) return { state: 'accepted', reason: 'none' };
  if (reason === 'none') return { state: 'published', reason };
  return { state: reason === 'not_valuable' ? 'rejected' : 'failed', reason };
}
