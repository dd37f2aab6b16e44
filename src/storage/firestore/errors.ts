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

/** The name that Go's gRPC, and with it the contract's metrics and alerts, has for a status: `PermissionDenied` (A17). */
export function goNameOf(status: StatusName): string {
  if (status === 'OK') return status;
  if (status === 'CANCELLED') return 'Canceled';
  return status.replace(/_?([A-Z])([A-Z]*)/g, (_, first: string, rest: string) => first + rest.toLowerCase());
}

/** How long to wait before each further try when Firestore is away (A16). */
export const RETRY_DELAYS_MS: readonly number[] = [5 * SECOND, 15 * SECOND, 45 * SECOND];

/** What to do about an error of Firestore. */
export type ErrorAction =
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

/** This machine has no Google identity. Everything that is kept in Firestore is out of reach. */
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

/** The identity in use may not work with the database. Nothing will get better by trying: the program stops. */
export class FirestorePermissionError extends FirestoreError {
  override readonly kind = 'no_permission';
  override readonly name = 'FirestorePermissionError';
  readonly stops = 'program';
  readonly missingRole = 'roles/datastore.user';
}

/** The quota of the day, or of the moment, is used up: the run stops, and the next one goes on. */
export class FirestoreQuotaError extends FirestoreError {
  override readonly name = 'FirestoreQuotaError';
  readonly stops = 'run';
}

/** Others changed the same document again and again while we tried to. */
export class FirestoreContentionError extends FirestoreError {
  override readonly name = 'FirestoreContentionError';
}

/** After so many tries the caller gives up; the next run tries again. */
export function contentionError(
  collection: string,
  times: number,
  operation = 'commit',
  cause?: unknown,
): FirestoreContentionError {
  return new FirestoreContentionError(
    { code: 'ABORTED', operation, collection },
    `Others changed the same document of ${collection} ${times} times while we tried to.`,
    cause,
  );
}

/** The program is about to end. */
export function stoppingError(facts: {
  readonly operation: string;
  readonly collection: string;
}): FirestoreError {
  const { operation, collection } = facts;
  const message = `The program stops: ${operation} on ${collection} is not tried any more.`;
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
      return new FirestoreError(facts, `${where}, also after three more tries.`, cause);
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

/** Firestore refuses a query that none of its indexes answers, and names the index in its words. */
export function isMissingIndex(error: unknown): boolean {
  return error instanceof Error && /requires an? .*index/i.test(error.message);
}
