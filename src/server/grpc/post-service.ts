import { ServerError, Status } from 'nice-grpc';
import type { PostServiceDefinition } from '../../../proto/gen/avion/post.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Drop, SocialStore } from '../../social/services.ts';
import type { Acting, Callers } from './callers.ts';
import { beforeOf, dropMessage, dropRefMessage, visibilityOf } from './messages.ts';
import { sizeOf } from './page-token.ts';
import type { Service } from './service.ts';
import { denied, invalid } from './status.ts';

const MOST_REFS = 1000;
const USUAL_REFS = 20;
const MOST_DROPS = 100;

/** `avion.PostService` over the social store. */
export function postService(social: SocialStore, callers: Callers): Service<typeof PostServiceDefinition> {
  return {
    async getDropsByUserID(request, context) {
      // It answers drops of every visibility.
      const { userId } = await callers.actingFor(context, 'read', 'user_id', request.userId);
      const limit = sizeOf('limit', request.limit, MOST_REFS, USUAL_REFS);
      const before = beforeOf(request.before);
      const ask = { limit, ...(before === undefined ? {} : { before }) };
      const drops = await social.getDropsByUserId(userId, ask, context.signal);
      return { drops: drops.map(dropRefMessage) };
    },

    async getDrops({ ids }, context) {
      const identity = await callers.reader(context);
      if (ids.length > MOST_DROPS) throw invalid('ids', `at most ${MOST_DROPS}, not ${ids.length}`);
      const drops = await social.getDrops(ids, context.signal);
      return { drops: (await visibleTo(identity, drops, social, context.signal)).map(dropMessage) };
    },

    async getRecentPublicDrops(request, context) {
      await callers.reader(context);
      const limit = sizeOf('limit', request.limit, MOST_REFS, USUAL_REFS);
      const drops = await social.recentPublic(limit, beforeOf(request.before), context.signal);
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
        ...(idempotencyKey === '' ? {} : { dedupeKey: keyOf(acting, idempotencyKey) }),
      });
      // Otherwise a key would open what another has posted with it.
      if (drop.userId !== userId)
        throw new ServerError(Status.ALREADY_EXISTS, 'idempotency_key: is in use by another user');
      return { drop: dropMessage(drop), created };
    },

    async deleteDrop({ dropId }, context) {
      const identity = await callers.known(context, 'write');
      if (dropId === '') throw invalid('drop_id', 'must name a drop');
      if (identity.credential !== 'service') {
        const [drop] = await social.getDrops([dropId], context.signal);
        if (drop !== undefined && drop.userId !== identity.userId)
          throw denied('drop_id: this is another user’s drop');
      }
      const deleted = await social.deleteDrop(dropId);
      return { drop: deleted === null ? undefined : dropMessage(deleted) };
    },
  };
}

/** Keys of people are their own, so that nobody can use up the key of another's next drop. */
function keyOf({ userId, asService }: Acting, key: string): string {
  return asService ? key : `${userId} ${key}`;
}

/** Services see everything; people what is public, their own, and what those whom they follow show their followers. */
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
