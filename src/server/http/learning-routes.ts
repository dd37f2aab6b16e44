import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { REACTION_KINDS } from '../../item/learned.ts';
import type { Learning } from '../../learning/learning.ts';
import { requireIdentity } from './auth.ts';
import { notFound } from './problem.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';

const learningSchema = z.object({
  available: z.boolean().describe('Whether the newsroom learns at all.'),
  enabled: z.boolean().describe('Whether it learns from the caller.'),
  reactions: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(REACTION_KINDS),
        at: timeSchema,
        title: z.string(),
        url: z.string(),
      }),
    )
    .readonly()
    .describe('What the caller reacted to, the newest first.'),
});

/** What was learned about a person: to be seen, removed and switched off (Q22). */
export function learningRoutes(server: FastifyInstance, learning: Learning): void {
  const person = { group: 'Reader', access: 'person' } as const;
  addRoute(
    server,
    {
      ...person,
      method: 'GET',
      url: '/reader/learning',
      about: 'Whether the newsroom learns from the caller, and everything that it learned from.',
      answer: learningSchema,
    },
    async ({ request }) => {
      const { available, enabled, reactions } = await learning.of(requireIdentity(request).userId);
      return {
        available,
        enabled,
        reactions: reactions.map(({ id, kind, at, title, url }) => ({ id, kind, at, title, url })),
      };
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'PUT',
      url: '/reader/learning',
      about:
        'Switches learning from the caller on or off. Off, nothing is recorded, and nothing recorded counts.',
      body: z.strictObject({ enabled: z.boolean('must be true or false') }),
    },
    async ({ body, request }) => {
      await learning.setEnabled(requireIdentity(request).userId, body.enabled);
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'DELETE',
      url: '/reader/learning',
      about: 'Forgets everything learned from the caller.',
    },
    async ({ request }) => {
      await learning.forget(requireIdentity(request).userId);
    },
  );
  addRoute(
    server,
    {
      ...person,
      method: 'DELETE',
      url: '/reader/learning/:id',
      about: 'Removes one reaction with its effect. A star stays a star.',
      params: z.object({
        id: z.string().regex(/^[a-z]{1,20}-[0-9a-f]{1,64}$/, 'is not the ID of a reaction'),
      }),
      problems: [404],
    },
    async ({ params, request }) => {
      if (!(await learning.remove(requireIdentity(request).userId, params.id)))
        throw notFound('such reaction');
    },
  );
}
