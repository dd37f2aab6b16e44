import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type ErrorKind, errorMessage, OperationalError } from '../../telemetry/errors.ts';
import { WalFlusher } from './wal.ts';

/** The file cannot be read or written; the failed call stored nothing. */
export class StoreError extends OperationalError {
  readonly kind: ErrorKind = 'cannot_write';
  override readonly name: string = 'StoreError';
  readonly path: string;
  /** SQLite's result code; `null` for other errors. */
  readonly code: number | null;

  constructor(path: string, message: string, code: number | null, cause?: unknown) {
    super(message, { cause });
    this.path = path;
    this.code = code;
  }
}

/** Another process held the write lock beyond the timeout. */
export class StoreBusyError extends StoreError {
  override readonly kind = 'unavailable';
  override readonly name = 'StoreBusyError';
}

/** The file is damaged, or is no database. */
class StoreDamagedError extends StoreError {
  override readonly kind = 'bad_data';
  override readonly name = 'StoreDamagedError';
}

/** The disk is full. Nothing that was stored is lost; continue after freeing space. */
export class StoreFullError extends StoreError {
  override readonly kind = 'disk_full';
  override readonly name = 'StoreFullError';
}

const BUSY = new Set([5, 6]);
const FULL = 13;
const IO_ERROR = 10;
const DAMAGED = new Set([11, 26]);

/** Maps an error of SQLite to a `StoreError`; returns other errors unchanged. */
export function toStoreError(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const primary = code & 0xff;
  const message = errorMessage(error);
  if (BUSY.has(primary))
    return new StoreBusyError(path, `Another process is writing to ${path} (${message}).`, code, error);
  if (primary === FULL || (primary === IO_ERROR && /full|no space/i.test(message)))
    return new StoreFullError(
      path,
      `The disk that holds ${path} is full. Nothing was stored by this call.`,
      code,
      error,
    );
  if (DAMAGED.has(primary))
    return new StoreDamagedError(
      path,
      `The database file ${path} is damaged, or is no database (${message}). Move it away, or restore it from a backup.`,
      code,
      error,
    );
  return new StoreError(path, `SQLite failed on ${path}: ${message}`, code, error);
}

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}

export interface ConnectionOptions {
  /** How long one attempt waits inside SQLite for another writer. Blocks the event loop: keep it short. */
  readonly busyTimeoutMs?: number;
  /** How long a call is retried, without blocking the event loop, before it fails. */
  readonly retryTimeoutMs?: number;
}

/** A result row: column names to values. */
export type Row = Record<string, unknown>;

interface PendingWrite {
  readonly work: () => unknown;
  readonly durable: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Limit of consecutive batches in one event-loop iteration. */
const MAX_TURN_MS = 12;

/**
 * One connection to a SQLite file in WAL mode. Every write runs in an immediate transaction; concurrent writes
 * share one, each in its own savepoint, so that a failing one does not affect the others.
 */
export class Connection implements AsyncDisposable {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #retryTimeoutMs: number;
  readonly #statements = new Map<string, StatementSync>();
  readonly #log: WalFlusher;
  #waiting: PendingWrite[] = [];
  #flushing: Promise<void> | null = null;
  #iterationStarted = 0;
  #closed = false;

  /** `db` is an open database (see `openDatabase`); the connection closes it. */
  constructor(db: DatabaseSync, path: string, options: ConnectionOptions = {}) {
    this.#db = db;
    this.path = path;
    const changes = db.prepare('SELECT total_changes() AS n');
    this.#log = new WalFlusher(path, () => Number(changes.get()?.n));
    this.#retryTimeoutMs = options.retryTimeoutMs ?? 10_000;
    db.exec(`PRAGMA busy_timeout = ${Math.trunc(options.busyTimeoutMs ?? 100)}`);
    db.exec(
      'PRAGMA temp_store = MEMORY; PRAGMA cache_size = -48000; PRAGMA wal_autocheckpoint = 12000; PRAGMA journal_size_limit = 67108864',
    );
  }

