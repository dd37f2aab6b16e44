import type { Item, ItemKey, Sighting, Verdict } from '../../item/item.ts';
import type { Reason, State } from '../../item/lifecycle.ts';
import type { Row } from '../../sqlite/connection.ts';
import { EARLIEST_TIME } from '../check-sighting.ts';
import { fromTimestamp } from './timestamps.ts';

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
 * What of a sighting has no column. The title is here only where SQLite's text cannot hold it (unpaired surrogates), the URL
 * only where the column has another one (see `url-column.ts`).
 */
type Facts = Partial<Omit<Sighting, 'key' | 'sourceId' | 'publishedAt'>>;

export function factsOf(sighting: Sighting, written: string): string {
  const { key: _key, sourceId: _source, publishedAt: _published, url, title, ...rest } = sighting;
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
    detail: textOf(row.detail),
    attempts: Number(row.retry_count),
    dueAt: numberOf(row.due_at),
    createdAt: msOf(row.created_at),
    checkedAt: Number(row.checked_at),
    verdict: row.verdict === null ? null : (JSON.parse(String(row.verdict)) as Verdict),
  };
}

export function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function msOf(written: unknown): number {
  return fromTimestamp(String(written)) ?? EARLIEST_TIME;
}
