import type { Migration } from '../../../sqlite/database.ts';

/** What waits stands in the contract's own index already: the index of turns holds only lines in which many can be asleep. */
export const lines: Migration = {
  version: 6,
  sql: `
DROP INDEX idx_standings_turn;
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL AND state <> 'waiting';
`,
};
