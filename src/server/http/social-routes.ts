import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SocialStore, User } from '../../social/social-store.ts';
import { requireIdentity } from './auth.ts';
import type { Newsroom } from './newsroom.ts';
import { badRequest, notFound, withSocialProblems } from './problem.ts';
import { addRoute, cursorParameter, limitParameter } from './route.ts';
import { cursorSchema, userSchema } from './schemas.ts';

const MAX_USERS = 100;

const idParameter = z.object({ id: z.string().describe('The ID or the name of a user.') });
const usersSchema = z.object({ users: z.array(userSchema).readonly() });
const relationSchema = z.object({
  following: z.boolean().describe('The caller follows this user.'),
  followedBy: z.boolean().describe('This user follows the caller.'),
  blocked: z.boolean().describe('The caller has blocked this user.'),
});

const newUserSchema = z.strictObject({
  name: z.string('is missing: send a name').max(200, 'is too long'),
  displayName: z.string('must be a text').max(200, 'has at most 200 characters').optional(),
  kind: z.enum(['person', 'pipeline'], 'must be person or pipeline').default('person'),
});

/** Following and blocking, each in the caller's name. */
export function socialRoutes(
  server: FastifyInstance,
  newsroom: Newsroom,
  follows: Pick<SocialStore, 'follow'>,
): void {
  const { social } = newsroom;
  const mine = { group: 'People', access: 'person', params: idParameter, problems: [404, 409] } as const;

  async function named(idOrName: string): Promise<User> {
    const found = await withSocialProblems(social.findUser(idOrName));
    if (found === null) throw notFound(`user "${idOrName.slice(0, 80)}"`);
    return found;
  }
  async function show(ids: readonly string[]): Promise<User[]> {
    const found = await Promise.all(ids.map((id) => withSocialProblems(social.findUser(id))));
    return found.filter((each) => each !== null);
  }

  addRoute(
    server,
    {
      ...mine,
      method: 'GET',
      url: '/users/:id/followers',
      about: 'Followers of a user, in pages.',
      query: z.strictObject({
        limit: limitParameter(MAX_USERS, 50),
        cursor: cursorParameter(200),
      }),
      answer: usersSchema.extend({ next: cursorSchema }),
    },
    async ({ params, query }) => {
      const { id } = await named(params.id);
      const page = { limit: query.limit + 1, ...(query.cursor ? { after: query.cursor } : {}) };
      const ids = await withSocialProblems(social.getFollowersPage(id, page));
      const shown = ids.slice(0, query.limit);
      return { users: await show(shown), next: ids.length > query.limit ? (shown.at(-1) ?? null) : null };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'GET',
      url: '/users/:id/following',
      about: 'Users whom a user follows, in pages.',
      query: z.strictObject({
        limit: limitParameter(MAX_USERS, 50),
        cursor: cursorParameter(200),
      }),
      answer: usersSchema.extend({ next: cursorSchema }),
    },
    async ({ params, query }) => {
      const { id } = await named(params.id);
      const all = (await withSocialProblems(social.getFollowingList(id))).toSorted();
      const rest = all.filter((each) => each > (query.cursor ?? ''));
      const shown = rest.slice(0, query.limit);
      return { users: await show(shown), next: rest.length > query.limit ? (shown.at(-1) ?? null) : null };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'GET',
      url: '/users/:id/relation',
      about: 'Relationship of the caller to a user.',
      answer: relationSchema,
    },
    async ({ params, request }) => {
      const me = requireIdentity(request).userId;
      const { id } = await named(params.id);
      const [following, theirs, blocked] = await withSocialProblems(
        Promise.all([social.getFollowingList(me), social.getFollowingList(id), social.getBlockedList(me)]),
      );
      return {
        following: following.includes(id),
        followedBy: theirs.includes(me),
        blocked: blocked.includes(id),
      };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'PUT',
      url: '/users/:id/follow',
      about:
        'Follows a user: adds their drops to the caller’s home timeline, of a source its ten newest entries at once.',
      answer: z.object({ following: z.literal(true), changed: z.boolean() }),
    },
    async ({ params, request }) => {
      const me = requireIdentity(request).userId;
      const { id } = await named(params.id);
      if (id === me)
        throw badRequest([{ field: 'id', code: 'own_account', detail: 'users cannot follow themselves' }]);
      return { following: true, changed: await withSocialProblems(follows.follow(me, id)) };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'DELETE',
      url: '/users/:id/follow',
      about: 'Unfollows a user: removes their drops from the caller’s home timeline.',
      answer: z.object({ following: z.literal(false), changed: z.boolean() }),
    },
    async ({ params, request }) => {
      const { id } = await named(params.id);
      return {
        following: false,
        changed: await withSocialProblems(social.unfollow(requireIdentity(request).userId, id)),
      };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'PUT',
      url: '/users/:id/block',
      about: 'Blocks a user: ends following in both directions and prevents it.',
      answer: z.object({ blocked: z.literal(true), changed: z.boolean() }),
    },
    async ({ params, request }) => {
      const me = requireIdentity(request).userId;
      const { id } = await named(params.id);
      if (id === me)
        throw badRequest([{ field: 'id', code: 'own_account', detail: 'users cannot block themselves' }]);
      return { blocked: true, changed: (await withSocialProblems(social.block(me, id))).changed };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'DELETE',
      url: '/users/:id/block',
      about: 'Unblocks a user. Does not restore following.',
      answer: z.object({ blocked: z.literal(false), changed: z.boolean() }),
    },
    async ({ params, request }) => {
      const { id } = await named(params.id);
      return {
        blocked: false,
        changed: await withSocialProblems(social.unblock(requireIdentity(request).userId, id)),
      };
    },
  );
  addRoute(
    server,
    {
      group: 'People',
      access: 'person',
      method: 'GET',
      url: '/blocks',
      about: 'Users whom the caller has blocked.',
      answer: usersSchema,
    },
    async ({ request }) => ({
      users: await show(await withSocialProblems(social.getBlockedList(requireIdentity(request).userId))),
    }),
  );
  addRoute(
    server,
    {
      group: 'People',
      access: 'owner',
      method: 'POST',
      url: '/users',
      about: 'Creates a user who can post and be followed; to sign in, a person needs an invitation.',
      body: newUserSchema,
      answer: userSchema,
      status: 201,
      problems: [409],
      bodyLimit: 16 * 1024,
    },
    async ({ body: { name, displayName = name, kind } }) =>
      withSocialProblems(social.addUser({ name, displayName, kind })),
  );
}
