import type { SocialStore } from '../social/services.ts';
import type { EventLog } from './event-log.ts';

/**
 * The social store as everybody else uses it: what is written is announced in the event log, so that whoever posts,
 * deletes or follows need not think of timelines.
 */
export function announcing(store: SocialStore, log: EventLog): SocialStore {
  return {
    addUser: (user) => store.addUser(user),
    findUser: (idOrName) => store.findUser(idOrName),
    listUsers: () => store.listUsers(),
    getFollowingList: (userId, signal) => store.getFollowingList(userId, signal),
    getFollowersList: (userId, signal) => store.getFollowersList(userId, signal),
    getDropsByUserId: (userId, page, signal) => store.getDropsByUserId(userId, page, signal),
    getDrops: (ids) => store.getDrops(ids),
    recentPublic: (limit, before) => store.recentPublic(limit, before),

    async post(drop) {
      const posted = await store.post(drop);
      // A drop that was there already may have been stored by a program that died before it could announce it.
      const isThere = posted.created || (await store.getDrops([posted.drop.id])).length > 0;
      if (isThere) {
        const { id, userId, visibility, createdAt } = posted.drop;
        await log.append({
          type: 'drop_created',
          drop_id: id,
          user_id: userId,
          visibility,
          created_at: createdAt,
        });
      }
      return posted;
    },

    async deleteDrop(dropId) {
      const deleted = await store.deleteDrop(dropId);
      if (deleted) await log.append({ type: 'drop_deleted', drop_id: dropId, user_id: deleted.userId });
      return deleted;
    },

    async follow(followerId, followedId) {
      const changed = await store.follow(followerId, followedId);
      if (changed) await log.append({ type: 'followed', user_id: followerId, author_id: followedId });
      return changed;
    },

    async unfollow(followerId, followedId) {
      const changed = await store.unfollow(followerId, followedId);
      if (changed) await log.append({ type: 'unfollowed', user_id: followerId, author_id: followedId });
      return changed;
    },

    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
