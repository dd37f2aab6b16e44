import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ownDrop } from '../../social/own-drop.ts';
import { personOf } from '../auth/guards.ts';
import { addRoute } from '../frame/route.ts';
import type { Newsroom } from '../newsroom.ts';
import { badRequest, notFound, ProblemError } from '../problem.ts';
import { shownDrop } from './shapes.ts';
import { orProblem } from './social-problem.ts';
import { type ShownDrop, showDrops } from './timelines.ts';

const BODY_LIMIT = 512 * 1024;

const newDrop = z.strictObject({
  text: z.string('must be a text').default(''),
  title: z.string('must be a text').optional(),
  url: z.string('must be an http or https address').optional(),
  visibility: z
    .enum(['public', 'followers', 'private'], 'must be public, followers or private')
    .default('public'),
});

/** Posting and deleting, in one's own name. */
export function dropRoutes(server: FastifyInstance, newsroom: Newsroom): void {
  const { social } = newsroom;
  addRoute(
    server,
    {
      group: 'Timelines',
      access: 'person',
      method: 'POST',
      url: '/drops',
      about: 'Posts a drop. With the header `Idempotency-Key` the same request can be sent again safely.',
      body: newDrop,
      answer: shownDrop,
      status: 201,
      bodyLimit: BODY_LIMIT,
    },
    async ({ body, request, reply }): Promise<ShownDrop> => {
      const me = personOf(request).userId;
      const { drop } = await orProblem(
        social.post(ownDrop(me, body, keyOf(request.headers['idempotency-key']))),
      );
      const [shown] = await showDrops([drop.id], newsroom);
      // Its key was used for a drop that has been deleted since.
      if (shown === undefined)
        throw new ProblemError({
          status: 409,
          title: 'Deleted',
          detail: 'This drop was posted, and deleted since.',
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
      method: 'DELETE',
      url: '/drops/:id',
      about: 'Deletes a drop of one’s own from every timeline.',
      params: z.object({ id: z.string() }),
      problems: [403, 404],
    },
    async ({ params, request }) => {
      const { userId } = personOf(request);
      const [drop] = await orProblem(social.getDrops([params.id]));
      // What somebody may not see is not there for them.
      if (drop === undefined || (drop.userId !== userId && drop.visibility !== 'public'))
        throw notFound('such drop');
      if (drop.userId !== userId)
        throw new ProblemError({
          status: 403,
          title: 'Not yours',
          detail: 'Only its author deletes a drop.',
        });
      await orProblem(social.deleteDrop(params.id));
    },
  );
}

function keyOf(header: string | string[] | undefined): string | null {
  if (header === undefined || header === '') return null;
  if (typeof header !== 'string' || header.length > 200)
    throw badRequest([{ field: 'Idempotency-Key', detail: 'has at most 200 characters' }]);
  return header;
}
