import type { Migration } from '../../sqlite/database.ts';

/** The schema of `sources.db`, step by step. Append-only. */
export const SOURCE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE sources (
        source_id         TEXT PRIMARY KEY,
        memory            TEXT NOT NULL,
        moved_to          TEXT,
        last_tried_at     INTEGER,
        last_success_at   INTEGER,
        trouble_why       TEXT,
        trouble_detail    TEXT,
        trouble_at        INTEGER,
        failures_in_a_row INTEGER NOT NULL DEFAULT 0,
        next_at           INTEGER,
        items_seen        INTEGER NOT NULL DEFAULT 0,
        baseline_taken_at INTEGER
      ) STRICT, WITHOUT ROWID;
    `,
  },
  { version: 2, sql: 'ALTER TABLE sources ADD COLUMN reported TEXT;' },
];
