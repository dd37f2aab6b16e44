import type { Migration } from '../../sqlite/database.ts';

/** The record of runs, and the leases. Append-only. */
export const RUN_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        pipeline TEXT NOT NULL,
        owner TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        lease_until INTEGER NOT NULL,
        ended_at INTEGER,
        outcome TEXT,
        summary TEXT,
        counts TEXT NOT NULL DEFAULT '{}'
      );
      CREATE INDEX idx_runs_pipeline ON runs (pipeline, id);
    `,
  },
  {
    version: 2,
    sql: `
      ALTER TABLE runs ADD COLUMN fence INTEGER;
      CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        token INTEGER NOT NULL,
        lease_until INTEGER NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        life TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
];
