import { type ErrorKind, OperationalError } from '../../telemetry/errors.ts';
import { SECOND } from '../../time/duration.ts';

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

/** Name of a status in Go's gRPC, and so in the contract's metrics and alerts: `PermissionDenied` (A17). */
export function goNameOf(status: StatusName): string {
  if (status === 'OK') return status;
  if (status === 'CANCELLED') return 'Canceled';
  return status.replace(/_?([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase());
}

/** Delay before each retry while Firestore is unavailable (A16). */
export const RETRY_DELAYS_MS: readonly number[] = [5 * SECOND, 15 * SECOND, 45 * SECOND];

/** What to do about a Firestore error. */
export type ErrorAction =
  /** The answer is a value: nothing found, or another writer was first. The caller continues. */
  | { readonly do: 'go on' }
  | { readonly do: 'try again'; readonly afterMs: number }
  | { readonly do: 'stop the run' }
  | { readonly do: 'stop the program' }
  | { readonly do: 'fail' };

/**
 * The policy of A16. `failures` counts the failed attempts of this call, including this one. FAILED_PRECONDITION,
 * ALREADY_EXISTS and ABORTED mean that another writer was first, or that our own earlier attempt succeeded: the caller reads
 * back to see which.
 */
export function errorActionFor(code: StatusName, failures: number): ErrorAction {
  switch (code) {
    case 'NOT_FOUND':
    case 'ALREADY_EXISTS':
    case 'FAILED_PRECONDITION':
    case 'ABORTED':
      return { do: 'go on' };
    case 'UNAVAILABLE':
    case 'DEADLINE_EXCEEDED': {
      const afterMs = RETRY_DELAYS_MS[failures - 1];
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

/** Firestore answered with an error that ends the run. */
export class FirestoreError extends OperationalError {
  readonly kind: ErrorKind = 'unavailable';
  override readonly name: string = 'FirestoreError';
  readonly code: StatusName;
  readonly operation: string;
  readonly collection: string;

  constructor(
    facts: { readonly code: StatusName; readonly operation: string; readonly collection: string },
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.code = facts.code;
    this.operation = facts.operation;
    this.collection = facts.collection;
  }
}

/** This machine has no Google credentials, so Firestore cannot be used. */
export class GoogleCredentialsError extends OperationalError {
  readonly kind = 'no_permission';
  override readonly name = 'GoogleCredentialsError';

  constructor(cause: unknown) {
    super(
      'There are no Google credentials for Firestore. Set `engine.firestore.credentials` or GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`. `start --role timeline` needs none where `timelines.user_service`, `timelines.post_service` and `server.sign_in.secret` are set.',
      { cause },
    );
  }
}

/** The identity in use has no permission on the database. Retrying does not help: the program stops. */
export class FirestorePermissionError extends FirestoreError {
  override readonly kind = 'no_permission';
  override readonly name = 'FirestorePermissionError';
  readonly stops = 'program';
  readonly missingRole = 'roles/datastore.user';
}

/** The quota of the day, or of the moment, is exhausted: the run stops, and the next one continues. */
export class FirestoreQuotaError extends FirestoreError {
  override readonly name = 'FirestoreQuotaError';
  readonly stops = 'run';
}

/** Other writers changed the same document again and again. */
export class FirestoreContentionError extends FirestoreError {
  override readonly name = 'FirestoreContentionError';
}

/** The caller gives up after this many attempts; the next run retries. */
export function contentionError(
  collection: string,
  times: number,
  operation = 'commit',
  cause?: unknown,
): FirestoreContentionError {
  return new FirestoreContentionError(
    { code: 'ABORTED', operation, collection },
    `Failed to write to ${collection}: other writers changed the same document ${times} times meanwhile.`,
    cause,
  );
}

/** The program is shutting down. */
export function stoppingError(facts: {
  readonly operation: string;
  readonly collection: string;
}): FirestoreError {
  const { operation, collection } = facts;
  const message = `The program is stopping: ${operation} on ${collection} is not retried.`;
  return new FirestoreError({ ...facts, code: 'CANCELLED' }, message);
}

export function firestoreErrorFor(
  facts: { readonly code: StatusName; readonly operation: string; readonly collection: string },
  cause: unknown,
): FirestoreError {
  const where = `Firestore answered ${facts.code} to ${facts.operation} on ${facts.collection}`;
  switch (facts.code) {
    case 'PERMISSION_DENIED':
      return new FirestorePermissionError(
        facts,
        `${where}: the role roles/datastore.user is missing. Give it to the identity that runs this program, then start it again.`,
        cause,
      );
    case 'RESOURCE_EXHAUSTED':
      return new FirestoreQuotaError(facts, `${where}: the quota is used up. The run stops here.`, cause);
    case 'UNAVAILABLE':
    case 'DEADLINE_EXCEEDED':
      return new FirestoreError(facts, `${where}, also after three retries.`, cause);
    case 'NOT_FOUND':
      return new FirestoreError(facts, `${where}: is there a database of this name in the project?`, cause);
    default:
      return isMissingIndex(cause)
        ? new FirestoreError(
            facts,
            `${where}: an index is missing. Deploy deploy/firestore.indexes.json, or what the command indexes writes where there are several pipelines of a kind.`,
            cause,
          )
        : new FirestoreError(facts, `${where}.`, cause);
  }
}

/** Firestore refuses a query without an index, and names the index in its message. */
export function isMissingIndex(error: unknown): boolean {
  return error instanceof Error && /requires an? .*index/i.test(error.message);
}
