/** The file cannot be opened or is not a database of this program. */
export class DatabaseFileError extends Error {
  readonly path: string;
  constructor(name: string, path: string, cause: unknown) {
    super(`${name} (${path}) cannot be opened: ${errorMessage(cause)}`, {
      cause,
    });
    this.name = 'DatabaseFileError';
    this.path = path;
  }
}
/** Kind of an `OperationalError`; the command line has an exit code for each. */
export type ErrorKind =
  | 'usage'
  | 'bad_config'
  | 'bad_data'
  | 'no_permission'
  | 'cannot_write'
  | 'disk_full'
  | 'unavailable';

/**
 * An error that an operator can act on, not a defect of the program. Its message is a whole sentence that says what failed
 * and what to do, and is printed as it is.
 */
export abstract class OperationalError extends Error {
  abstract readonly kind: ErrorKind;
}

/** Message of any thrown value, for logs, events and reports. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
