import type { Migration } from '../../sqlite/database.ts';

/** The judge's memory. Append-only. */
export const JUDGE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE judge_calls (
        id TEXT PRIMARY KEY,
        purse TEXT NOT NULL,
        at INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        settled INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX judge_calls_purse_at ON judge_calls (purse, at, calls, tokens, micro_usd);
      CREATE INDEX judge_calls_at ON judge_calls (at);
      CREATE TABLE judge_verdicts (
        question TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_version TEXT NOT NULL,
        interests_version TEXT NOT NULL,
        value TEXT NOT NULL,
        provenance TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        PRIMARY KEY (question, text_hash, model, prompt_version, interests_version)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX judge_verdicts_made_at ON judge_verdicts (made_at);
      CREATE TABLE judge_interests (
        version TEXT PRIMARY KEY,
        topics TEXT NOT NULL,
        first_seen_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    version: 2,
    sql: `
      CREATE TABLE judge_troubles (
        judge TEXT PRIMARY KEY,
        why TEXT NOT NULL,
        detail TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;`,
  },
];
