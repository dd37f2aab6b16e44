import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Item, ItemKey } from '../../item/item.ts';
import { REASONS, STATES } from '../../item/lifecycle.ts';
import type { JudgeSpend } from '../../judge/judge.ts';
import { BadCursorError } from '../../ledger/filter.ts';
import type { ItemFilter } from '../../ledger/ledger.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import type { SignedImageUrls } from './image-routes.ts';
import type { ItemExplanation, Newsroom, NewsroomInfo, PipelineStatus, Viewer } from './newsroom.ts';
import { badRequest, notFound } from './problem.ts';
import { addRoute, cursorParameter, limitParameter, listParameter } from './route.ts';
import {
  cursorSchema,
  explanationSchema,
  itemSchema,
  judgeSpendSchema,
  pipelineStatusSchema,
  sourceStatusSchema,
  timeSchema,
  userSchema,
} from './schemas.ts';
import { search } from './search.ts';

/** Where an item was published, without the message itself. */
export type ShownDelivery = Pick<
  Delivery,
  'destination' | 'state' | 'remoteUrl' | 'detail' | 'attempts' | 'createdAt' | 'updatedAt'
>;

export interface ItemsBody {
  readonly items: readonly ShownItem[];
  readonly next: string | null;
}

/** An item with the proxied URL of its picture; `null` if there is none, or pictures are off. */
export interface ShownItem extends Item {
  readonly image: string | null;
}

export interface ItemBody extends Omit<ItemExplanation, 'deliveries' | 'item'> {
  readonly item: ShownItem;
  readonly deliveries: readonly ShownDelivery[];
}

export interface NewsroomBody extends NewsroomInfo {
  readonly now: number;
}

export interface PipelinesBody {
  readonly pipelines: readonly PipelineStatus[];
}

export interface SourcesBody {
  readonly sources: readonly SourceStatus[];
}

export interface JudgesBody {
  readonly judges: readonly JudgeSpend[];
}

const newsroomSchema = z.object({
  name: z.string(),
  version: z.string(),
  engine: z.enum(['embedded', 'distributed']),
  sample: z.boolean(),
  startedAt: timeSchema,
  now: timeSchema,
});

const itemsQuery = z.strictObject({
  pipeline: z.string({ error: 'say which pipeline: ?pipeline=…' }),
  state: listParameter(STATES).optional(),
  reason: listParameter(REASONS).optional(),
  source: z
    .string()
    .max(200, 'has at most 200 characters')
    .optional()
    .describe('Only what this source carried first.'),
  q: z
    .string()
    .max(200, 'has at most 200 characters')
    .optional()
    .describe('A part of the title or of the address.'),
  limit: limitParameter(100, 30),
  cursor: cursorParameter(2000),
});

const searchQuery = z.strictObject({
  q: z
    .string('say what to look for: ?q=…')
    .trim()
    .min(1, 'say what to look for')
    .max(200, 'has at most 200 characters')
    .describe('A part of a title or of an address.'),
  limit: limitParameter(100, 30),
  cursor: cursorParameter(3000),
});

const itemQuery = z.strictObject({
  pipeline: z.string({ error: 'say which pipeline: ?pipeline=…' }),
  key: z.string({ error: 'say which item: ?key=…' }).max(10_000, 'is too long for a key'),
});

const NOT_FOUND = [404] as const;

