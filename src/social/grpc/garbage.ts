import {
  type Drop as WireDrop,
  type DropRef as WireDropRef,
  Visibility as WireVisibility,
} from '../../../proto/gen/avion/post.ts';
import { UserKind, type User as WireUser } from '../../../proto/gen/avion/user.ts';
import type { Drop, DropRef, User, Visibility } from '../services.ts';

/** A remote service answered something that cannot be. Nothing of it gets any further. */
export class GarbageError extends Error {
  override readonly name = 'GarbageError';
}

/** IDs become parts of keys and cursors. */
const ID = /^[\w.:@-]{1,128}$/;

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

export function readId(id: string): string {
  if (!ID.test(id)) throw new GarbageError(`${JSON.stringify(id.slice(0, 40))} is no ID`);
  return id;
}

export function readUser(wire: WireUser | undefined): User {
  const kind = KINDS.get(wire?.kind ?? 0);
  if (wire === undefined || kind === undefined) throw new GarbageError('a user without a kind');
  const { id, name, displayName, createdAt } = wire;
  return { id: readId(id), name, displayName, kind, createdAt: readTime(createdAt) };
}

export function readDropRef(wire: WireDropRef): DropRef {
  const visibility = VISIBILITIES.get(wire.visibility);
  if (visibility === undefined) throw new GarbageError('a drop without a visibility');
  const { id, userId, createdAt } = wire;
  return { id: readId(id), userId: readId(userId), visibility, createdAt: readTime(createdAt) };
}

export function readDrop(wire: WireDrop | undefined): Drop {
  if (wire === undefined) throw new GarbageError('no drop where there must be one');
  const { text, title = null, url = null, itemKey = null, pipeline = null } = wire;
  return { ...readDropRef(wire), text, title, url, itemKey, pipeline };
}

/** Newest first, below `before`, and no more than asked for; otherwise paging would skip or never end. */
export function readDropRefs(
  wire: readonly WireDropRef[],
  limit: number,
  before: { readonly createdAt: number; readonly id: string } | undefined,
): readonly DropRef[] {
  if (wire.length > limit)
    throw new GarbageError(`${wire.length} drops where at most ${limit} were asked for`);
  let above = before;
  return wire.map((each) => {
    const ref = readDropRef(each);
    if (above !== undefined && !isBelow(ref, above))
      throw new GarbageError('drops that are not newest first');
    above = ref;
    return ref;
  });
}

function isBelow(one: { createdAt: number; id: string }, other: { createdAt: number; id: string }): boolean {
  return one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id);
}

function readTime(ms: number): number {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new GarbageError(`${ms} is no time`);
  return ms;
}
