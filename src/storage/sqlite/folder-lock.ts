import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseFileError, OperationalError } from '../../telemetry/errors.ts';
import { StoreBusyError, toStoreError } from './connection.ts';

/** The file whose lock says that somebody works with the folder. */
export const LOCK_FILE = 'newsroom.lock';

/** Another process works with this folder. */
export class FolderInUseError extends OperationalError {
  readonly kind = 'unavailable';
  override readonly name = 'FolderInUseError';
  readonly folder: string;

  constructor(folder: string, by: string) {
    super(`${by} is at work on ${folder}: stop that one first, or name another folder with \`data:\``);
    this.folder = folder;
  }
}

/**
 * A data folder held by one process. The lock is the operating system's: it ends with the process, however that ends, and a
 * process that sleeps keeps it. A second one gets a `FolderInUseError`.
 */
export class FolderLock implements AsyncDisposable {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** `doing` is what the next one is told, as in `a newsroom`. */
  static acquire(folder: string, doing: string): FolderLock {
    const path = join(folder, LOCK_FILE);
    let db: DatabaseSync;
    try {
      mkdirSync(folder, { recursive: true });
      db = new DatabaseSync(path, { timeout: 0 });
    } catch (cause) {
      throw new DatabaseFileError('the lock of the data folder', path, cause);
    }
    try {
      db.exec(
        'BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS held_by (words TEXT NOT NULL); DELETE FROM held_by',
      );
      db.prepare('INSERT INTO held_by VALUES (?)').run(`${doing} (process ${process.pid} on ${hostname()})`);
      db.exec('COMMIT; BEGIN IMMEDIATE');
      return new FolderLock(db);
    } catch (error) {
      const trouble = toStoreError(path, error);
      const busy = trouble instanceof StoreBusyError;
      const words = busy ? holderOf(db) : '';
      db.close();
      throw busy
        ? new FolderInUseError(folder, words)
        : new DatabaseFileError('the lock of the data folder', path, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }
}

function holderOf(db: DatabaseSync): string {
  try {
    return String(db.prepare('SELECT words FROM held_by').get()?.words ?? 'another process');
  } catch {
    // It is just writing its name.
    return 'another process';
  }
}
