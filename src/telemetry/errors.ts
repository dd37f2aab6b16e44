/** The file cannot be opened or is no database of ours. */
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
/** What kind of trouble an `OperationalError` reports; the command line has an exit code for each. */
export type ErrorKind =
  | 'usage'
  | 'bad_config'
  | 'bad_data'
  | 'no_permission'
  | 'cannot_write'
  | 'disk_full'
  | 'unavailable';

/**
 * An error that a person can act on, and no defect of the program. Its message is a whole sentence that says what failed
 * and what to do, fit to be printed as it is.
 */
export abstract class OperationalError extends Error {
  abstract readonly kind: ErrorKind;
}

/** The message of anything that was thrown, for logs, events and reports. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
