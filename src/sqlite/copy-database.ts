import { backup, DatabaseSync } from 'node:sqlite';
import { errorMessage, OperationalError } from '../telemetry/errors.ts';

/** All pages in one step: SQLite begins again whenever another process writes between two steps. */
const ALL_PAGES = 2 ** 30;

/** A database cannot be trusted: SQLite finds faults in it, or cannot read it at all. */
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
 * Copies a database as it is at one moment, while others go on reading and writing it. The copy is one file without anything
 * beside it, checked through and through. Answers the version of its schema.
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

/** Makes one file of a database that nobody has open, and checks it. Answers the version of its schema. */
export function sealDatabase(path: string): number {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    const version = checked(db, path);
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

function checked(db: DatabaseSync, path: string): number {
  const found = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row.integrity_check));
  if (found.length !== 1 || found[0] !== 'ok')
    throw new DamagedDatabaseError(path, found.slice(0, 3).join('; '));
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}
