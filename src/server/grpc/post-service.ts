import { ServerError, Status } from 'nice-grpc';
import type { PostServiceDefinition } from '../../../proto/gen/avion/post.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Drop, SocialStore } from '../../social/social-store.ts';
import type { ActingUser, CallAuthorizer } from './call-authorizer.ts';
import {
  dropMessage,
  dropRefMessage,
  invalidArgument,
  pageSizeOf,
  permissionDenied,
  positionOf,
  visibilityOf,
} from './messages.ts';
import type { Service } from './service.ts';

const MAX_REFS = 1000;
const DEFAULT_REFS = 20;
const MAX_DROPS = 100;

/** `avion.PostService` over the social store. */
export function createPostService(
  social: SocialStore,
  callers: CallAuthorizer,
): Service<typeof PostServiceDefinition> {
  return {
    async getDropsByUserID(request, context) {
      // It returns drops of every visibility.
      const { userId } = await callers.actingFor(context, 'read', 'user_id', request.userId);
      const limit = pageSizeOf('limit', request.limit, MAX_REFS, DEFAULT_REFS);
      const before = positionOf(request.before);
      const ask = { limit, ...(before === undefined ? {} : { before }) };
      const drops = await social.getDropsByUserId(userId, ask, context.signal);
      return { drops: drops.map(dropRefMessage) };
    },

    async getDrops({ ids }, context) {
      const identity = await callers.optionalIdentity(context);
      if (ids.length > MAX_DROPS) throw invalidArgument('ids', `at most ${MAX_DROPS}, not ${ids.length}`);
      const drops = await social.getDrops(ids, context.signal);
      return { drops: (await visibleTo(identity, drops, social, context.signal)).map(dropMessage) };
    },

    async getRecentPublicDrops(request, context) {
      await callers.optionalIdentity(context);
      const limit = pageSizeOf('limit', request.limit, MAX_REFS, DEFAULT_REFS);
      const drops = await social.recentPublic(limit, positionOf(request.before), context.signal);
      return { drops: drops.map(dropRefMessage) };
    },

    async createDrop(request, context) {
      const acting = await callers.actingFor(context, 'write', 'user_id', request.userId);
      const { userId } = acting;
      const { text, title, url, itemKey, pipeline, idempotencyKey } = request;
      const { drop, created } = await social.post({
        userId,
        visibility: visibilityOf(request.visibility),
        text,
        ...(title === undefined ? {} : { title }),
        ...(url === undefined ? {} : { url }),
        ...(itemKey === undefined ? {} : { itemKey }),
        ...(pipeline === undefined ? {} : { pipeline }),
        ...(idempotencyKey === '' ? {} : { dedupeKey: idempotencyKeyOf(acting, idempotencyKey) }),
      });
      // Otherwise a key would reveal what another user has posted with it.
      if (drop.userId !== userId)
        throw new ServerError(Status.ALREADY_EXISTS, 'idempotency_key: is in use by another user');
      return { drop: dropMessage(drop), created };
    },

    async deleteDrop({ dropId }, context) {
      const identity = await callers.requireIdentity(context, 'write');
      if (dropId === '') throw invalidArgument('drop_id', 'must name a drop');
      if (identity.credential !== 'service') {
        const [drop] = await social.getDrops([dropId], context.signal);
        if (drop !== undefined && drop.userId !== identity.userId)
          throw permissionDenied('drop_id: this is another user’s drop');
      }
      const deleted = await social.deleteDrop(dropId);
      return { drop: deleted === null ? undefined : dropMessage(deleted) };
    },
  };
}

/** Keys are scoped to the user, so that a user cannot occupy the key of another's next drop. */
function idempotencyKeyOf({ userId, asService }: ActingUser, key: string): string {
  return asService ? key : `${userId} ${key}`;
}

/** Services see everything; users see public drops, their own, and the followers-only drops of those whom they follow. */
async function visibleTo(
  identity: Identity | null,
  drops: readonly Drop[],
  social: SocialStore,
  signal: AbortSignal,
): Promise<readonly Drop[]> {
  if (identity?.credential === 'service') return drops;
  const forFollowers = drops.some(
    ({ visibility, userId }) => visibility === 'followers' && userId !== identity?.userId,
  );
  const followed = new Set(
    identity !== null && forFollowers ? await social.getFollowingList(identity.userId, signal) : [],
  );
  return drops.filter(
    ({ visibility, userId }) =>
      visibility === 'public' ||
      visibility === 'unlisted' ||
      userId === identity?.userId ||
      (visibility === 'followers' && followed.has(userId)),
  );
}
