import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ItemEntry, Reader } from '../../reader/reader.ts';
import { newPersonalDrop } from '../../social/rules.ts';
import type { Drop, User } from '../../social/social-store.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, type TimelineName } from '../../timelines/timeline-store.ts';
import { requireIdentity, requireScope } from './auth.ts';
import type { Newsroom } from './newsroom.ts';
import { badRequest, notFound, ProblemError, withSocialProblems } from './problem.ts';
import { addRoute, limitParameter, type RouteDefinition } from './route.ts';
import { dropSchema, timelinePageSchema } from './schemas.ts';

/** A drop with its author, so that a page needs only one request. */
export interface ShownDrop extends Omit<Drop, 'userId'> {
  readonly author: Pick<User, 'id' | 'name' | 'displayName' | 'kind'>;
  /** The entry of its item in the reader. */
  readonly entry: ItemEntry | null;
}

export interface DropDependencies {
  readonly newsroom: Newsroom;
  /** `null`: this replica has no entries. */
  readonly reader: Pick<Reader, 'ofItems'> | null;
}

export interface TimelineBody {
  readonly drops: readonly ShownDrop[];
  readonly cursors: { readonly older: string | null; readonly newer: string };
}

const pageQuery = z.strictObject({
  limit: limitParameter(MAX_LIMIT, DEFAULT_LIMIT),
  since_id: z.string().optional().describe('Only what is newer: the `newer` cursor, or the ID of a drop.'),
  max_id: z.string().optional().describe('Only what is older: the `older` cursor, or the ID of a drop.'),
});

const SHARED_TIMELINES: Readonly<Record<string, TimelineName>> = {
  local: 'timeline:local',
  global: 'timeline:global',
};

const TIMELINE_ROUTE = {
  method: 'GET',
  url: '/timelines/:name',
  about: 'A page of a timeline, the newest first: `local`, `global`, or the caller’s `home`.',
  group: 'Timelines',
  access: 'everybody',
  params: z.object({ name: z.string().describe('local, global or home') }),
  query: pageQuery,
  answer: timelinePageSchema,
  problems: [404],
} as const satisfies RouteDefinition;

const DROP_ROUTE = {
  method: 'GET',
  url: '/drops/:id',
  about: 'One drop, if the caller may see it.',
  group: 'Timelines',
  access: 'everybody',
  params: z.object({ id: z.string() }),
  answer: dropSchema,
  problems: [404],
} as const satisfies RouteDefinition;

export function timelineRoutes(server: FastifyInstance, deps: DropDependencies): void {
  const { newsroom } = deps;
  addRoute(server, TIMELINE_ROUTE, async ({ params, query, request }): Promise<TimelineBody> => {
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
      request.identity?.userId ?? null,
      deps,
    );
    return { drops, cursors: { older, newer } };
  });

  addRoute(server, DROP_ROUTE, async ({ params, request }): Promise<ShownDrop> => {
    const [drop] = await showDrops([params.id], request.identity?.userId ?? null, deps);
    if (drop === undefined) throw notFound('such post');
    const own = drop.author.id === request.identity?.userId;
    if (drop.visibility !== 'public' && drop.visibility !== 'unlisted' && !own) throw notFound('such post');
    return drop;
  });
}

/** The key of the timeline with this name. `home` is always the caller's own. */
export function namedTimeline(name: string, request: FastifyRequest): TimelineName {
  if (name === 'home') return `timeline:home:${requireScope(request, 'read').userId}`;
  const timeline = Object.hasOwn(SHARED_TIMELINES, name) ? SHARED_TIMELINES[name] : undefined;
  if (timeline === undefined)
    throw notFound(`timeline "${name.slice(0, 40)}": there are local, global and home`);
  return timeline;
}

