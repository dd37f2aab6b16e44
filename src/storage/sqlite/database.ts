import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DatabaseFileError, errorMessage, OperationalError } from '../../telemetry/errors.ts';
import { recordedProgram, wayBack } from './way-back.ts';

/** One step of a schema. Append-only: a step that was ever released is never changed. */
export interface Migration {
  /** Counted from 1, without gaps. */
  readonly version: number;
  /** What it does for people: "Adds the settings of pipelines". */
  readonly about: string;
  /** Tables whose rows it reads, converts or copies. */
  readonly converts?: readonly string[];
  readonly sql: string;
  /**
   * It drops a table that others refer to, after copying it. Foreign keys are checked at the end instead of enforced meanwhile:
   * dropping the table would cascade to its references.
   */
  readonly rebuilds?: boolean;
  /** What SQL alone cannot do; runs after the SQL, in the same transaction. */
  readonly after?: (db: DatabaseSync) => void;
}

export interface DatabaseOptions {
  /** Name of the file in error messages: `the ledger of "morning"`. */
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
}

/** A database whose schema is newer than this program. */
export interface NewerFile {
  readonly path: string;
  readonly schema: number;
  readonly known: number;
}

/** The data was written by a newer program than this one (X17, I14). Nothing was changed. */
export class NewerSchemaError extends OperationalError {
  readonly kind = 'bad_data';
  override readonly name = 'NewerSchemaError';
  readonly files: readonly NewerFile[];

  /** `files` are those of one data folder. */
  constructor(files: readonly NewerFile[]) {
    const [first] = files;
    const data = dirname(first?.path ?? '');
    const program = recordedProgram(data);
    const found = files.map(
      ({ path, schema, known }) => `${basename(path)} has schema ${schema}, and this program knows ${known}`,
    );
    super(
      `${data} has data of a newer version${program === null ? '' : ` (${program})`}: ${found.join('; ')}. Nothing was changed. ${wayBack(data)}`,
    );
    this.files = files;
  }
}

/**
 * Opens a database file and brings it to the newest schema. Safe when several processes start at once: the version is
 * read and every step taken inside one immediate transaction, so the second starter finds the work done.
 */
export function openDatabase(
  path: string,
  { name, migrations, busyTimeoutMs = 5000 }: DatabaseOptions,
): DatabaseSync {
  let db: DatabaseSync;
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    db = new DatabaseSync(path, { timeout: busyTimeoutMs });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
  } catch (cause) {
    throw new DatabaseFileError(name, path, cause);
  }
  try {
    migrate(db, path, migrations);
  } catch (error) {
    db.close();
    throw error instanceof NewerSchemaError ? error : new DatabaseFileError(name, path, error);
  }
  return db;
}

function migrate(db: DatabaseSync, path: string, migrations: readonly Migration[]): void {
  const newest = migrations.length;
  const before = schemaVersion(db);
  if (before === newest) return;
  // Can be switched only outside a transaction.
  const rebuilds = migrations.slice(before).some((step) => step.rebuilds);
  if (rebuilds) db.exec('PRAGMA foreign_keys = OFF');
  transaction(db, () => {
    const found = schemaVersion(db);
    if (found > newest) throw new NewerSchemaError([{ path, schema: found, known: newest }]);
    for (const { version, sql, after } of migrations.slice(found)) {
      // The version first: a failing step rolls it back.
      db.exec(`PRAGMA user_version = ${version}`);
      db.exec(sql);
      after?.(db);
    }
    if (rebuilds) checkForeignKeys(db);
  });
  if (rebuilds) db.exec('PRAGMA foreign_keys = ON');
}

/** Throws where a foreign key is violated. */
function checkForeignKeys(db: DatabaseSync): void {
  const broken = db.prepare('PRAGMA foreign_key_check').get();
  if (broken !== undefined)
    throw new Error(`a row of ${broken.table} refers to a row of ${broken.parent} that is not there`);
}

function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/** Runs `work` atomically. Immediate, so that a read lock never has to be upgraded. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** All pages in one step: SQLite restarts whenever another process writes between two steps. */
const ALL_PAGES = 2 ** 30;

/** A database is damaged: SQLite's check fails, or it cannot be read at all. */
export class DamagedDatabaseError extends OperationalError {
  readonly kind = 'bad_data';
  override readonly name = 'DamagedDatabaseError';
  readonly path: string;

  constructor(path: string, found: string, cause?: unknown) {
    super(`${path} is damaged: ${found}`, { cause });
    this.path = path;
  }
}

/**
 * Copies a snapshot of a database while others read and write it. The copy is a single file, and its integrity is checked.
 * Returns the version of its schema.
 */
export async function copyDatabase(from: string, to: string): Promise<number> {
  const db = new DatabaseSync(from, { timeout: 10_000 });
  try {
    await backup(db, to, { rate: ALL_PAGES });
  } finally {
    db.close();
  }
  return sealDatabase(to);
}

/** Merges a closed database into a single file, and checks it. Returns the version of its schema. */
export function sealDatabase(path: string): number {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    const version = checkIntegrity(db, path);
    db.exec('PRAGMA journal_mode = DELETE');
    return version;
  } catch (cause) {
    throw cause instanceof DamagedDatabaseError
      ? cause
      : new DamagedDatabaseError(path, errorMessage(cause), cause);
  } finally {
    db?.close();
  }
}

function checkIntegrity(db: DatabaseSync, path: string): number {
  const found = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row.integrity_check));
  if (found.length !== 1 || found[0] !== 'ok')
    throw new DamagedDatabaseError(path, found.slice(0, 3).join('; '));
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}
