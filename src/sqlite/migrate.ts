import type { Database } from './database.ts';
import { NewerSchemaError } from './errors.ts';

/** One numbered step of a schema. Once released it is never edited: what has to change is a new step at the end. */
export interface Migration {
  /** Counted from 1, without gaps. */
  readonly version: number;
  /** A few words, kept in the file. */
  readonly name: string;
  readonly sql: string;
  /** What SQL alone cannot do, in the same transaction, after the SQL. */
  readonly then?: (db: Database) => void;
}

const BOOKS = `CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
)`;

/**
 * Brings a file to the newest version. Each step is a transaction that writes its version first, so that of two
 * processes that start at once the second waits, sees the row and has nothing to do.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  now: number,
  upTo = migrations.length,
): Promise<void> {
  checkNumbers(migrations);
  if (!isTableThere(db, 'migrations')) await db.write(() => db.exec(BOOKS));
  for (const migration of migrations.slice(0, upTo)) await db.write(() => apply(db, migration, now));
  const found = version(db);
  if (found > migrations.length) {
    throw new NewerSchemaError(
      db.path,
      `${db.path} has schema version ${found}, and this program knows versions up to ${migrations.length}. ` +
        'Use the newer program that wrote it, or bring back a copy of the file from before the upgrade.',
      null,
    );
  }
}

/** The version of the file; 0 where no step was ever taken. */
export function version(db: Database): number {
  if (!isTableThere(db, 'migrations')) return 0;
  const row = db.get('SELECT version FROM migrations ORDER BY version DESC LIMIT 1');
  return row === undefined ? 0 : Number(row.version);
}

function apply(db: Database, migration: Migration, now: number): void {
  const found = version(db);
  if (found >= migration.version) return;
  db.run(
    'INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)',
    migration.version,
    migration.name,
    now,
  );
  db.exec(migration.sql);
  migration.then?.(db);
}

function isTableThere(db: Database, name: string): boolean {
  return (
    db.get("SELECT 1 AS there FROM sqlite_schema WHERE type = 'table' AND name = ?", name) !== undefined
  );
}

function checkNumbers(migrations: readonly Migration[]): void {
  const gap = migrations.findIndex((migration, index) => migration.version !== index + 1);
  if (gap >= 0) throw new Error(`Migration number ${gap + 1} is missing or out of place.`);
}
