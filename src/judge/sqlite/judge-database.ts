import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Numbered, append-only. A database that is newer than the program is refused (X17). */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE judge_calls (
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
];

/** The database was made by a newer version of the program. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
  readonly found: number;
  readonly known: number;
  constructor(found: number, known: number) {
    super(
      `The judge's database has schema version ${found}, this program knows ${known}: use a newer program`,
    );
    this.found = found;
    this.known = known;
  }
}

/** Opens the judge's memory: budgets, verdicts and past interests. Several processes may share the file. */
export function openJudgeDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 10000');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
    migrate(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** The version has a table of its own, because the file may be shared with other rooms. */
function migrate(database: DatabaseSync): void {
  inTransaction(database, () => {
    database.exec('CREATE TABLE IF NOT EXISTS judge_schema (version INTEGER NOT NULL) STRICT');
    const row = database.prepare('SELECT version FROM judge_schema').get();
    const found = row === undefined ? 0 : Number(row.version);
    if (found > MIGRATIONS.length) throw new NewerDatabaseError(found, MIGRATIONS.length);
    for (const sql of MIGRATIONS.slice(found)) database.exec(sql);
    if (row === undefined) database.prepare('INSERT INTO judge_schema VALUES (?)').run(MIGRATIONS.length);
    else database.prepare('UPDATE judge_schema SET version = ?').run(MIGRATIONS.length);
  });
}

/** Takes the write lock first, so that what is read is still true when it is written. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
