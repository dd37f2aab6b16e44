import { SECOND } from '../time/duration.ts';

/** gRPC's names of its status codes, by number. */
export const STATUS_NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;
export type StatusName = (typeof STATUS_NAMES)[number];

/** The name that Go's gRPC, and with it the contract's metrics and alerts, has for a status: `PermissionDenied` (A17). */
export function goNameOf(status: StatusName): string {
  if (status === 'OK') return status;
  if (status === 'CANCELLED') return 'Canceled';
  return status.replace(/_?([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase());
}

/** How long to wait before each further try when Firestore is away (A16). */
export const WAITS: readonly number[] = [5 * SECOND, 15 * SECOND, 45 * SECOND];

/** What to do about an error of Firestore. */
export type ErrorAnswer =
  /** The answer is a value: nothing there, or somebody else was first. The caller goes on. */
  | { readonly do: 'go on' }
  | { readonly do: 'try again'; readonly afterMs: number }
  | { readonly do: 'stop the run' }
  | { readonly do: 'stop the program' }
  | { readonly do: 'fail' };

/**
 * A16 in one place. `failures` counts the failed tries of this call, this one included. FAILED_PRECONDITION,
 * ALREADY_EXISTS and ABORTED are how Firestore says that another writer was first, or that our own earlier try went
 * through: who asked reads back and sees which.
 */
export function answerTo(code: StatusName, failures: number): ErrorAnswer {
  switch (code) {
    case 'NOT_FOUND':
    case 'ALREADY_EXISTS':
    case 'FAILED_PRECONDITION':
    case 'ABORTED':
      return { do: 'go on' };
    case 'UNAVAILABLE':
    case 'DEADLINE_EXCEEDED': {
      const afterMs = WAITS[failures - 1];
      return afterMs === undefined ? { do: 'fail' } : { do: 'try again', afterMs };
    }
    case 'PERMISSION_DENIED':
      return { do: 'stop the program' };
    case 'RESOURCE_EXHAUSTED':
      return { do: 'stop the run' };
    default:
      return { do: 'fail' };
  }
}
