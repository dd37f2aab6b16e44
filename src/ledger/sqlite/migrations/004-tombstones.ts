import type { Migration } from '../../../sqlite/database.ts';

/** What was swept is still known (X20). */
export const tombstones: Migration = {
  version: 4,
  sql: `
CREATE TABLE tombstones (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  swept_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_tombstones_swept_at ON tombstones (swept_at);
`,
};
