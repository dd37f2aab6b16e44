import type { ItemKey, Verdict } from '../../item/item.ts';
import type { Reason, State } from '../../item/lifecycle.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';
import { sweepLine } from '../item-record.ts';
import type { HistoryEntry, Sighted } from '../ledger.ts';
import { itemOf, SELECT_ITEM_BY_KEY, textOf } from './rows.ts';

/** Adds a line, and the verdict that was made with it. `step` is what a repeated step is recognised by. */
export function writeLine(db: Connection, id: number, line: HistoryEntry, step: string | null = null): void {
  const row = db.get('UPDATE standings SET steps = steps + 1 WHERE item_id = ? RETURNING steps', id);
  insertLine(db, id, Number(row?.steps), line, step);
}

/** The line with this number; the caller counts. */
export function insertLine(
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

/** The whole history. The line of the admission is not stored: the item itself says it. */
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
  return [admitLine(row, lines[0]), ...lines.map(lineOf)];
}

function admitLine(row: Row, first: Row | undefined): HistoryEntry {
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

function lineOf(row: Row): HistoryEntry {
  return {
    at: Number(row.at),
    event: String(row.event),
    from: row.from_state as State | null,
    to: row.to_state as State | null,
    reason: row.reason as Reason,
    detail: textOf(row.detail),
    who: textOf(row.who),
    notes: row.notes === null ? {} : (JSON.parse(String(row.notes)) as HistoryEntry['notes']),
    ...(row.verdict !== null && { verdict: JSON.parse(String(row.verdict)) as Verdict }),
  };
}

/** Every source that carried an item. */
export function readSightings(db: Connection, key: ItemKey): Sighted[] {
  const rows = db.all(
    `SELECT i.url, i.title, g.source_id, g.seen_at, g.facts FROM items i
     CROSS JOIN sightings g ON g.item_id = i.id WHERE i.id = (SELECT item_id FROM standings WHERE key = ?) ORDER BY g.nth`,
    key,
  );
  return rows.map((row) => {
    const facts = JSON.parse(String(row.facts)) as Partial<Sighted>;
    return {
      sourceId: String(row.source_id),
      sourceName: facts.sourceName ?? '',
      url: facts.url ?? String(row.url),
      title: facts.title ?? String(row.title),
      at: Number(row.seen_at),
    };
  });
}
