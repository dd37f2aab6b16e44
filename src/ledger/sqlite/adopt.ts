import type { DatabaseSync } from 'node:sqlite';
import type { Reason, State } from '../../item/lifecycle.ts';
import { EARLIEST_TIME } from '../check-sighting.ts';
import { fromTimestamp, toTimestamp } from './timestamps.ts';

/**
 * Takes over the rows of a file that another program wrote: brings their times to the one form, so that their order
 * as text is the order of time, and gives each a standing. Reads in pages, so that a large file needs little memory.
 */
export function adoptItems(db: DatabaseSync): void {
  const page = db.prepare(
    'SELECT id, published_at, status, reason, created_at, last_checked_at FROM items WHERE id > ? ORDER BY id LIMIT 500',
  );
  const rewrite = db.prepare(
    'UPDATE items SET published_at = ?, created_at = ?, last_checked_at = ? WHERE id = ?',
  );
  const stand = db.prepare(
    'INSERT INTO standings (item_id, state, reason, checked_at, published, turn, settled_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const see = db.prepare(
    "INSERT INTO sightings (item_id, nth, source_id, seen_at, facts) VALUES (?, 0, '', ?, '{}')",
  );
  const count = db.prepare(
    'INSERT INTO tallies (state, reason, n) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1',
  );
  let last = 0;
  for (let rows = page.all(last); rows.length > 0; rows = page.all(last)) {
    for (const row of rows) {
      last = Number(row.id);
      const [published, created, checked] = [row.published_at, row.created_at, row.last_checked_at].map(time);
      if (published === undefined || created === undefined || checked === undefined) continue;
      const { state, reason } = standingOf(Number(row.status), Number(row.reason ?? 0));
      const turn = state === 'accepted' ? published : checked;
      rewrite.run(toTimestamp(published), toTimestamp(created), toTimestamp(checked), last);
      const open = isOpen(state);
      stand.run(last, state, reason, checked, published, open ? turn : null, open ? null : checked);
      see.run(last, created);
      count.run(state, reason);
    }
  }
}

/** A time that nobody can read becomes the earliest one: the item is neither lost nor held back. */
function time(written: unknown): number {
  if (typeof written === 'number') return Math.abs(written) < 1e11 ? written * 1000 : written;
  return fromTimestamp(String(written)) ?? EARLIEST_TIME;
}

const REASONS: readonly Reason[] = [
  'none',
  'not_valuable',
  'not_ready',
  'download_failed',
  'too_large',
  'api_failed',
  'retry_limit',
];

/** The table says less than the lifecycle knows; of what it can mean, the nearest. */
function standingOf(status: number, code: number): { state: State; reason: Reason } {
  const reason = REASONS[code] ?? 'none';
  if (status === 1) return { state: 'deferred', reason };
  if (status === 2) return { state: 'accepted', reason: 'none' };
  if (status !== 3) return { state: 'waiting', reason: 'none' };
  if (reason === 'none') return { state: 'published', reason };
  return { state: reason === 'not_valuable' ? 'rejected' : 'failed', reason };
}

function isOpen(state: State): boolean {
  return state === 'waiting' || state === 'deferred' || state === 'accepted';
}
