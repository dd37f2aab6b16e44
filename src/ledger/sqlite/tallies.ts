import type { Reason, State } from '../../item/lifecycle.ts';
import type { Connection } from '../../sqlite/connection.ts';

/** How many items are in each state for each reason, kept up to date by every step, so that nobody has to count. */
export function tally(db: Connection, state: State | 'tombstone', reason: Reason, change: number): void {
  if (change === 0) return;
  db.run(
    `INSERT INTO tallies (state, reason, n) VALUES (?, ?, ?)
     ON CONFLICT (state, reason) DO UPDATE SET n = n + excluded.n`,
    state,
    reason,
    change,
  );
}
