import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
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
  /** Folders that this process has locked. */
  static readonly #held = new Set<string>();
  readonly #db: DatabaseSync;
  readonly #folder: string;

  private constructor(db: DatabaseSync, folder: string) {
    this.#db = db;
    this.#folder = folder;
    FolderLock.#held.add(folder);
  }

  /** Whether this process itself has locked the folder. */
  static isHeldHere(folder: string): boolean {
    return FolderLock.#held.has(resolve(folder));
  }

  /** Describes the process that has locked the folder; `null` where none has. Changes nothing. */
  static holder(folder: string): string | null {
    const path = join(folder, LOCK_FILE);
    if (!existsSync(path)) return null;
    const url = pathToFileURL(path);
    url.search = 'mode=rw';
    const db = new DatabaseSync(url, { timeout: 0 });
    try {
      db.exec('BEGIN IMMEDIATE; ROLLBACK');
      return null;
    } catch (error) {
      if (toStoreError(path, error) instanceof StoreBusyError) return holderOf(db);
      throw new DatabaseFileError('the lock of the data folder', path, error);
    } finally {
      db.close();
    }
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
      return new FolderLock(db, resolve(folder));
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
    FolderLock.#held.delete(this.#folder);
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
