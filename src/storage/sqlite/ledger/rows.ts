import {
  type Item,
  type ItemFacts,
  type ItemKey,
  itemFacts,
  type Sighting,
  type Verdict,
} from '../../../item/item.ts';
import type { Reason, State } from '../../../item/lifecycle.ts';
import { MIN_TIME } from '../../../ledger/validation.ts';
import type { Connection, Row } from '../connection.ts';

/**
 * Times in the columns of `items`: UTC text `YYYY-MM-DD HH:MM:SS.sss+00:00`. Go's SQLite drivers read this form from
 * a TIMESTAMP column into a `time.Time`, SQLite's own date functions understand it, and its order as text is the
 * order of time from year 0 to year 9999.
 */
export function toTimestamp(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}+00:00`;
}

const TIMESTAMP_LENGTH = 29;

/** Parses our own timestamps and those of Go and SQLite: any zone, any or no fraction, with or without a time of day. `null` = invalid. */
export function fromTimestamp(text: string): number | null {
  if (text.length === TIMESTAMP_LENGTH && text.endsWith('+00:00')) {
    const ms = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
    if (!Number.isNaN(ms)) return ms;
  }
  const parts = TIMESTAMP_PATTERN.exec(text);
  if (parts === null) return null;
  const [, day, minutes = '00:00', seconds = '00', fraction = '', zone = '+00:00'] = parts;
  const zoned = zone === 'Z' ? '+00:00' : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${day}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zoned}`);
  return Number.isNaN(ms) ? null : ms;
}

/** Go's `String()` adds the zone's name and a monotonic reading at the end; both are ignored. */
const TIMESTAMP_PATTERN =
  /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)? ?(Z|[+-]\d\d:?\d\d)?(?: [A-Z+-][\w+-]*)?(?: m=[+-][\d.]+)?)?$/;

/** An item with everything that belongs to it, from the tables beside `items`. Add a WHERE. */
export const SELECT_ITEM = `SELECT i.id, i.url, i.title, i.retry_count, i.created_at,
  s.key, s.state, s.reason, s.detail, s.due_at, s.checked_at, s.published, c.owner, ifnull(c.token, s.token) AS token, c.claimed_until,
  g.source_id, g.facts,
  (SELECT v.body FROM verdicts v WHERE v.item_id = i.id ORDER BY v.nth DESC LIMIT 1) AS verdict
  FROM items i CROSS JOIN standings s ON s.item_id = i.id CROSS JOIN sightings g ON g.item_id = i.id AND g.nth = 0
  LEFT JOIN claims c ON c.item_id = i.id`;

export const SELECT_ITEM_BY_ID = `${SELECT_ITEM} WHERE i.id = ?`;
export const SELECT_ITEM_BY_KEY = `${SELECT_ITEM} WHERE i.id = (SELECT item_id FROM standings WHERE key = ?)`;

/**
 * The fields of a sighting without a column. Includes the title only where SQLite's text cannot store it (unpaired surrogates),
 * and the URL only where the column differs (see `urlColumn`).
 */
type Facts = Partial<Omit<ItemFacts, 'key' | 'sourceId' | 'publishedAt'>>;

export function factsOf(sighting: Sighting, written: string): string {
  const { key: _key, sourceId: _source, publishedAt: _published, url, title, ...rest } = itemFacts(sighting);
  const facts: Facts = { ...rest };
  return JSON.stringify({
    ...(url !== written && { url }),
    ...(!title.isWellFormed() && { title }),
    ...facts,
  });
}

export function itemOf(row: Row): Item {
  const facts = JSON.parse(String(row.facts)) as Facts;
  return {
    key: String(row.key) as ItemKey,
    url: String(row.url),
    title: String(row.title),
    publishedAt: Number(row.published),
    sourceId: String(row.source_id),
    sourceName: '',
    ...facts,
    state: row.state as State,
    reason: row.reason as Reason,
    detail: textOrNull(row.detail),
    attempts: Number(row.retry_count),
    dueAt: numberOrNull(row.due_at),
    createdAt: timeOf(row.created_at),
    checkedAt: Number(row.checked_at),
    verdict: row.verdict === null ? null : (JSON.parse(String(row.verdict)) as Verdict),
  };
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function timeOf(written: unknown): number {
  return fromTimestamp(String(written)) ?? MIN_TIME;
}

/** Counts an item that went from one state and reason to another. */
export function moveTally(
  db: Connection,
  from: { readonly state: State; readonly reason: Reason },
  to: { readonly state: State; readonly reason: Reason },
): void {
  db.run(
    `INSERT INTO tallies (state, reason, n) VALUES (?, ?, -1), (?, ?, 1)
     ON CONFLICT (state, reason) DO UPDATE SET n = n + excluded.n`,
    from.state,
    from.reason,
    to.state,
    to.reason,
  );
}

/** Number of items by state and reason, maintained by every step, so that no query counts them. */
export function addToTally(db: Connection, state: State | 'tombstone', reason: Reason, change: number): void {
  if (change === 0) return;
  db.run(
    `INSERT INTO tallies (state, reason, n) VALUES (?, ?, ?)
     ON CONFLICT (state, reason) DO UPDATE SET n = n + excluded.n`,
    state,
    reason,
    change,
  );
}
