import {
  type Drop as WireDrop,
  type DropRef as WireDropRef,
  type Position as WirePosition,
  Visibility as WireVisibility,
} from '../../../proto/gen/avion/post.ts';
import { UserKind, type User as WireUser } from '../../../proto/gen/avion/user.ts';
import type { Drop, DropRef, NewDrop, User } from '../../social/services.ts';
import { invalid } from './status.ts';

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
  throw invalid('visibility', 'must be public, followers or private');
}

export function kindOf(wire: number): User['kind'] {
  for (const [name, value] of Object.entries(KINDS)) if (value === wire) return name as User['kind'];
  throw invalid('kind', 'must be person, pipeline or source');
}

export function beforeOf(wire: WirePosition | undefined): { createdAt: number; id: string } | undefined {
  if (wire === undefined) return undefined;
  if (wire.createdAt < 0) throw invalid('before.created_at', 'must not be before 1970');
  if (wire.id.length > 128) throw invalid('before.id', 'is too long for an ID');
  return { createdAt: wire.createdAt, id: wire.id };
}
