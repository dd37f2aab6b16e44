import { type Reason, STATES, type State } from '../../item/lifecycle.ts';
import type { Connection } from '../../sqlite/connection.ts';
import type { LedgerCounts } from '../ledger.ts';
import { fromTimestamp } from './timestamps.ts';

/** All from tallies, claims and the ends of indexes: as fast with a million items as with ten. */
export function counts(db: Connection, now: number): LedgerCounts {
  const byState = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  const byReason: Partial<Record<Reason, number>> = {};
  let tombstones = 0;
  for (const row of db.all('SELECT state, reason, n FROM tallies')) {
    const n = Number(row.n);
    if (row.state === 'tombstone') tombstones += n;
    else {
      byState[row.state as State] += n;
      if (n > 0) byReason[row.reason as Reason] = (byReason[row.reason as Reason] ?? 0) + n;
    }
  }
  const leased = db.get('SELECT count(*) AS n FROM claims WHERE claimed_until > ?', now);
  const oldest = db.get(
    `SELECT (SELECT min(last_checked_at) FROM items WHERE status = 0) AS waiting,
       (SELECT min(last_checked_at) FROM items WHERE status = 1) AS deferred,
       (SELECT min(last_checked_at) FROM items WHERE status = 2) AS accepted`,
  );
  const times = [oldest?.waiting, oldest?.deferred, oldest?.accepted].flatMap(
    (time) => fromTimestamp(String(time)) ?? [],
  );
  return {
    byState,
    byReason,
    leased: Number(leased?.n ?? 0),
    oldestOpen: times.length === 0 ? null : Math.min(...times),
    tombstones,
  };
}
