import type { Migration } from '../../../sqlite/database.ts';

/**
 * What `items` has no column for. `standings` is the full state and the claim; it is small, because every claim
 * rewrites it. `turn` is set while an item may be taken and gives its place in the line; `wake_at` is set while it
 * may not (a lease, which `held` says, or a wait) and says when that ends; settled items have neither, and `settled_at`
 * instead. `handed_at` is 0 until the item was
 * handed to a separate queue, and NULL where the ledger itself is the queue. Rows that another program made get their standing
 * in step 9.
 */
export const standings: Migration = {
  version: 2,
  sql: `
CREATE TABLE standings (
  item_id INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT,
  due_at INTEGER,
  checked_at INTEGER NOT NULL,
  published INTEGER NOT NULL,
  settled_at INTEGER,
  turn INTEGER,
  wake_at INTEGER,
  held INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  token INTEGER NOT NULL DEFAULT 0,
  claimed_until INTEGER,
  attempt TEXT,
  steps INTEGER NOT NULL DEFAULT 0,
  last_step TEXT,
  handed_at INTEGER
);
CREATE INDEX idx_standings_settled ON standings (state, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL;
CREATE INDEX idx_standings_asleep ON standings (held, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX idx_standings_attempt ON standings (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX idx_standings_handed_at ON standings (handed_at, turn) WHERE handed_at IS NOT NULL AND turn IS NOT NULL;

CREATE TABLE sightings (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  source_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;

CREATE TABLE history (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT,
  reason TEXT NOT NULL,
  detail TEXT,
  who TEXT,
  notes TEXT,
  step TEXT,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;

CREATE TABLE verdicts (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;

CREATE TABLE tallies (
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (state, reason)
) WITHOUT ROWID;
`,
};
