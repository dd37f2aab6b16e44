import { type ErrorKind, errorMessage, OperationalError } from '../telemetry/errors.ts';

/** The file cannot be read or written; nothing of the call that failed was stored. */
export class StoreError extends OperationalError {
  readonly kind: ErrorKind = 'cannot_write';
  override readonly name: string = 'StoreError';
  readonly path: string;
  /** SQLite's own number; `null` when the trouble was not SQLite's. */
  readonly code: number | null;

  constructor(path: string, message: string, code: number | null, cause?: unknown) {
    super(message, { cause });
    this.path = path;
    this.code = code;
  }
}

/** Another process wrote for longer than we were ready to wait. */
export class StoreBusyError extends StoreError {
  override readonly kind = 'unavailable';
  override readonly name = 'StoreBusyError';
}

/** The file is damaged, or is no database. */
class StoreDamagedError extends StoreError {
  override readonly kind = 'bad_data';
  override readonly name = 'StoreDamagedError';
}

/** No room is left on the disk. Free some and go on; nothing that was stored is lost. */
export class StoreFullError extends StoreError {
  override readonly kind = 'disk_full';
  override readonly name = 'StoreFullError';
}

const BUSY = new Set([5, 6]);
const FULL = 13;
const IO_ERROR = 10;
const DAMAGED = new Set([11, 26]);

/** Says in our words what SQLite said; anything else is passed on as it is. */
export function storeError(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const primary = code & 0xff;
  const said = errorMessage(error);
  if (BUSY.has(primary))
    return new StoreBusyError(path, `Another process is writing to ${path} (${said}).`, code, error);
  if (primary === FULL || (primary === IO_ERROR && /full|no space/i.test(said)))
    return new StoreFullError(
      path,
      `The disk that holds ${path} is full. Nothing was stored by this call.`,
      code,
      error,
    );
  if (DAMAGED.has(primary))
    return new StoreDamagedError(
      path,
      `The database file ${path} is damaged, or is no database (${said}). Move it away, or restore it from a backup.`,
      code,
      error,
    );
  return new StoreError(path, `SQLite cannot go on with ${path}: ${said}`, code, error);
}

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}
