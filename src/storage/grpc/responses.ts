import {
  type Drop as WireDrop,
  type DropRef as WireDropRef,
  Visibility as WireVisibility,
} from '../../../proto/gen/avion/post.ts';
import { UserKind, type User as WireUser } from '../../../proto/gen/avion/user.ts';
import type { Drop, DropRef, User, Visibility } from '../../social/social-store.ts';

/** A remote service sent an invalid response, which is discarded as a whole. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** IDs become parts of keys and cursors. */
const ID_PATTERN = /^[\w.:@-]{1,128}$/;

const VISIBILITIES: ReadonlyMap<number, Visibility> = new Map([
  [WireVisibility.VISIBILITY_PUBLIC, 'public'],
  [WireVisibility.VISIBILITY_UNLISTED, 'unlisted'],
  [WireVisibility.VISIBILITY_FOLLOWERS, 'followers'],
  [WireVisibility.VISIBILITY_PRIVATE, 'private'],
]);

const KINDS: ReadonlyMap<number, User['kind']> = new Map([
  [UserKind.USER_KIND_PERSON, 'person'],
  [UserKind.USER_KIND_PIPELINE, 'pipeline'],
  [UserKind.USER_KIND_SOURCE, 'source'],
]);

export function parseId(id: string): string {
  if (!ID_PATTERN.test(id)) throw new InvalidResponseError(`${JSON.stringify(id.slice(0, 40))} is no ID`);
  return id;
}

export function parseUser(wire: WireUser | undefined): User {
  const kind = KINDS.get(wire?.kind ?? 0);
  if (wire === undefined || kind === undefined) throw new InvalidResponseError('a user without a kind');
  const { id, name, displayName, createdAt } = wire;
  return { id: parseId(id), name, displayName, kind, createdAt: parseTime(createdAt) };
}

export function parseDropRef(wire: WireDropRef): DropRef {
  const visibility = VISIBILITIES.get(wire.visibility);
  if (visibility === undefined) throw new InvalidResponseError('a drop without a visibility');
  const { id, userId, createdAt } = wire;
  return { id: parseId(id), userId: parseId(userId), visibility, createdAt: parseTime(createdAt) };
}

export function parseDrop(wire: WireDrop | undefined): Drop {
  if (wire === undefined) throw new InvalidResponseError('a response without its drop');
  const { text, title = null, url = null, itemKey = null, pipeline = null } = wire;
  return { ...parseDropRef(wire), text, title, url, itemKey, pipeline, editedAt: null };
}

/** Requires newest first, below `before` and at most `limit`; otherwise paging would skip entries or never end. */
export function parseDropRefs(
  wire: readonly WireDropRef[],
  limit: number,
  before: { readonly createdAt: number; readonly id: string } | undefined,
): readonly DropRef[] {
  if (wire.length > limit)
    throw new InvalidResponseError(`${wire.length} drops where at most ${limit} were requested`);
  let above = before;
  return wire.map((each) => {
    const ref = parseDropRef(each);
    if (above !== undefined && !isBelow(ref, above))
      throw new InvalidResponseError('drops that are not newest first');
    above = ref;
    return ref;
  });
}

function isBelow(one: { createdAt: number; id: string }, other: { createdAt: number; id: string }): boolean {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id);
}

function parseTime(ms: number): number {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new InvalidResponseError(`${ms} is no time`);
  return ms;
}
