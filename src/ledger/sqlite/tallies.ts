import type { Reason, State } from '../../item/lifecycle.ts';
import type { Connection } from '../../sqlite/connection.ts';

/** An item went from one state and reason to another. */
export function move(
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