  /** Returns a cached prepared statement. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  /** Every statement prepared so far; tests check their query plans. */
  get statements(): readonly string[] {
    return [...this.#statements.keys()];
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values);
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  /**
   * Runs `work` atomically in an immediate transaction. `work` must be synchronous, and is rerun from its start when the
   * file was busy.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#enqueue(work, false);
  }

  /** Like `write`, but synced to disk before it resolves. */
  writeDurably<T>(work: () => T): Promise<T> {
    return this.#enqueue(work, true);
  }

  /** Runs `work` on one snapshot of the file. */
  read<T>(work: () => T): Promise<T> {
    return this.retryWhileBusy(() => {
      this.#db.exec('BEGIN');
      try {
        return work();
      } finally {
        this.#endTransaction('COMMIT');
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    while (this.#flushing !== null) await this.#flushing;
    this.#closed = true;
    await this.#log[Symbol.asyncDispose]();
    this.#statements.clear();
    this.#db.close();
  }

  #enqueue<T>(work: () => T, durable: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#closed) reject(new Error(`The store ${this.path} is closed.`));
    else {
      this.#waiting.push({ work, durable, resolve, reject });
      this.#flushing ??= this.#flush();
    }
    return promise as Promise<T>;
  }

  async #flush(): Promise<void> {
    try {
      await Promise.resolve();
      while (this.#waiting.length > 0) {
        await this.#yieldToEventLoop();
        const batch = this.#waiting;
        this.#waiting = [];
        await this.#writeBatch(batch);
      }
    } finally {
      this.#flushing = null;
    }
  }

  /** Consecutive batches never leave the microtask queue by themselves. */
  async #yieldToEventLoop(): Promise<void> {
    const now = performance.now();
    if (now - this.#iterationStarted < MAX_TURN_MS) return;
    await nextTurn();
    this.#iterationStarted = performance.now();
  }

  async #writeBatch(batch: readonly PendingWrite[]): Promise<void> {
    try {
      const outcomes = await this.retryWhileBusy(() => this.#transact(batch));
      for (const [index, one] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome?.ok) one.resolve(outcome.value);
        else one.reject(toStoreError(this.path, outcome?.error));
      }
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  #transact(batch: readonly PendingWrite[]): WriteOutcome[] {
    const durable = batch.some((one) => one.durable);
    if (durable) this.#db.exec('PRAGMA synchronous = FULL');
    try {
      this.prepare('BEGIN IMMEDIATE').run();
      const outcomes = batch.map((one) => this.#attempt(one.work, batch.length > 1));
      const first = outcomes[0];
      if (batch.length === 1 && first && !first.ok) this.#endTransaction('ROLLBACK');
      else {
        this.prepare('COMMIT').run();
        this.#log.committed();
      }
      return outcomes;
    } catch (error) {
      this.#endTransaction('ROLLBACK');
      throw error;
    } finally {
      if (durable) this.#db.exec('PRAGMA synchronous = NORMAL');
    }
  }

  #attempt(work: () => unknown, withSavepoint: boolean): WriteOutcome {
    if (withSavepoint) this.prepare('SAVEPOINT one').run();
    try {
      const value = work();
      if (withSavepoint) this.prepare('RELEASE one').run();
      return { ok: true, value };
    } catch (error) {
      // A full disk rolls back the whole transaction, with all writes of the batch.
      if (withSavepoint && !this.#db.isTransaction) throw error;
      if (withSavepoint) {
        this.prepare('ROLLBACK TO one').run();
        this.prepare('RELEASE one').run();
      }
      return { ok: false, error };
    }
  }

  #endTransaction(how: 'COMMIT' | 'ROLLBACK'): void {
    if (this.#db.isTransaction) this.#db.exec(how);
  }

  /** For reads by single statements: retries while the file is busy, without blocking the event loop. */
  async retryWhileBusy<T>(attempt: () => T): Promise<T> {
    const end = performance.now() + this.#retryTimeoutMs;
    for (let attempts = 1; ; attempts++) {
      try {
        return attempt();
      } catch (error) {
        const failure = toStoreError(this.path, error);
        if (!(failure instanceof StoreBusyError) || performance.now() > end) throw failure;
        await pause(Math.min(5 * attempts, 50));
      }
    }
  }
}

type WriteOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };
