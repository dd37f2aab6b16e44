import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Identity } from '../../auth/identity.ts';
import type { Learning } from '../../learning/learning.ts';
import type { ListedStory, Timespan } from '../../stories/story.ts';
import { MAX_PAGE_SIZE } from '../../stories/story-reader.ts';
import type { StorySet } from '../../stories/story-sets.ts';
import { requireIdentity } from './auth.ts';
import type { Newsroom } from './newsroom.ts';
import { badRequest, notFound, ProblemError } from './problem.ts';
import { addRoute, limitParameter, type RouteDefinition } from './route.ts';
import { cursorSchema, timeSchema } from './schemas.ts';

/** The five lists as they are spelled in requests. Same as in the port, from which only types may be imported. */
const TIMESPAN_NAMES = ['Day', 'Week', 'Month', 'Year', 'All'] as const satisfies readonly Timespan[];
const MAX_SKIP = 10_000;
/** A guest's browser may have collected many before signing in. */
const MAX_IDS = 50_000;
/** Of one request: what a guest had hidden says little about today. */
const MAX_LEARNED_IDS = 20;

/** A page of a list. */
export interface StoriesBody {
  readonly set: string;
  readonly timespan: Timespan;
  readonly stories: readonly ListedStory[];
  /** Token of the next page of the same list; `null` at the end. */
  readonly next: string | null;
  /** Token of the start of the same list, for `page` together with `skip`. */
  readonly list: string;
  readonly rankedAt: number;
}

/** A set: Hacker News, or the stories scored by a pipeline's judge. */
export interface StorySetsBody {
  readonly sets: readonly Pick<StorySet, 'name' | 'title' | 'comments'>[];
}

export interface HiddenBody {
  readonly hidden: readonly { readonly id: number; readonly addedAt: number }[];
  readonly next: string | null;
}

const storyId = z
  .number('must be a non-negative whole number')
  .int('must be a non-negative whole number')
  .min(0, 'must be a non-negative whole number')
  .max(Number.MAX_SAFE_INTEGER, 'is larger than any ID');
const skip = z
  .string()
  .regex(/^\d{1,6}$/, `must be a whole number from 0 to ${MAX_SKIP}`)
  .transform(Number)
  .pipe(z.number().max(MAX_SKIP, `must be a whole number from 0 to ${MAX_SKIP}`))
  .default(0);

const setName = z
  .string()
  .max(200, 'is not known')
  .optional()
  .describe('A set by its name from `/stories/sets`; the first one by default.');

const storySchema = z.object({
  id: z.number().int(),
  by: z.string(),
  descendants: z.number().int().describe('Comments.'),
  score: z.number().int(),
  time: timeSchema,
  title: z.string(),
  url: z.string().describe('Empty for a text post.'),
});

const storiesRoute = (pageSize: number) =>
  ({
    method: 'GET',
    url: '/stories',
    about:
      'The best stories of a day, week, month, year or of all time, by score. Leaves out what the caller has hidden.',
    group: 'Stories',
    access: 'everybody',
    query: z.strictObject({
      timespan: z.enum(TIMESPAN_NAMES, `must be one of ${TIMESPAN_NAMES.join(', ')}`).default('Day'),
      limit: limitParameter(MAX_PAGE_SIZE, pageSize),
      skip: skip.describe('Number of stories to skip.'),
      page: z
        .string()
        .max(2000, 'is not from an earlier answer')
        .optional()
        .describe('`next` or `list` of an earlier answer: the same list as it was then, whatever changed.'),
      set: setName,
    }),
    answer: z.object({
      set: z.string(),
      timespan: z.enum(TIMESPAN_NAMES),
      stories: z.array(storySchema).readonly(),
      next: cursorSchema,
      list: z.string(),
      rankedAt: timeSchema,
    }),
    problems: [404, 410],
  }) as const satisfies RouteDefinition;

const SETS_ROUTE = {
  method: 'GET',
  url: '/stories/sets',
  about: 'Sets of stories: Hacker News, and those scored by the judges of pipelines.',
  group: 'Stories',
  access: 'everybody',
  answer: z.object({
    sets: z
      .array(
        z.object({
          name: z.string(),
          title: z.string(),
          comments: z
            .string()
            .nullable()
            .describe('Address of the comments on a story, to which its ID is appended.'),
        }),
      )
      .readonly(),
  }),
} as const satisfies RouteDefinition;

const hiddenRoutes = { group: 'Stories', access: 'person' } as const;
const LIST_HIDDEN_ROUTE = {
  ...hiddenRoutes,
  method: 'GET',
  url: '/hidden',
  about: 'Stories that the caller has hidden, the last hidden first.',
  query: z.strictObject({
    limit: limitParameter(10_000, 1000),
    after: z
      .string()
      .regex(/^\d{1,16}-\d{1,16}$/, 'is not from an earlier answer')
      .optional(),
  }),
  answer: z.object({
    hidden: z.array(z.object({ id: z.number().int(), addedAt: timeSchema })).readonly(),
    next: cursorSchema,
  }),
} as const satisfies RouteDefinition;