async function showDrops(
  ids: readonly string[],
  person: string | null,
  { newsroom: { social }, reader }: DropDependencies,
): Promise<readonly ShownDrop[]> {
  const drops = await social.getDrops(ids);
  const keys = drops.flatMap(({ itemKey }) => itemKey ?? []);
  const entries = await reader?.ofItems(person, keys);
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
    return {
      ...drop,
      author: { id, name, displayName, kind },
      entry: entries?.get(drop.itemKey ?? '') ?? null,
    };
  });
}

const MAX_DROP_BODY_BYTES = 512 * 1024;

const newDropSchema = z.strictObject({
  text: z.string('must be a text').default(''),
  title: z.string('must be a text').optional(),
  url: z.string('must be an http or https address').optional(),
  visibility: z
    .enum(['public', 'followers', 'private'], 'must be public, followers or private')
    .default('public'),
});

/** Posting, editing and deleting, in the caller's name. */
export function dropRoutes(server: FastifyInstance, deps: DropDependencies): void {
  const { newsroom } = deps;
  const { social } = newsroom;
  addRoute(
    server,
    {
      group: 'Timelines',
      access: 'person',
      method: 'POST',
      url: '/drops',
      about: 'Posts a drop. With the header `Idempotency-Key` the same request can be sent again safely.',
      body: newDropSchema,
      answer: dropSchema,
      status: 201,
      bodyLimit: MAX_DROP_BODY_BYTES,
    },
    async ({ body, request, reply }): Promise<ShownDrop> => {
      const me = requireIdentity(request).userId;
      const { drop } = await withSocialProblems(
        social.post(newPersonalDrop(me, body, idempotencyKeyOf(request.headers['idempotency-key']))),
      );
      const [shown] = await showDrops([drop.id], me, deps);
      // Its idempotency key was used for a drop that has been deleted since.
      if (shown === undefined)
        throw new ProblemError({
          status: 409,
          code: 'post_deleted',
          title: 'Deleted',
          detail: 'This post was sent before, and has been deleted since.',
        });
      reply.header('location', `/api/v1/drops/${shown.id}`);
      return shown;
    },
  );
  addRoute(
    server,
    {
      group: 'Timelines',
      access: 'person',
      method: 'PATCH',
      url: '/drops/:id',
      about: 'Replaces the text of an own drop; its place in timelines stays.',
      params: z.object({ id: z.string() }),
      body: z.strictObject({ text: z.string('must be a text') }),
      answer: dropSchema,
      problems: [403, 404, 409],
      bodyLimit: MAX_DROP_BODY_BYTES,
    },
    async ({ params, body, request }): Promise<ShownDrop> => {
      const me = requireIdentity(request).userId;
      await requireOwnDrop(params.id, me, newsroom);
      const edited = await withSocialProblems(social.editDrop(params.id, body.text));
      const [shown] = edited === null ? [] : await showDrops([edited.id], me, deps);
      if (shown === undefined) throw notFound('such post');
      return shown;
    },
  );
  addRoute(
    server,
    {
      group: 'Timelines',
      access: 'person',
      method: 'DELETE',
      url: '/drops/:id',
      about: 'Deletes an own drop from every timeline.',
      params: z.object({ id: z.string() }),
      problems: [403, 404],
    },
    async ({ params, request }) => {
      await requireOwnDrop(params.id, requireIdentity(request).userId, newsroom);
      await withSocialProblems(social.deleteDrop(params.id));
    },
  );
}

async function requireOwnDrop(id: string, userId: string, { social }: Newsroom): Promise<void> {
  const [drop] = await withSocialProblems(social.getDrops([id]));
  // A drop that the caller may not see is reported as missing.
  if (drop === undefined || (drop.userId !== userId && drop.visibility !== 'public'))
    throw notFound('such post');
  if (drop.userId !== userId)
    throw new ProblemError({
      status: 403,
      code: 'not_your_post',
      title: 'Not your post',
      detail: 'Only its author can edit or delete a post.',
    });
}

function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined || header === '') return null;
  if (typeof header !== 'string' || header.length > 200)
    throw badRequest([{ field: 'Idempotency-Key', detail: 'has at most 200 characters' }]);
  return header;
}
