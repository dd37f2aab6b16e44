import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Drop, User } from '../../social/services.ts';
import { DEFAULT_LIMIT, LARGEST_LIMIT } from '../../timeline/timeline-reader.ts';
import type { TimelineName } from '../../timeline/timeline-store.ts';
import { personOf } from '../auth/guards.ts';
import type { Newsroom } from '../newsroom.ts';
import { badRequest, notFound } from '../problem.ts';
import { limitUpTo, readQuery } from '../query.ts';

/** A drop as readers get it: with its author, so that a page needs one request. */
export interface ShownDrop extends Omit<Drop, 'userId'> {
  readonly author: Pick<User, 'id' | 'name' | 'displayName' | 'kind'>;
}

export interface TimelineBody {
  readonly drops: readonly ShownDrop[];
  readonly cursors: { readonly older: string | null; readonly newer: string };
}

const pageQuery = z.strictObject({
  limit: limitUpTo(LARGEST_LIMIT, DEFAULT_LIMIT),
  since_id: z.string().optional(),
  max_id: z.string().optional(),
});

const OF_EVERYBODY: Readonly<Record<string, TimelineName>> = {
  local: 'timeline:local',
  global: 'timeline:global',
};

export function timelineRoutes(server: FastifyInstance, newsroom: Newsroom): void {
  server.get<{ Params: { name: string } }>('/timelines/:name', async (request): Promise<TimelineBody> => {
    const timeline = namedTimeline(request.params.name, request);
    const { limit, since_id: sinceId, max_id: maxId } = readQuery(pageQuery, request.query);
    const answer = await newsroom.timelines.page(timeline, {
      limit,
      ...(sinceId === undefined ? {} : { sinceId }),
      ...(maxId === undefined ? {} : { maxId }),
    });
    if (!answer.ok) throw badRequest([{ field: answer.field, detail: answer.why }]);
    const { entries, older, newer } = answer.page;
    const drops = await showDrops(
      entries.map((entry) => entry.id),
      newsroom,
    );
    return { drops, cursors: { older, newer } };
  });

  server.get<{ Params: { id: string } }>('/drops/:id', async (request): Promise<ShownDrop> => {
    const [drop] = await showDrops([request.params.id], newsroom);
    if (drop?.visibility !== 'public') throw notFound('such drop');
    return drop;
  });
}

/** The timeline with this name. `home` is that of whoever asks, and of nobody else. */
export function namedTimeline(name: string, request: FastifyRequest): TimelineName {
  if (name === 'home') return `timeline:home:${personOf(request).userId}`;
  const timeline = Object.hasOwn(OF_EVERYBODY, name) ? OF_EVERYBODY[name] : undefined;
  if (timeline === undefined)
    throw notFound(`timeline "${name.slice(0, 40)}": there are local, global and home`);
  return timeline;
}

async function showDrops(ids: readonly string[], { social }: Newsroom): Promise<readonly ShownDrop[]> {
  const drops = await social.getDrops(ids);
  const authors = new Map<string, User | null>();
  for (const { userId } of drops)
    if (!authors.has(userId)) authors.set(userId, await social.findUser(userId));
  return drops.map(({ userId, ...drop }) => {
    const author = authors.get(userId);
    const { id, name, displayName, kind } = author ?? {
      id: userId,
      name: '',
      displayName: '',
      kind: 'person',
    };
    return { ...drop, author: { id, name, displayName, kind } };
  });
}
