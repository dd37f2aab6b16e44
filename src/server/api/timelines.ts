import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Drop, User } from '../../social/services.ts';
import { DEFAULT_LIMIT, LARGEST_LIMIT } from '../../timeline/timeline-reader.ts';
import type { TimelineName } from '../../timeline/timeline-store.ts';
import { personWith } from '../auth/guards.ts';
import { addRoute, type RouteForm } from '../frame/route.ts';
import type { Newsroom } from '../newsroom.ts';
import { badRequest, notFound } from '../problem.ts';
import { limitUpTo } from '../query.ts';
import { shownDrop, timelinePage } from './shapes.ts';

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
  since_id: z.string().optional().describe('Only what is newer: the `newer` cursor, or the ID of a drop.'),
  max_id: z.string().optional().describe('Only what is older: the `older` cursor, or the ID of a drop.'),
});

const OF_EVERYBODY: Readonly<Record<string, TimelineName>> = {
  local: 'timeline:local',
  global: 'timeline:global',
};

const TIMELINE = {
  method: 'GET',
  url: '/timelines/:name',
  about: 'A page of a timeline, the newest first: `local`, `global`, or the `home` of whoever asks.',
  group: 'Timelines',
  access: 'everybody',
  params: z.object({ name: z.string().describe('local, global or home') }),
  query: pageQuery,
  answer: timelinePage,
  problems: [404],
} as const satisfies RouteForm;

const DROP = {
  method: 'GET',
  url: '/drops/:id',
  about: 'One drop, where whoever asks may see it.',
  group: 'Timelines',
  access: 'everybody',
  params: z.object({ id: z.string() }),
  answer: shownDrop,
  problems: [404],
} as const satisfies RouteForm;

export function timelineRoutes(server: FastifyInstance, newsroom: Newsroom): void {
  addRoute(server, TIMELINE, async ({ params, query, request }): Promise<TimelineBody> => {
    const timeline = namedTimeline(params.name, request);
    const { limit, since_id: sinceId, max_id: maxId } = query;
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

  addRoute(server, DROP, async ({ params, request }): Promise<ShownDrop> => {
    const [drop] = await showDrops([params.id], newsroom);
    if (drop === undefined) throw notFound('such drop');
    const own = drop.author.id === request.identity?.userId;
    if (drop.visibility !== 'public' && drop.visibility !== 'unlisted' && !own) throw notFound('such drop');
    return drop;
  });
}

/** The timeline with this name. `home` is that of whoever asks, and of nobody else. */
export function namedTimeline(name: string, request: FastifyRequest): TimelineName {
  if (name === 'home') return `timeline:home:${personWith(request, 'read').userId}`;
  const timeline = Object.hasOwn(OF_EVERYBODY, name) ? OF_EVERYBODY[name] : undefined;
  if (timeline === undefined)
    throw notFound(`timeline "${name.slice(0, 40)}": there are local, global and home`);
  return timeline;
}

export async function showDrops(ids: readonly string[], { social }: Newsroom): Promise<readonly ShownDrop[]> {
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
