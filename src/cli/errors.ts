import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseFileError, type ErrorKind, OperationalError } from '../telemetry/errors.ts';

/** Exit codes. Numbers from 64 on are those of sysexits.h. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  changes: 3,
  badData: 65,
  notFound: 66,
  unavailable: 69,
  cannotWrite: 73,
  diskFull: 74,
  noPermission: 77,
  badConfig: 78,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Descriptions of the exit codes, shown at the end of `--help`. */
export const EXIT_DESCRIPTIONS: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'failure; the last line says what failed',
  2: 'a command, option or argument was not understood',
  3: '`upgrade-check` found something that the next start would change',
  65: 'the content of a given file is invalid, or data is of a newer version',
  66: 'the pipeline, item or file that was named does not exist',
  69: 'something needed is unavailable: a port in use, an engine out of reach',
  73: 'a file or folder cannot be written, or exists already',
  74: 'the disk is full',
  77: 'the store refuses this identity: a role is missing',
  78: 'the configuration has problems (or Node is too old)',
  130: 'stopped at once, by a second Ctrl-C',
};

/** An error that the user can fix. It ends the command with one sentence and no stack trace. */
export class CommandError extends Error {
  override readonly name = 'RefusalError';
  readonly exitCode: ExitCode;

  constructor(sentence: string, exitCode: ExitCode = EXIT.failure, options?: ErrorOptions) {
    super(sentence, options);
    this.exitCode = exitCode;
  }
}

export interface ErrorReport {
  readonly sentence: string;
  readonly exitCode: ExitCode;
}

/** Converts any error to one sentence that says what failed and where, and its exit code. */
export function describeError(error: unknown): ErrorReport {
  const [first = error] = failuresOf(error);
  if (first instanceof CommandError) return { sentence: first.message, exitCode: first.exitCode };
  for (const cause of causesOf(error)) {
    const known = describeKnownError(cause);
    if (known !== null) return known;
  }
  const words = first instanceof Error ? firstLine(first.message) || first.name : String(first);
  return { sentence: `${words} (KAWARABAN_DEBUG=1 shows where)`, exitCode: EXIT.failure };
}

/** The errors that a failed disposal chained together, in the order in which they were thrown. */
export function failuresOf(error: unknown): readonly unknown[] {
  if (!(error instanceof SuppressedError)) return [error];
  return [...failuresOf(error.suppressed), ...failuresOf(error.error)];
}

/** An error and what it wraps, nearest first. */
function* causesOf(error: unknown): Generator<Error> {
  for (const failure of failuresOf(error)) {
    if (!(failure instanceof Error)) continue;
    yield failure;
    if (failure.cause !== undefined) yield* causesOf(failure.cause);
    else if (failure instanceof AggregateError) for (const each of failure.errors) yield* causesOf(each);
  }
}

const EXIT_CODES: Readonly<Record<ErrorKind, ExitCode>> = {
  usage: EXIT.usage,
  bad_config: EXIT.badConfig,
  bad_data: EXIT.badData,
  no_permission: EXIT.noPermission,
  cannot_write: EXIT.cannotWrite,
  disk_full: EXIT.diskFull,
  unavailable: EXIT.unavailable,
};

/** Field names as Node sets them on its system errors. */
interface SystemError extends Error {
  readonly code?: unknown;
  readonly path?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly errcode?: unknown;
}

/** SQLite's own numbers, which `node:sqlite` puts into `errcode`. */
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function describeKnownError(error: SystemError): ErrorReport | null {
  if (error instanceof OperationalError) return { sentence: error.message, exitCode: EXIT_CODES[error.kind] };
  if (error instanceof DatabaseFileError) return describeDatabaseError(error);
  const path = typeof error.path === 'string' ? error.path : 'the file';
  const port = `${String(error.address ?? '')}:${String(error.port ?? '')}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return {
        sentence: `port ${port} is in use by another program: stop that one, or set another with \`server: { port: … }\` or KAWARABAN_PORT`,
        exitCode: EXIT.unavailable,
      };
    case 'EADDRNOTAVAIL':
      return {
        sentence: `this machine has no address ${String(error.address ?? '')}: set another with \`server: { host: … }\` or KAWARABAN_HOST`,
        exitCode: EXIT.unavailable,
      };
    case 'EACCES':
    case 'EPERM':
      return error.port === undefined
        ? {
            sentence: `${path} may not be written or read by this user: change its owner or its mode, or choose another`,
            exitCode: EXIT.cannotWrite,
          }
        : {
            sentence: `port ${port} may not be used by this user: use one above 1023`,
            exitCode: EXIT.unavailable,
          };
    case 'EROFS':
      return {
        sentence: `${path} is on a disk that cannot be written: choose another folder`,
        exitCode: EXIT.cannotWrite,
      };
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        sentence: `the disk is full${pathSuffix(error)}: free some space and start again; existing data is intact`,
        exitCode: EXIT.diskFull,
      };
    case 'ENOENT':
      return { sentence: `${path} does not exist`, exitCode: EXIT.notFound };
    case 'ENOTDIR':
      return {
        sentence: `${path} is not a folder, or a part of it is a file: choose another`,
        exitCode: EXIT.cannotWrite,
      };
    case 'EISDIR':
      return { sentence: `${path} is a folder, not a file`, exitCode: EXIT.badData };
    case 'EMFILE':
      return { sentence: 'too many files are open: raise the limit (ulimit -n)', exitCode: EXIT.unavailable };
    default:
      return typeof error.errcode === 'number' ? describeSqliteError(error.errcode & 0xff, error) : null;
  }
}

/** The error names the file; its cause says what is wrong with it. */
function describeDatabaseError(error: SystemError): ErrorReport {
  const inner = error.cause instanceof Error ? describeKnownError(error.cause) : null;
  if (inner !== null && error.cause instanceof Error && 'syscall' in error.cause) return inner;
  if (typeof error.path === 'string' && isFull(dirname(error.path))) return diskFull(error.path);
  return {
    sentence: `${firstLine(error.message)}; check the folder named by \`data:\``,
    exitCode: inner?.exitCode ?? EXIT.cannotWrite,
  };
}

/** SQLite reports a full disk as an I/O error while opening a file, so the disk itself is checked. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 64 * 1024;
  } catch {
    return false;
  }
}

function diskFull(path: string): ErrorReport {
  return {
    sentence: `the disk is full (${path}): free some space and start again; existing data is intact`,
    exitCode: EXIT.diskFull,
  };
}

function describeSqliteError(code: number, error: SystemError): ErrorReport | null {
  const detail = firstLine(error.message);
  if (code === SQLITE_FULL)
    return {
      sentence: 'the disk is full: free some space and start again; existing data is intact',
      exitCode: EXIT.diskFull,
    };
  if (code === SQLITE_CANTOPEN || code === SQLITE_READONLY)
    return {
      sentence: `the database cannot be written (${detail}): check the folder named by \`data:\``,
      exitCode: EXIT.cannotWrite,
    };
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB)
    return {
      sentence: `a database file is damaged, or not a database (${detail}): move it away, or restore it from a backup`,
      exitCode: EXIT.badData,
    };
  return null;
}

function pathSuffix(error: SystemError): string {
  return typeof error.path === 'string' ? ` (${error.path})` : '';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
