import { ServerError, Status } from 'nice-grpc';
import type { UserServiceDefinition } from '../../../proto/gen/avion/user.ts';
import type { SocialStore } from '../../social/services.ts';
import type { Callers } from './callers.ts';
import { mustBeUserId } from './callers.ts';
import { kindOf, userMessage } from './messages.ts';
import { cut, decodeToken, sizeOf } from './page-token.ts';
import type { Service } from './service.ts';
import { denied, invalid } from './status.ts';

const MOST_IDS = 10_000;
const MOST_USERS = 1000;

/** `avion.UserService` over the social store. */
export function userService(social: SocialStore, callers: Callers): Service<typeof UserServiceDefinition> {
  return {
    async getFollowingList(request, context) {
      await callers.known(context, 'read');
      mustBeUserId('user_id', request.userId);
      return idPage(request, await social.getFollowingList(request.userId, context.signal));
    },

    async getFollowersList(request, context) {
      await callers.known(context, 'read');
      mustBeUserId('user_id', request.userId);
      const size = sizeOf('page_size', request.pageSize, MOST_IDS);
      const after = decodeToken(request.pageToken) ?? (request.afterId || undefined);
      const ask = { limit: size + 1, ...(after === undefined ? {} : { after }) };
      const found = await social.getFollowersPage(request.userId, ask, context.signal);
      const { page, nextPageToken } = cut(found, size, (id) => id);
      return { userIds: page, nextPageToken };
    },

    async getBlockedList(request, context) {
      const { userId } = await callers.actingFor(context, 'read', 'user_id', request.userId);
      return idPage(request, await social.getBlockedList(userId));
    },

    async getUser({ idOrName }, context) {
      await callers.reader(context);
      if (idOrName === '') throw invalid('id_or_name', 'must name a user');
      const user = await social.findUser(idOrName, context.signal);
      if (user === null)
        throw new ServerError(Status.NOT_FOUND, `there is no user "${idOrName.slice(0, 80)}"`);
      return { user: userMessage(user) };
    },

    async listUsers(request, context) {
      await callers.reader(context);
      const size = sizeOf('page_size', request.pageSize, MOST_USERS);
      const after = decodeToken(request.pageToken) ?? (request.afterName || undefined);
      const found = await social.listUsers({ limit: size + 1, ...(after === undefined ? {} : { after }) });
      const { page, nextPageToken } = cut(found, size, ({ name }) => name);
      return { users: page.map(userMessage), nextPageToken };
    },

    async createUser({ name, displayName, kind }, context) {
      const identity = await callers.known(context, 'write');
      if (identity.credential !== 'service' && !identity.scopes.has('control'))
        throw denied('users are made by services and by the owner');
      const user = { name, displayName: displayName === '' ? name : displayName, kind: kindOf(kind) };
      return { user: userMessage(await social.addUser(user)) };
    },

    async follow({ followerId, followedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'follower_id', followerId);
      mustBeUserId('followed_id', followedId);
      return { changed: await social.follow(userId, followedId) };
    },

    async unfollow({ followerId, followedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'follower_id', followerId);
      mustBeUserId('followed_id', followedId);
      return { changed: await social.unfollow(userId, followedId) };
    },

    async block({ blockerId, blockedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'blocker_id', blockerId);
      mustBeUserId('blocked_id', blockedId);
      return social.block(userId, blockedId);
    },

    async unblock({ blockerId, blockedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'blocker_id', blockerId);
      mustBeUserId('blocked_id', blockedId);
      return { changed: await social.unblock(userId, blockedId) };
    },
  };
}

/** A page of a list that one user makes by hand, and that is therefore short enough to be read whole. */
function idPage(
  request: { readonly pageSize: number; readonly pageToken: string },
  all: readonly string[],
): { userIds: string[]; nextPageToken: string } {
  const size = sizeOf('page_size', request.pageSize, MOST_IDS);
  const after = decodeToken(request.pageToken) ?? '';
  const rest = all.filter((id) => id > after).toSorted();
  const { page, nextPageToken } = cut(rest, size, (id) => id);
  return { userIds: page, nextPageToken };
}
