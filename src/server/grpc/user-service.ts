import { ServerError, Status } from 'nice-grpc';
import type { UserServiceDefinition } from '../../../proto/gen/avion/user.ts';
import type { SocialStore } from '../../social/social-store.ts';
import type { CallAuthorizer } from './call-authorizer.ts';
import { assertUserId } from './call-authorizer.ts';
import {
  cutPage,
  decodePageToken,
  invalidArgument,
  kindOf,
  pageSizeOf,
  permissionDenied,
  userMessage,
} from './messages.ts';
import type { Service } from './service.ts';

const MAX_IDS = 10_000;
const MAX_USERS = 1000;

/** `avion.UserService` over the social store. */
export function createUserService(
  social: SocialStore,
  callers: CallAuthorizer,
): Service<typeof UserServiceDefinition> {
  return {
    async getFollowingList(request, context) {
      await callers.requireIdentity(context, 'read');
      assertUserId('user_id', request.userId);
      return idPage(request, await social.getFollowingList(request.userId, context.signal));
    },

    async getFollowersList(request, context) {
      await callers.requireIdentity(context, 'read');
      assertUserId('user_id', request.userId);
      const size = pageSizeOf('page_size', request.pageSize, MAX_IDS);
      const after = decodePageToken(request.pageToken) ?? (request.afterId || undefined);
      const ask = { limit: size + 1, ...(after === undefined ? {} : { after }) };
      const found = await social.getFollowersPage(request.userId, ask, context.signal);
      const { page, nextPageToken } = cutPage(found, size, (id) => id);
      return { userIds: page, nextPageToken };
    },

    async getBlockedList(request, context) {
      const { userId } = await callers.actingFor(context, 'read', 'user_id', request.userId);
      return idPage(request, await social.getBlockedList(userId));
    },

    async getUser({ idOrName }, context) {
      await callers.optionalIdentity(context);
      if (idOrName === '') throw invalidArgument('id_or_name', 'must name a user');
      const user = await social.findUser(idOrName, context.signal);
      if (user === null)
        throw new ServerError(Status.NOT_FOUND, `there is no user "${idOrName.slice(0, 80)}"`);
      return { user: userMessage(user) };
    },

    async listUsers(request, context) {
      await callers.optionalIdentity(context);
      const size = pageSizeOf('page_size', request.pageSize, MAX_USERS);
      const after = decodePageToken(request.pageToken) ?? (request.afterName || undefined);
      const found = await social.listUsers({ limit: size + 1, ...(after === undefined ? {} : { after }) });
      const { page, nextPageToken } = cutPage(found, size, ({ name }) => name);
      return { users: page.map(userMessage), nextPageToken };
    },

    async createUser({ name, displayName, kind }, context) {
      const identity = await callers.requireIdentity(context, 'write');
      if (identity.credential !== 'service' && !identity.scopes.has('control'))
        throw permissionDenied('users are made by services and by the owner');
      const user = { name, displayName: displayName === '' ? name : displayName, kind: kindOf(kind) };
      return { user: userMessage(await social.addUser(user)) };
    },

    async follow({ followerId, followedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'follower_id', followerId);
      assertUserId('followed_id', followedId);
      return { changed: await social.follow(userId, followedId) };
    },

    async unfollow({ followerId, followedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'follower_id', followerId);
      assertUserId('followed_id', followedId);
      return { changed: await social.unfollow(userId, followedId) };
    },

    async block({ blockerId, blockedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'blocker_id', blockerId);
      assertUserId('blocked_id', blockedId);
      return social.block(userId, blockedId);
    },

    async unblock({ blockerId, blockedId }, context) {
      const { userId } = await callers.actingFor(context, 'write', 'blocker_id', blockerId);
      assertUserId('blocked_id', blockedId);
      return { changed: await social.unblock(userId, blockedId) };
    },
  };
}

/** A page of a list that one user maintains by hand, and that is therefore short enough to be read whole. */
function idPage(
  request: { readonly pageSize: number; readonly pageToken: string },
  all: readonly string[],
): { userIds: string[]; nextPageToken: string } {
  const size = pageSizeOf('page_size', request.pageSize, MAX_IDS);
  const after = decodePageToken(request.pageToken) ?? '';
  const rest = all.filter((id) => id > after).toSorted();
  const { page, nextPageToken } = cutPage(rest, size, (id) => id);
  return { userIds: page, nextPageToken };
}
