import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Item, ItemKey } from '../../item/item.ts';
import { REASONS, STATES } from '../../item/lifecycle.ts';
import type { ItemFilter } from '../../ledger/ledger.ts';
import type { Delivery } from '../../press/outbox.ts';
import type {
  ItemExplanation,
  JudgeSpend,
  Newsroom,
  NewsroomInfo,
  PipelineStatus,
  SourceStatus,
} from '../newsroom.ts';
import { badRequest, notFound } from '../problem.ts';
import { limitUpTo, readQuery, wordsOf } from '../query.ts';

/** Where an item was posted, without the message itself. */
export type ShownDelivery = Pick<
  Delivery,
  'destination' | 'state' | 'remoteUrl' | 'detail' | 'attempts' | 'createdAt' | 'updatedAt'
>;

export interface ItemsBody {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface ItemBody extends Omit<ItemExplanation, 'deliveries'> {
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

const itemsQuery = z.strictObject({
  pipeline: z.string({ error: 'say which pipeline: ?pipeline=…' }),
  state: wordsOf(STATES).optional(),
  reason: wordsOf(REASONS).optional(),
  source: z.string().max(200, 'has at most 200 characters').optional(),
  q: z.string().max(200, 'has at most 200 characters').optional(),
  limit: limitUpTo(100, 30),
  cursor: z.string().max(2000, 'is not a cursor from an earlier answer').optional(),
});

const itemQuery = z.strictObject({
  pipeline: z.string({ error: 'say which pipeline: ?pipeline=…' }),
  key: z.string({ error: 'say which item: ?key=…' }).max(10_000, 'is too long for a key'),
});

export function newsroomRoutes(server: FastifyInstance, newsroom: Newsroom, now: () => number): void {
  server.get('/newsroom', async (): Promise<NewsroomBody> => ({ ...newsroom.info, now: now() }));

  server.get('/pipelines', async (): Promise<PipelinesBody> => ({ pipelines: await newsroom.pipelines() }));

  server.get<{ Params: { id: string } }>('/pipelines/:id', async (request): Promise<PipelineStatus> => {
    const pipelines = await newsroom.pipelines();
    const pipeline = pipelines.find((candidate) => candidate.id === request.params.id);
    if (!pipeline) throw notFound(`pipeline "${request.params.id.slice(0, 80)}"`);
    return pipeline;
  });

  server.get('/items', async (request): Promise<ItemsBody> => {
    const query = readQuery(itemsQuery, request.query);
    const page = await newsroom.items(query.pipeline, toFilter(query)).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'BadCursorError')
        throw badRequest([{ field: 'cursor', detail: 'is not a cursor from an earlier answer' }]);
      throw error;
    });
    if (!page) throw notFound(`pipeline "${query.pipeline.slice(0, 80)}"`);
    return page;
  });

  server.get('/item', async (request): Promise<ItemBody> => {
    const { pipeline, key } = readQuery(itemQuery, request.query);
    const explanation = await newsroom.explain(pipeline, key as ItemKey);
    if (!explanation) throw notFound('such item in this pipeline');
    return { ...explanation, deliveries: explanation.deliveries.map(showDelivery) };
  });

  server.get('/sources', async (): Promise<SourcesBody> => ({ sources: await newsroom.sources() }));

  server.get('/judges', async (): Promise<JudgesBody> => ({ judges: await newsroom.judges() }));

  server.get('/users', async () => ({ users: await newsroom.social.listUsers() }));

  server.get<{ Params: { id: string } }>('/users/:id', async (request) => {
    const user = await newsroom.social.findUser(request.params.id);
    if (!user) throw notFound(`user "${request.params.id.slice(0, 80)}"`);
    return user;
  });
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