/** One story, or many at once. IDs of different sets never collide, so the set is optional. */
const storyIdsSchema = z.union(
  [
    z.strictObject({ set: setName, id: storyId }),
    z.strictObject({
      set: setName,
      ids: z.array(storyId).max(MAX_IDS, `has at most ${MAX_IDS} IDs`),
    }),
  ],
  'must be {"id": …} or {"ids": […]} with non-negative whole numbers',
);

const HIDE_ROUTE = {
  ...hiddenRoutes,
  method: 'POST',
  url: '/hidden',
  about: 'Hides a story, or many at once: `{"id": 1}` or `{"ids": [1, 2]}`. Idempotent.',
  body: storyIdsSchema,
} as const satisfies RouteDefinition;

const UNHIDE_ROUTE = {
  ...hiddenRoutes,
  method: 'DELETE',
  url: '/hidden',
  about: 'Unhides one or more stories. Ignores those that are not hidden.',
  body: storyIdsSchema,
} as const satisfies RouteDefinition;

const UNHIDE_ONE_ROUTE = {
  ...hiddenRoutes,
  method: 'DELETE',
  url: '/hidden/:id',
  about: 'Unhides a story. Ignores one that is not hidden.',
  params: z.object({
    id: z
      .string()
      .regex(/^\d{1,16}$/, 'must be a non-negative whole number')
      .transform(Number)
      .pipe(storyId),
  }),
  query: z.strictObject({ set: setName }),
} as const satisfies RouteDefinition;

/** Ranked stories, and those that a user has hidden (E7, E3). */
export function storyRoutes(
  server: FastifyInstance,
  storySets: Newsroom['stories'],
  learning: Learning | null,
): void {
  addRoute(
    server,
    SETS_ROUTE,
    async (): Promise<StorySetsBody> => ({
      sets: storySets?.sets.map(({ name, title, comments }) => ({ name, title, comments })) ?? [],
    }),
  );
  if (storySets === undefined) return;
  const unhide = async ({ name, userId }: Identity, ids: readonly number[]): Promise<void> => {
    await storySets.unhide(name, ids);
    await learning?.unhid(userId, await storySets.stories(ids.slice(0, MAX_LEARNED_IDS)));
  };
  addRoute(server, storiesRoute(storySets.pageSize), async ({ query, request, reply }) => {
    const set = storySets.find(query.set);
    if (set === null) throw unknownSet(query.set ?? '', storySets.sets);
    const { timespan, limit, page } = query;
    const answer = await storySets.page(set, {
      timespan,
      limit,
      skip: query.skip,
      ...(page !== undefined && { page }),
      ...(request.identity !== null && { username: request.identity.name }),
    });
    if (answer.outcome === 'not_a_page')
      throw badRequest([{ field: 'page', detail: 'is not from an earlier answer about this list' }]);
    if (answer.outcome === 'gone')
      throw new ProblemError({
        status: 410,
        code: 'list_expired',
        title: 'The list has expired',
        detail: 'It is too old to continue. Request it again without `page`.',
      });
    return withEtag({ set: set.name, timespan, ...answer.page }, request, reply);
  });
  addRoute(server, LIST_HIDDEN_ROUTE, async ({ query, request }): Promise<HiddenBody> => {
    const [addedAt, id] = (query.after ?? '').split('-').map(Number);
    const after = addedAt !== undefined && id !== undefined ? { addedAt, id } : undefined;
    const { stories, more } = await storySets.hidden(requireIdentity(request).name, {
      limit: query.limit,
      ...(after && { after }),
    });
    const last = stories.at(-1);
    return { hidden: stories, next: more && last ? `${last.addedAt}-${last.id}` : null };
  });
  addRoute(server, HIDE_ROUTE, async ({ body, request }) => {
    const { name, userId } = requireIdentity(request);
    const ids = 'ids' in body ? body.ids : [body.id];
    await storySets.hide(name, ids);
    await learning?.hid(userId, await storySets.stories(ids.slice(0, MAX_LEARNED_IDS)));
  });
  addRoute(server, UNHIDE_ROUTE, async ({ body, request }) => {
    await unhide(requireIdentity(request), 'ids' in body ? body.ids : [body.id]);
  });
  addRoute(server, UNHIDE_ONE_ROUTE, async ({ params, request }) => {
    await unhide(requireIdentity(request), [params.id]);
  });
}

function unknownSet(name: string, sets: readonly StorySet[]): ProblemError {
  return notFound(
    `set of stories "${name.slice(0, 80)}": there are ${sets.map((set) => set.name).join(', ')}`,
  );
}

/** The ETag depends on the stories, not on the tokens: an older token for the same page is just as good. */
function withEtag(body: StoriesBody, request: FastifyRequest, reply: FastifyReply): unknown {
  const hash = createHash('sha1').update(JSON.stringify([body.set, body.timespan, body.stories]));
  const tag = `W/"${hash.digest('base64url')}"`;
  reply
    .header('etag', tag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'cookie, authorization');
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim());
  if (!known.includes(tag)) return body;
  return reply.code(304).send();
}
