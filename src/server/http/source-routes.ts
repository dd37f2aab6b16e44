import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';

import type { EditResult, SourceEditing } from '../../sources/source-editing.ts';
import { notFound, ProblemError } from './problem.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';

const PREVIEW_TIMEOUT_MS = 60_000;
const addressSchema = z.string('say the address').trim().min(1, 'say the address').max(2000, 'is too long');
const idParameter = z.object({ id: z.string() });
/** The configuration file has changed; it takes effect later. */
const takesEffectSchema = { takesEffect: z.literal('at the next start') };

/** Sources, changed in the configuration file. */
export function sourceRoutes(server: FastifyInstance, sources: SourceEditing): void {
  const owners = { group: 'Control room', access: 'owner', problems: [404, 409] } as const;

  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/sources/preview',
      about: 'Finds the feeds or the channel at an address and shows what is there. Nothing is stored.',
      body: z.strictObject({ address: addressSchema }),
      answer: z.object({
        candidates: z
          .array(
            z.object({
              address: z.string(),
              title: z.string().nullable(),
              known: z.string().nullable(),
              identity: z.object({ by: z.string(), why: z.string() }).nullable(),
              trouble: z.string().nullable(),
              items: z
                .array(z.object({ title: z.string(), url: z.string(), publishedAt: timeSchema }))
                .readonly(),
              warnings: z.array(z.string()).readonly(),
            }),
          )
          .readonly(),
      }),
      problems: [422],
      timeoutMs: PREVIEW_TIMEOUT_MS,
    },
    async ({ body, reply }) => {
      const answer = await sources.preview(body.address, abortOnDisconnect(reply));
      if (!answer.ok)
        throw new ProblemError({
          status: 422,
          code: 'no_feed_found',
          title: 'No feed found',
          detail: answer.detail,
          parameters: { reason: answer.detail },
        });
      return { candidates: answer.candidates };
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/sources',
      about: 'Adds a source to the configuration, and to the lists of pipelines.',
      body: z.strictObject({
        address: addressSchema,
        name: z.string().trim().max(100, 'has at most 100 characters').optional(),
        pipelines: z.array(z.string().max(100)).max(100).default([]),
        anyway: z.boolean().default(false),
      }),
      answer: z.object({ id: z.string(), ...takesEffectSchema }),
      status: 201,
      problems: [409, 422],
      timeoutMs: PREVIEW_TIMEOUT_MS,
    },
    async ({ body, reply }) => {
      const { name, ...ask } = body;
      return editedBody(
        await sources.add({ ...ask, ...(name === undefined ? {} : { name }) }, abortOnDisconnect(reply)),
      );
    },
  );
  for (const [word, on] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    addRoute(
      server,
      {
        ...owners,
        method: 'POST',
        url: `/sources/:id/${word}`,
        about: on ? 'Enables a source.' : 'Disables a source until it is enabled again.',
        params: idParameter,
        answer: z.object({ changed: z.boolean(), ...takesEffectSchema }),
      },
      async ({ params }) => editedBody(await sources.setEnabled(params.id, on)),
    );
  addRoute(
    server,
    {
      ...owners,
      method: 'DELETE',
      url: '/sources/:id',
      about: 'Removes a source from the configuration. Its items stay.',
      params: idParameter,
      answer: z.object({ pipelines: z.array(z.string()).readonly(), ...takesEffectSchema }),
    },
    async ({ params }) => editedBody(await sources.remove(params.id)),
  );
  addRoute(
    server,
    {
      method: 'GET',
      group: 'Control room',
      access: 'owner',
      url: '/sources.opml',
      about: 'The feeds as OPML, for any feed reader.',
      answer: z.string(),
      mediaType: 'text/x-opml; charset=utf-8',
    },
    async ({ reply }) => {
      reply.header('content-disposition', 'attachment; filename="kawaraban.opml"');
      return sources.exportOpml();
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/sources/opml',
      about: 'Adds the feeds of an OPML file, or reports with `dryRun` what would be added.',
      body: z.strictObject({
        opml: z.string('send the text of the file').min(1, 'is empty').max(5_000_000, 'is too large'),
        pipeline: z.string().max(100).optional(),
        dryRun: z.boolean().default(false),
      }),
      answer: z.object({
        added: z.array(z.object({ id: z.string(), url: z.string() })).readonly(),
        known: z.number(),
        skipped: z.number(),
        ...takesEffectSchema,
      }),
      bodyLimit: 6 * 1024 * 1024,
    },
    async ({ body }) => {
      const { opml, pipeline, dryRun } = body;
      return editedBody(
        await sources.importOpml(opml, { dryRun, ...(pipeline === undefined ? {} : { pipeline }) }),
      );
    },
  );
}

/** Aborted when the client disconnects. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

function editedBody<T>(edited: EditResult<T>): Omit<T, 'ok'> & { readonly takesEffect: 'at the next start' } {
  if (edited.ok) {
    const { ok: _, ...rest } = edited;
    return { ...(rest as Omit<T, 'ok'>), takesEffect: 'at the next start' };
  }
  if (edited.why === 'unknown') throw notFound('such source');
  if (edited.why === 'unreachable')
    throw new ProblemError({
      status: 422,
      code: 'source_unreadable',
      title: 'Failed to read the source',
      detail: edited.detail,
      parameters: { reason: edited.detail },
    });
  throw new ProblemError({
    status: 409,
    code: 'source_change_refused',
    title: 'Nothing was changed',
    detail: edited.detail,
    parameters: { reason: edited.detail },
  });
}
