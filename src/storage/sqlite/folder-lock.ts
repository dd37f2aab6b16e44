import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseFileError, OperationalError } from '../../telemetry/errors.ts';
import { StoreBusyError, toStoreError } from './connection.ts';

/** Locked while a process uses the folder. */
export const LOCK_FILE = 'newsroom.lock';

/** Another process has locked this folder. */
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
 * Exclusive lock of a data folder. The operating system holds it: it ends with the process, even after a crash, and is kept
 * by a suspended process. A second process gets a `FolderInUseError`.
 */
export class FolderLock implements AsyncDisposable {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** `doing` describes this process in the error of a second one, as in `a newsroom`. */
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
      const failure = toStoreError(path, error);
      const busy = failure instanceof StoreBusyError;
      const holder = busy ? holderOf(db) : '';
      db.close();
      throw busy
        ? new FolderInUseError(folder, holder)
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
    // The holder is just writing its description.
    return 'another process';
  }
}
