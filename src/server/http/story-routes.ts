import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ListedStory, Timespan } from '../../stories/story.ts';
import { MAX_PAGE_SIZE } from '../../stories/story-reader.ts';
import type { StorySet } from '../../stories/story-sets.ts';
import { requireIdentity } from './auth.ts';
import type { Newsroom } from './newsroom.ts';
import { badRequest, notFound, ProblemError } from './problem.ts';
import { addRoute, limitParameter, type RouteDefinition } from './route.ts';
import { cursorSchema, timeSchema } from './schemas.ts';

/** The five lists, as an address names them. The port has the same; types alone may cross. */
const TIMESPAN_NAMES = ['Day', 'Week', 'Month', 'Year', 'All'] as const satisfies readonly Timespan[];
const MAX_SKIP = 10_000;
/** A guest's browser may have kept many until somebody signs in. */
const MAX_IDS = 50_000;

/** A page of a list. */
export interface StoriesBody {
  readonly set: string;
  readonly timespan: Timespan;
  readonly stories: readonly ListedStory[];
  /** The next page of the very same list; `null` at the end. */
  readonly next: string | null;
  /** The very same list from its beginning, for `page` together with `skip`. */
  readonly list: string;
  readonly rankedAt: number;
}

/** Whose stories are ranked here: Hacker News', or what a pipeline's judge scored. */
export interface StorySetsBody {
  readonly sets: readonly { readonly name: string; readonly title: string }[];
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
  .describe('Whose stories, by a name from `/stories/sets`; the first of them where absent.');

const storySchema = z.object({
  id: z.number().int(),
  by: z.string(),
  descendants: z.number().int().describe('Comments.'),
  score: z.number().int(),
  time: timeSchema,
  title: z.string(),
  url: z.string().describe('Empty for a text of its own.'),
});

const storiesRoute = (pageSize: number) =>
  ({
    method: 'GET',
    url: '/stories',
    about:
      'The best stories of a day, week, month, year or of all time, by score. What whoever asks has hidden is left out.',
    group: 'Stories',
    access: 'everybody',
    query: z.strictObject({
      timespan: z.enum(TIMESPAN_NAMES, `must be one of ${TIMESPAN_NAMES.join(', ')}`).default('Day'),
      limit: limitParameter(MAX_PAGE_SIZE, pageSize),
      skip: skip.describe('So many are passed over.'),
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
  about: 'Whose stories are ranked here: Hacker News’, and what the judges of pipelines scored.',
  group: 'Stories',
  access: 'everybody',
  answer: z.object({ sets: z.array(z.object({ name: z.string(), title: z.string() })).readonly() }),
} as const satisfies RouteDefinition;

const hiddenRoutes = { group: 'Stories', access: 'person' } as const;
const LIST_HIDDEN_ROUTE = {
  ...hiddenRoutes,
  method: 'GET',
  url: '/hidden',
  about: 'What whoever asks has hidden, the last first.',
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

/** One story, or many at once. IDs of different sets never meet, so a set may be named but need not be. */
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
  about:
    'Hides a story, or many at once: `{"id": 1}` or `{"ids": [1, 2]}`. Hiding twice is the same as once.',
  body: storyIdsSchema,
} as const satisfies RouteDefinition;

const UNHIDE_ROUTE = {
  ...hiddenRoutes,
  method: 'DELETE',
  url: '/hidden',
  about: 'Takes hiding back, of one story or of many. For what is not hidden nothing happens.',
  body: storyIdsSchema,
} as const satisfies RouteDefinition;

const UNHIDE_ONE_ROUTE = {
  ...hiddenRoutes,
  method: 'DELETE',
  url: '/hidden/:id',
  about: 'Takes hiding back. For a story that is not hidden nothing happens.',
  params: z.object({
    id: z
      .string()
      .regex(/^\d{1,16}$/, 'must be a non-negative whole number')
      .transform(Number)
      .pipe(storyId),
  }),
  query: z.strictObject({ set: setName }),
} as const satisfies RouteDefinition;

/** Ranked stories, and what somebody does not want to see again (E7, E3). */
export function storyRoutes(server: FastifyInstance, desk: Newsroom['stories']): void {
  addRoute(
    server,
    SETS_ROUTE,
    async (): Promise<StorySetsBody> => ({
      sets: desk?.sets.map(({ name, title }) => ({ name, title })) ?? [],
    }),
  );
  if (desk === undefined) return;
  addRoute(server, storiesRoute(desk.pageSize), async ({ query, request, reply }) => {
    const set = desk.find(query.set);
    if (set === null) throw unknownSet(query.set ?? '', desk.sets);
    const { timespan, limit, page } = query;
    const answer = await desk.page(set, {
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
        title: 'The list has moved on',
        detail: 'It was read too long ago to be gone on with. Ask again without `page`.',
      });
    return withEtag({ set: set.name, timespan, ...answer.page }, request, reply);
  });
  addRoute(server, LIST_HIDDEN_ROUTE, async ({ query, request }): Promise<HiddenBody> => {
    const [addedAt, id] = (query.after ?? '').split('-').map(Number);
    const after = addedAt !== undefined && id !== undefined ? { addedAt, id } : undefined;
    const { stories, more } = await desk.hidden(requireIdentity(request).name, {
      limit: query.limit,
      ...(after && { after }),
    });
    const last = stories.at(-1);
    return { hidden: stories, next: more && last ? `${last.addedAt}-${last.id}` : null };
  });
  addRoute(server, HIDE_ROUTE, async ({ body, request }) => {
    await desk.hide(requireIdentity(request).name, 'ids' in body ? body.ids : [body.id]);
  });
  addRoute(server, UNHIDE_ROUTE, async ({ body, request }) => {
    await desk.unhide(requireIdentity(request).name, 'ids' in body ? body.ids : [body.id]);
  });
  addRoute(server, UNHIDE_ONE_ROUTE, async ({ params, request }) => {
    await desk.unhide(requireIdentity(request).name, [params.id]);
  });
}

function unknownSet(name: string, sets: readonly StorySet[]): ProblemError {
  return notFound(
    `set of stories "${name.slice(0, 80)}": there are ${sets.map((set) => set.name).join(', ')}`,
  );
}

/** The stories make the tag, not the tokens: whoever has the same page has as good a way on from it. */
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
