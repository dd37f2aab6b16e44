import { errorMessage } from '../telemetry/error-message.ts';

/** The file cannot be read or written; nothing of the call that failed was stored. */
export class StoreError extends Error {
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
  override readonly name = 'StoreBusyError';
}

/** No room is left on the disk. Free some and go on; nothing that was stored is lost. */
export class StoreFullError extends StoreError {
  override readonly name = 'StoreFullError';
}

const BUSY = new Set([5, 6]);
const FULL = 13;
const IO_ERROR = 10;

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
  return new StoreError(path, `SQLite cannot go on with ${path}: ${said}`, code, error);
}

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}
