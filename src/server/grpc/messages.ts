import { ServerError, Status } from 'nice-grpc';
import {
  type Drop as WireDrop,
  type DropRef as WireDropRef,
  type Position as WirePosition,
  Visibility as WireVisibility,
} from '../../../proto/gen/avion/post.ts';
import { UserKind, type User as WireUser } from '../../../proto/gen/avion/user.ts';
import { DropError, ServiceUnavailableError, UserError } from '../../social/rules.ts';
import type { Drop, DropRef, NewDrop, User } from '../../social/social-store.ts';
import { OperationalError } from '../../telemetry/errors.ts';

const VISIBILITIES = {
  public: WireVisibility.VISIBILITY_PUBLIC,
  unlisted: WireVisibility.VISIBILITY_UNLISTED,
  followers: WireVisibility.VISIBILITY_FOLLOWERS,
  private: WireVisibility.VISIBILITY_PRIVATE,
} as const;

const KINDS = {
  person: UserKind.USER_KIND_PERSON,
  pipeline: UserKind.USER_KIND_PIPELINE,
  source: UserKind.USER_KIND_SOURCE,
} as const;

export function userMessage({ id, name, displayName, kind, createdAt }: User): WireUser {
  return { id, name, displayName, kind: KINDS[kind], createdAt };
}

export function dropRefMessage({ id, userId, visibility, createdAt }: DropRef): WireDropRef {
  return { id, userId, visibility: VISIBILITIES[visibility], createdAt };
}

export function dropMessage(drop: Drop): WireDrop {
  return {
    ...dropRefMessage(drop),
    text: drop.text,
    title: drop.title ?? undefined,
    url: drop.url ?? undefined,
    itemKey: drop.itemKey ?? undefined,
    pipeline: drop.pipeline ?? undefined,
  };
}

/** Of a new drop. */
export function visibilityOf(wire: number): NewDrop['visibility'] {
  for (const name of ['public', 'followers', 'private'] as const)
    if (VISIBILITIES[name] === wire) return name;
  throw invalidArgument('visibility', 'must be public, followers or private');
}

export function kindOf(wire: number): User['kind'] {
  for (const [name, value] of Object.entries(KINDS)) if (value === wire) return name as User['kind'];
  throw invalidArgument('kind', 'must be person, pipeline or source');
}

export function positionOf(wire: WirePosition | undefined): { createdAt: number; id: string } | undefined {
  if (wire === undefined) return undefined;
  if (wire.createdAt < 0) throw invalidArgument('before.created_at', 'must not be before 1970');
  if (wire.id.length > 128) throw invalidArgument('before.id', 'is too long for an ID');
  return { createdAt: wire.createdAt, id: wire.id };
}

/** The requested page size; the default for 0. */
export function pageSizeOf(field: string, requested: number, most: number, usual = most): number {
  if (requested === 0) return usual;
  if (requested < 0 || requested > most)
    throw invalidArgument(field, `must be a whole number from 1 to ${most}`);
  return requested;
}

/** The last entry of the previous page, opaque so that clients do not construct one. */
export function encodePageToken(last: string): string {
  return Buffer.from(`1:${last}`).toString('base64url');
}

/** `undefined` for the first page. */
export function decodePageToken(token: string): string | undefined {
  if (token === '') return undefined;
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith('1:') || text.length > 300 || encodePageToken(text.slice(2)) !== token)
    throw invalidArgument('page_token', 'must come from the answer before');
  return text.slice(2);
}

/** Cuts a page from a list that was read with one entry more than requested. */
export function cutPage<T>(
  found: readonly T[],
  size: number,
  keyOf: (entry: T) => string,
): { readonly page: T[]; readonly nextPageToken: string } {
  const page = found.slice(0, size);
  const last = page.at(-1);
  return {
    page,
    nextPageToken: found.length > size && last !== undefined ? encodePageToken(keyOf(last)) : '',
  };
}

/** An invalid request; the field is named as in the proto file (C19). */
export function invalidArgument(field: string, why: string): ServerError {
  return new ServerError(Status.INVALID_ARGUMENT, `${field}: ${why}`);
}

export function permissionDenied(why: string): ServerError {
  return new ServerError(Status.PERMISSION_DENIED, why);
}

/** Fields of a new drop as the proto file names them. */
const PROTO_FIELD_NAMES: Readonly<Record<string, string>> = {
  userId: 'user_id',
  itemKey: 'item_key',
  dedupeKey: 'idempotency_key',
};

const USER_PROBLEMS: Readonly<Record<string, { readonly code: Status; readonly field?: string }>> = {
  unknown: { code: Status.NOT_FOUND },
  taken: { code: Status.ALREADY_EXISTS },
  blocked: { code: Status.FAILED_PRECONDITION },
  bad_name: { code: Status.INVALID_ARGUMENT, field: 'name' },
};

/** The gRPC status of an error. `null`: unexpected, and to be logged. */
export function toServerError(error: unknown, signal: AbortSignal): ServerError | null {
  if (error instanceof ServerError) return error;
  if (signal.aborted)
    return new ServerError(Status.CANCELLED, 'the call was cancelled or its deadline has passed');
  if (error instanceof UserError) {
    const { code, field } = USER_PROBLEMS[error.problem] ?? { code: Status.INVALID_ARGUMENT };
    return new ServerError(code, field === undefined ? error.message : `${field}: ${error.message}`);
  }
  if (error instanceof DropError) {
    const { field } = error;
    const why = error.message.replace(`${field}: `, '');
    return invalidArgument(PROTO_FIELD_NAMES[field] ?? field, why);
  }
  if (error instanceof ServiceUnavailableError && error.why === 'not_offered')
    return new ServerError(Status.UNIMPLEMENTED, error.message);
  if (error instanceof OperationalError && error.kind === 'unavailable')
    return new ServerError(Status.UNAVAILABLE, 'a dependency does not answer; retry later');
  return null;
}

export const INTERNAL_ERROR = new ServerError(Status.INTERNAL, 'internal error; see the log of the server');
