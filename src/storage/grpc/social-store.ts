import { EditUnsupportedError } from '../../social/rules.ts';
import type { SocialStore } from '../../social/social-store.ts';
import { systemClock } from '../../time/clock.ts';
import { type ChangeFeed, dropCreated } from '../../timelines/change-feed.ts';
import { MemoryChangeFeed } from '../memory/change-feed.ts';
import { GrpcPostService } from './post-client.ts';
import { ServiceConnection, type ServiceConnectionOptions } from './service-connection.ts';
import { GrpcUserService } from './user-client.ts';

export interface GrpcSocialOptions extends Omit<ServiceConnectionOptions, 'service' | 'address'> {
  /** `host:port` of `avion.UserService`. */
  readonly users: string;
  /** `host:port` of `avion.PostService`. */
  readonly posts: string;
}

/**
 * Users, follows and drops at remote services. Connects on the first call. Changes made through it are in its change feed
 * as well: a service need not publish changes itself.
 */
export function openGrpcSocialStore({
  users: at,
  posts: postsAt,
  ...options
}: GrpcSocialOptions): SocialStore & { readonly changes: ChangeFeed } {
  const toUsers = new ServiceConnection({ ...options, service: 'avion.UserService', address: at });
  const toPosts = new ServiceConnection({ ...options, service: 'avion.PostService', address: postsAt });
  const users = new GrpcUserService(toUsers);
  const posts = new GrpcPostService(toPosts);
  const changes = new MemoryChangeFeed(options.clock ?? systemClock);
  const unfollowed = (userId: string, authorId: string): Promise<void> =>
    changes.append({ type: 'unfollowed', user_id: userId, author_id: authorId });
  return {
    changes,
    addUser: (user) => users.addUser(user),
    renameUser: async () => false,
    findUser: (idOrName, signal) => users.findUser(idOrName, signal),
    listUsers: (page) => users.listUsers(page),
    async follow(followerId, followedId) {
      const changed = await users.follow(followerId, followedId);
      if (changed) await changes.append({ type: 'followed', user_id: followerId, author_id: followedId });
      return changed;
    },
    async unfollow(followerId, followedId) {
      const changed = await users.unfollow(followerId, followedId);
      if (changed) await unfollowed(followerId, followedId);
      return changed;
    },
    async block(blockerId, blockedId) {
      const outcome = await users.block(blockerId, blockedId);
      if (outcome.endedFollowing) await unfollowed(blockerId, blockedId);
      if (outcome.endedBeingFollowed) await unfollowed(blockedId, blockerId);
      return outcome;
    },
    unblock: (blockerId, blockedId) => users.unblock(blockerId, blockedId),
    getFollowingList: (userId, signal) => users.getFollowingList(userId, signal),
    getFollowersPage: (userId, page, signal) => users.getFollowersPage(userId, page, signal),
    getBlockedList: (userId) => users.getBlockedList(userId),
    async post(drop) {
      const posted = await posts.post(drop);
      // An existing drop may stem from a call whose reply was lost; it may also have been deleted since.
      const [existing] = posted.created ? [posted.drop] : await posts.getDrops([posted.drop.id]);
      if (existing !== undefined) await changes.append(dropCreated(existing));
      return posted;
    },
    async editDrop() {
      throw new EditUnsupportedError();
    },
    async deleteDrop(dropId) {
      const deleted = await posts.deleteDrop(dropId);
      if (deleted) await changes.append({ type: 'drop_deleted', drop_id: dropId, user_id: deleted.userId });
      return deleted;
    },
    getDrops: (ids, signal) => posts.getDrops(ids, signal),
    getDropsByUserId: (userId, page, signal) => posts.getDropsByUserId(userId, page, signal),
    recentPublic: (limit, before, signal) => posts.recentPublic(limit, before, signal),
    async [Symbol.asyncDispose]() {
      await toUsers[Symbol.asyncDispose]();
      await toPosts[Symbol.asyncDispose]();
    },
  };
}
