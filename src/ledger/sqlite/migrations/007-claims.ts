import type { Migration } from '../../../sqlite/database.ts';

/**
 * Who holds what is in a table of its own, with as many rows as items are being worked on: a claim writes one small page. An
 * item that is held keeps its place in the line, and whoever walks along the line passes it. A lease that ran out
 * leaves its row behind until the item is taken again.
 */
export const claims: Migration = {
  version: 7,
  sql: `
CREATE TABLE claims (
  item_id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL,
  attempt TEXT
);
CREATE INDEX idx_claims_attempt ON claims (attempt) WHERE attempt IS NOT NULL;
INSERT INTO claims (item_id, owner, token, claimed_until, attempt)
  SELECT item_id, owner, token, claimed_until, attempt FROM standings WHERE held = 1;
UPDATE standings SET wake_at = due_at,
  turn = CASE WHEN due_at IS NOT NULL THEN NULL WHEN state = 'accepted' THEN published ELSE checked_at END
  WHERE held = 1;
DROP INDEX idx_standings_attempt;
DROP INDEX idx_standings_asleep;
ALTER TABLE standings DROP COLUMN held;
ALTER TABLE standings DROP COLUMN owner;
ALTER TABLE standings DROP COLUMN claimed_until;
ALTER TABLE standings DROP COLUMN attempt;
CREATE INDEX idx_standings_asleep ON standings (wake_at) WHERE wake_at IS NOT NULL;
`,
};
