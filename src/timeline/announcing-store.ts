import type { SocialStore } from '../social/services.ts';
import { announce } from './announce.ts';
import type { EventLog } from './event-log.ts';

/**
 * The social store as everybody else uses it: what is written is announced in the event log, so that whoever posts,
 * deletes or follows need not think of timelines.
 */
export function announcing(store: SocialStore, log: EventLog): SocialStore {
  return {
    ...(store.board !== undefined && { board: store.board }),
    ...(store.unannounced !== undefined && { unannounced: store.unannounced }),
    addUser: (user) => store.addUser(user),
    findUser: (idOrName, signal) => store.findUser(idOrName, signal),
    listUsers: (page) => store.listUsers(page),
    getFollowingList: (userId, signal) => store.getFollowingList(userId, signal),
    getFollowersPage: (userId, page, signal) => store.getFollowersPage(userId, page, signal),
    getBlockedList: (userId) => store.getBlockedList(userId),
    getDropsByUserId: (userId, page, signal) => store.getDropsByUserId(userId, page, signal),
    getDrops: (ids, signal) => store.getDrops(ids, signal),
    recentPublic: (limit, before, signal) => store.recentPublic(limit, before, signal),
    unblock: (blockerId, blockedId) => store.unblock(blockerId, blockedId),

    async post(drop) {
      const posted = await store.post(drop);
      const change = { kind: 'posted', dropId: posted.drop.id } as const;
      // A drop that was there already may have been stored by a program that died before it could announce it.
      await announce(change, store, log, posted.created ? posted.drop : undefined);
      return posted;
    },

    async deleteDrop(dropId) {
      const deleted = await store.deleteDrop(dropId);
      if (deleted) await announce({ kind: 'deleted', dropId, userId: deleted.userId }, store, log);
      return deleted;
    },

    async follow(followerId, followedId) {
      const changed = await store.follow(followerId, followedId);
      if (changed) await announce({ kind: 'followed', userId: followerId, authorId: followedId }, store, log);
      return changed;
    },

    async unfollow(followerId, followedId) {
      const changed = await store.unfollow(followerId, followedId);
      if (changed)
        await announce({ kind: 'unfollowed', userId: followerId, authorId: followedId }, store, log);
      return changed;
    },

    async block(blockerId, blockedId) {
      const outcome = await store.block(blockerId, blockedId);
      // To the timelines a block is an end of following, for either side that did follow.
      if (outcome.endedFollowing)
        await announce({ kind: 'unfollowed', userId: blockerId, authorId: blockedId }, store, log);
      if (outcome.endedBeingFollowed)
        await announce({ kind: 'unfollowed', userId: blockedId, authorId: blockerId }, store, log);
      return outcome;
    },

    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