/** The public part of the newsroom. */
export function newsroomRoutes(
  server: FastifyInstance,
  newsroom: Newsroom,
  now: () => number,
  images: SignedImageUrls | null,
): void {
  const show = (shown: Item): ShownItem => ({ ...shown, image: images?.pathFor(shown.imageUrl) ?? null });
  const get = { method: 'GET', group: 'Newsroom', access: 'everybody' } as const;
  const byId = z.object({ id: z.string() });

  addRoute(
    server,
    {
      ...get,
      url: '/newsroom',
      about: 'Name, version and engine of this newsroom.',
      answer: newsroomSchema,
      access: 'open',
    },
    async (): Promise<NewsroomBody> => ({ ...newsroom.info, now: now() }),
  );
  addRoute(
    server,
    {
      ...get,
      url: '/pipelines',
      about: 'Every pipeline with its state, its last and next run and its counts.',
      answer: z.object({ pipelines: z.array(pipelineStatusSchema) }),
    },
    async ({ request }): Promise<PipelinesBody> => ({
      pipelines: await newsroom.pipelines(viewerOf(request)),
    }),
  );
  addRoute(
    server,
    {
      ...get,
      url: '/pipelines/:id',
      about: 'One pipeline.',
      params: byId,
      answer: pipelineStatusSchema,
      problems: NOT_FOUND,
    },
    async ({ params: { id }, request }): Promise<PipelineStatus> => {
      const pipeline = (await newsroom.pipelines(viewerOf(request))).find((candidate) => candidate.id === id);
      if (!pipeline) throw notFound(`pipeline "${id.slice(0, 80)}"`);
      return pipeline;
    },
  );
  addRoute(
    server,
    {
      ...get,
      url: '/items',
      about: 'The items of a pipeline, the newest change first; by state, reason, source and words.',
      query: itemsQuery,
      answer: z.object({ items: z.array(itemSchema), next: cursorSchema }),
      problems: NOT_FOUND,
    },
    async ({ query, request }): Promise<ItemsBody> => {
      const page = await newsroom
        .items(query.pipeline, toFilter(query), viewerOf(request))
        .catch(rejectBadCursor);
      if (!page) throw notFound(`pipeline "${query.pipeline.slice(0, 80)}"`);
      return { items: page.items.map(show), next: page.next };
    },
  );
  addRoute(
    server,
    {
      ...get,
      url: '/search',
      about:
        'Items of every pipeline whose title or address contains these words; one pipeline after the other.',
      query: searchQuery,
      answer: z.object({ items: z.array(itemSchema.extend({ pipeline: z.string() })), next: cursorSchema }),
    },
    async ({ query, request }) => {
      const { items, next } = await search(newsroom, query, viewerOf(request));
      return { items: items.map((found) => ({ ...show(found), pipeline: found.pipeline })), next };
    },
  );
  addRoute(
    server,
    {
      ...get,
      url: '/item',
      about: 'All details of one item: why it was chosen, its history, where it was published.',
      query: itemQuery,
      answer: explanationSchema,
      problems: NOT_FOUND,
    },
    async ({ query: { pipeline, key }, request }): Promise<ItemBody> => {
      const known = await newsroom.explain(pipeline, key as ItemKey, viewerOf(request));
      if (!known) throw notFound('such item in this pipeline');
      return { ...known, item: show(known.item), deliveries: known.deliveries.map(showDelivery) };
    },
  );
  addRoute(
    server,
    {
      ...get,
      url: '/sources',
      about: 'Every source with its health and its last failure.',
      answer: z.object({ sources: z.array(sourceStatusSchema) }),
    },
    async ({ request }): Promise<SourcesBody> => ({ sources: await newsroom.sources(viewerOf(request)) }),
  );
  addRoute(
    server,
    {
      ...get,
      url: '/sources/:id',
      about: 'One source with its health and its last failure.',
      params: z.object({ id: z.string() }),
      answer: sourceStatusSchema,
      problems: [404],
    },
    async ({ params, request }): Promise<SourceStatus> => {
      const source = (await newsroom.sources(viewerOf(request))).find(({ id }) => id === params.id);
      if (source === undefined) throw notFound('such source');
      return source;
    },
  );
  addRoute(
    server,
    {
      ...get,
      url: '/folders',
      about: 'The folders of the sources, with the number of sources in each, nested ones included.',
      answer: z.object({
        folders: z.array(z.object({ path: z.array(z.string()).readonly(), sources: z.number() })).readonly(),
      }),
    },
    async () => ({ folders: newsroom.folders() }),
  );
  addRoute(
    server,
    {
      ...get,
      url: '/judges',
      about: 'What each remote judge has spent, with its limits, and for signed-in users its last failure.',
      answer: z.object({ judges: z.array(judgeSpendSchema) }),
    },
    async ({ request }): Promise<JudgesBody> => {
      const judges = await newsroom.judges();
      // A message of another server may name an account there: not for guests.
      if (request.identity === null) return { judges: judges.map((judge) => ({ ...judge, trouble: null })) };
      return { judges };
    },
  );
  addRoute(
    server,
    {
      ...get,
      url: '/users',
      about: 'All users that can be followed, including pipelines and sources, ordered by name.',
      answer: z.object({ users: z.array(userSchema) }),
      group: 'People',
    },
    async () => ({ users: await newsroom.social.listUsers() }),
  );
  addRoute(
    server,
    {
      ...get,
      url: '/users/:id',
      about: 'One user, by ID or name.',
      params: byId,
      answer: userSchema,
      group: 'People',
      problems: NOT_FOUND,
    },
    async ({ params: { id } }) => {
      const found = await newsroom.social.findUser(id);
      if (!found) throw notFound(`user "${id.slice(0, 80)}"`);
      return found;
    },
  );
}

function viewerOf({ identity }: FastifyRequest): Viewer {
  return identity?.role === 'owner' ? 'owner' : 'guest';
}

export function rejectBadCursor(error: unknown): never {
  if (error instanceof BadCursorError)
    throw badRequest([{ field: 'cursor', detail: 'is not a cursor from an earlier answer' }]);
  throw error;
}

function toFilter(query: z.infer<typeof itemsQuery>): ItemFilter {
  const text = query.q?.trim();
  return {
    limit: query.limit,
    ...(query.state ? { states: query.state } : {}),
    ...(query.reason ? { reasons: query.reason } : {}),
    ...(query.source ? { sourceId: query.source } : {}),
    ...(text ? { text } : {}),
    ...(query.cursor ? { cursor: query.cursor } : {}),
  };
}

function showDelivery(delivery: Delivery): ShownDelivery {
  const { destination, state, remoteUrl, detail, attempts, createdAt, updatedAt } = delivery;
  return { destination, state, remoteUrl, detail, attempts, createdAt, updatedAt };
}
