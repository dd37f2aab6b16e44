import type { SocialStore } from '../social/services.ts';
import type { EventLog } from './event-log.ts';

/**
 * The social store as everybody else uses it: what is written is announced in the event log, so that whoever posts,
 * deletes or follows need not think of timelines.
 */
export function announcing(store: SocialStore, log: EventLog): SocialStore {
  return {
    ...(store.board !== undefined && { board: store.board }),
    addUser: (user) => store.addUser(user),
    findUser: (idOrName, signal) => store.findUser(idOrName, signal),
    listUsers: (page) => store.listUsers(page),
    getFollowingList: (userId, signal) => store.getFollowingList(userId, signal),
    getFollowersList: (userId, signal) => store.getFollowersList(userId, signal),
    getFollowersPage: (userId, page, signal) => store.getFollowersPage(userId, page, signal),
    getBlockedList: (userId) => store.getBlockedList(userId),
    getDropsByUserId: (userId, page, signal) => store.getDropsByUserId(userId, page, signal),
    getDrops: (ids, signal) => store.getDrops(ids, signal),
    recentPublic: (limit, before, signal) => store.recentPublic(limit, before, signal),
    unblock: (blockerId, blockedId) => store.unblock(blockerId, blockedId),

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

    async block(blockerId, blockedId) {
      const outcome = await store.block(blockerId, blockedId);
      // To the timelines a block is an end of following, for either side that did follow.
      if (outcome.endedFollowing)
        await log.append({ type: 'unfollowed', user_id: blockerId, author_id: blockedId });
      if (outcome.endedBeingFollowed)
        await log.append({ type: 'unfollowed', user_id: blockedId, author_id: blockerId });
      return outcome;
    },

    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
