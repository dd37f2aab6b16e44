import type { SocialStore } from '../services.ts';
import { GrpcPostService } from './post-client.ts';
import { ServiceConnection, type ServiceConnectionOptions } from './service-connection.ts';
import { GrpcUserService } from './user-client.ts';

export interface GrpcSocialOptions extends Omit<ServiceConnectionOptions, 'service' | 'address'> {
  /** `host:port` of `avion.UserService`. */
  readonly users: string;
  /** `host:port` of `avion.PostService`. */
  readonly posts: string;
}

/** People, follows and drops at remote services. Nothing is connected before the first call. */
export function openGrpcSocialStore({
  users: at,
  posts: postsAt,
  ...options
}: GrpcSocialOptions): SocialStore {
  const toUsers = new ServiceConnection({ ...options, service: 'avion.UserService', address: at });
  const toPosts = new ServiceConnection({ ...options, service: 'avion.PostService', address: postsAt });
  const users = new GrpcUserService(toUsers);
  const posts = new GrpcPostService(toPosts);
  return {
    addUser: (user) => users.addUser(user),
    findUser: (idOrName, signal) => users.findUser(idOrName, signal),
    listUsers: (page) => users.listUsers(page),
    follow: (followerId, followedId) => users.follow(followerId, followedId),
    unfollow: (followerId, followedId) => users.unfollow(followerId, followedId),
    block: (blockerId, blockedId) => users.block(blockerId, blockedId),
    unblock: (blockerId, blockedId) => users.unblock(blockerId, blockedId),
    getFollowingList: (userId, signal) => users.getFollowingList(userId, signal),
    getFollowersPage: (userId, page, signal) => users.getFollowersPage(userId, page, signal),
    getBlockedList: (userId) => users.getBlockedList(userId),
    post: (drop) => posts.post(drop),
    deleteDrop: (dropId) => posts.deleteDrop(dropId),
    getDrops: (ids, signal) => posts.getDrops(ids, signal),
    getDropsByUserId: (userId, page, signal) => posts.getDropsByUserId(userId, page, signal),
    recentPublic: (limit, before, signal) => posts.recentPublic(limit, before, signal),
    async [Symbol.asyncDispose]() {
      await toUsers[Symbol.asyncDispose]();
      await toPosts[Symbol.asyncDispose]();
    },
  };
}
