import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';

import type { SourceChange } from '../../sources/source-catalogue.ts';
import type { EditResult } from '../../sources/source-editing.ts';
import { parseFolder } from '../../sources/source-folders.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import { requireIdentity } from './auth.ts';
import type { ControlRoom } from './control-room.ts';
import type { Newsroom } from './newsroom.ts';
import { notFound, ProblemError } from './problem.ts';
import { addRoute } from './route.ts';
import { sourceStatusSchema, timeSchema } from './schemas.ts';

const PREVIEW_TIMEOUT_MS = 60_000;
const addressSchema = z.string('say the address').trim().min(1, 'say the address').max(2000, 'is too long');
const idParameter = z.object({ id: z.string() });
const nameSchema = z.string().trim().max(100, 'has at most 100 characters');
const foldersSchema = z
  .array(z.string().trim().min(1, 'is empty').max(100, 'has at most 100 characters'))
  .max(10, 'has at most 10 folders')
  .describe('Its folder, outermost name first.');
const pipelinesSchema = z
  .array(z.string().max(100))
  .max(100)
  .describe('IDs of the pipelines that it is assigned to.');

/** Changes of the sources, effective at once. */
export function sourceRoutes(server: FastifyInstance, newsroom: Newsroom, control: ControlRoom): void {
  const { sources } = control;
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
          parameters: { error: answer.error, reason: answer.detail },
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
      about: 'Adds a source, which is read at once; with `follow` the caller follows it.',
      body: z.strictObject({
        address: addressSchema,
        name: nameSchema.optional(),
        folders: foldersSchema.default([]),
        pipelines: pipelinesSchema.default([]),
        follow: z.boolean().default(false),
        anyway: z.boolean().default(false).describe('Even if it cannot be read now.'),
      }),
      answer: z.object({
        id: z.string(),
        followed: z.boolean().describe('Whether the caller follows it now.'),
      }),
      status: 201,
      problems: [409, 422],
      timeoutMs: PREVIEW_TIMEOUT_MS,
    },
    async ({ body, request, reply }) => {
      const { address, name, follow, ...details } = body;
      const { id } = editedBody(
        await sources.add(
          address,
          { ...details, ...(name === undefined ? {} : { name }) },
          abortOnDisconnect(reply),
        ),
      );
      const followed = follow && (await control.followSource(requireIdentity(request).userId, id));
      // In this replica, whichever is the leader.
      control.pollSource(id);
      return { id, followed };
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'PATCH',
      url: '/sources/:id',
      about: 'Renames, pauses, resumes or files a source, or assigns it to pipelines. What is absent stays.',
      params: idParameter,
      body: z.strictObject({
        name: nameSchema.min(1, 'is empty').optional(),
        enabled: z.boolean().optional().describe('False pauses it: it is not polled.'),
        folders: foldersSchema.optional(),
        pipelines: pipelinesSchema.optional(),
      }),
      answer: sourceStatusSchema,
    },
    async ({ params, body }): Promise<SourceStatus> => {
      const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      editedBody(await sources.update(params.id, change as SourceChange));
      const source = (await newsroom.sources('owner')).find(({ id }) => id === params.id);
      if (source === undefined) throw notFound('such source');
      return source;
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'DELETE',
      url: '/sources/:id',
      about: 'Removes a source. One of the configuration file can be removed only there.',
      params: idParameter,
    },
    async ({ params }) => void editedBody(await sources.remove(params.id)),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/sources/:id/poll',
      about: 'Starts reading a source now, due or not.',
      params: idParameter,
      answer: z.object({}),
      status: 202,
    },
    async ({ params }) => {
      const started = control.pollSource(params.id);
      if (started === 'unknown') throw notFound('such source');
      if (started === 'paused')
        throw new ProblemError({
          status: 409,
          code: 'source_paused',
          title: 'Paused',
          detail: 'The source is paused: resume it first.',
        });
      return {};
    },
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
      method: 'GET',
      group: 'Control room',
      access: 'owner',
      url: '/sources.yaml',
      about: 'All sources in the form of the configuration file, with those that were added elsewhere.',
      answer: z.string(),
      mediaType: 'application/yaml; charset=utf-8',
    },
    async ({ reply }) => {
      reply.header('content-disposition', 'attachment; filename="sources.yaml"');
      return control.exportSourcesYaml();
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
        pipeline: z.string().max(100).optional().describe('ID of a pipeline that they are assigned to.'),
        folder: z
          .string()
          .max(1000)
          .optional()
          .describe('Folder to put them into, such as `News/World`; those of the file are inside of it.'),
        dryRun: z.boolean().default(false),
      }),
      answer: z.object({
        added: z.array(z.object({ id: z.string(), url: z.string() })).readonly(),
        known: z.number(),
        skipped: z.number(),
      }),
      bodyLimit: 6 * 1024 * 1024,
    },
    async ({ body }) => {
      const { opml, pipeline, folder = '', dryRun } = body;
      const options = { dryRun, folders: parseFolder(folder), ...(pipeline !== undefined && { pipeline }) };
      return editedBody(await sources.importOpml(opml, options));
    },
  );
}

/** Aborted when the client disconnects. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

function editedBody<T>(edited: EditResult<T>): Omit<T, 'ok'> {
  if (edited.ok) {
    const { ok: _, ...rest } = edited;
    return rest as Omit<T, 'ok'>;
  }
  if (edited.why === 'unknown') throw notFound('such source');
  if (edited.why === 'unreachable')
    throw new ProblemError({
      status: 422,
      code: 'source_unreadable',
      title: 'Failed to read the source',
      detail: edited.detail,
      parameters: { error: edited.error, reason: edited.detail },
    });
  throw new ProblemError({
    status: 409,
    code: edited.code ?? 'source_change_refused',
    title: 'Nothing was changed',
    detail: edited.detail,
    parameters: { ...edited.parameters, reason: edited.detail },
  });
}
