import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ItemKey } from '../../item/item.ts';
import { DELIVERY_STATES } from '../../outbox/outbox.ts';
import type { Job } from '../../scheduler/jobs.ts';
import { DAY } from '../../time/duration.ts';
import { requireIdentity } from './auth.ts';
import type { ControlRoom } from './control-room.ts';
import { interestRoutes } from './interest-routes.ts';
import type { Newsroom } from './newsroom.ts';
import { rejectBadCursor } from './newsroom-routes.ts';
import { pipelineSettingsRoutes } from './pipeline-settings-routes.ts';
import { notFound, ProblemError } from './problem.ts';
import { retentionSettingsRoutes } from './retention-settings-routes.ts';
import { addRoute, cursorParameter, limitParameter, listParameter } from './route.ts';
import { cursorSchema, timeSchema } from './schemas.ts';
import { sourceRoutes } from './source-routes.ts';

const jobSchema = z.object({
  id: z.string(),
  pipeline: z.string(),
  dryRun: z.boolean(),
  startedBy: z.string(),
  startedAt: timeSchema,
  endedAt: timeSchema.nullable(),
  state: z.enum(['running', 'done', 'refused', 'failed', 'stopped']),
  progress: z.object({ stage: z.enum(['sources', 'items']), done: z.number() }).nullable(),
  detail: z.string().nullable(),
  report: z.unknown(),
  messages: z.array(z.object({ destination: z.string(), body: z.string() })).readonly(),
});
const runSchema = z.object({
  id: z.number(),
  pipeline: z.string(),
  startedAt: timeSchema,
  endedAt: timeSchema.nullable(),
  outcome: z.enum(['running', 'done', 'failed', 'stopped']),
  summary: z.string().nullable(),
  scheduled: z.boolean(),
  counts: z.record(z.string(), z.number()),
});
const deliverySchema = z.object({
  pipeline: z.string(),
  key: z.string(),
  itemKeys: z.array(z.string()).readonly(),
  destination: z.string(),
  body: z.string(),
  state: z.enum(DELIVERY_STATES),
  remoteUrl: z.string().nullable(),
  detail: z.string().nullable(),
  attempts: z.number(),
  createdAt: timeSchema,
  firstTriedAt: timeSchema.nullable(),
  updatedAt: timeSchema,
  dueAt: timeSchema.nullable(),
});
const usageSchema = z.object({ reads: z.number(), writes: z.number(), deletes: z.number() });
const idParameter = z.object({ id: z.string() });
const pipelineParameter = z.string('say which pipeline').max(100, 'is no ID of a pipeline');

/** The control room: for owners only. */
export function controlRoutes(server: FastifyInstance, newsroom: Newsroom, control: ControlRoom): void {
  const owners = { group: 'Control room', access: 'owner' } as const;
  const whoAsks = (request: FastifyRequest): string => `${requireIdentity(request).name} (web)`;

  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/pipelines/:id/runs',
      about:
        'Runs a pipeline now, or shows with `dryRun` what a run would post. `fresh` polls its sources first, also those that are not due yet. Poll the job for its progress.',
      params: idParameter,
      body: z.strictObject({
        dryRun: z.boolean('is true or false').default(false),
        fresh: z.boolean('is true or false').default(false),
      }),
      answer: jobSchema,
      status: 202,
      problems: [404, 409],
    },
    async ({ params, body, request }) => {
      const started = control.jobs.start(params.id, body, whoAsks(request));
      if (started === 'unknown') throw notFound(`pipeline "${params.id.slice(0, 80)}"`);
      if (started === 'busy')
        throw new ProblemError({
          status: 409,
          code: 'already_running',
          title: 'Already running',
          detail: 'Wait until it has ended, or stop it.',
        });
      return started;
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/pipelines/:id/runs',
      about: 'The newest runs of a pipeline with their results.',
      params: idParameter,
      query: z.strictObject({
        limit: limitParameter(100, 30),
        cursor: z
          .string()
          .regex(/^\d{1,15}$/, 'is not a cursor from an earlier answer')
          .optional(),
      }),
      answer: z.object({ runs: z.array(runSchema), next: cursorSchema }),
      problems: [404],
    },
    async ({ params, query }) => {
      const { limit, cursor: after } = query;
      const runs = await control.runs(params.id, limit, after === undefined ? undefined : Number(after));
      if (runs === null) throw notFound(`pipeline "${params.id.slice(0, 80)}"`);
      const last = runs.length === limit ? runs.at(-1) : undefined;
      return { runs, next: last === undefined ? null : String(last.id) };
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/pipelines/:id/counts',
      about: 'Number of items by state and reason, hour by hour.',
      params: idParameter,
      query: z.strictObject({ days: limitParameter(90, 7) }),
      answer: z.object({
        entries: z.array(
          z.object({
            at: timeSchema,
            byState: z.record(z.string(), z.number()),
            byReason: z.record(z.string(), z.number()),
          }),
        ),
      }),
      problems: [404],
    },
    async ({ params, query }) => {
      const now = Date.now();
      const entries = await control.counts(params.id, now - query.days * DAY, now);
      if (entries === null) throw notFound(`pipeline "${params.id.slice(0, 80)}"`);
      return { entries };
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/jobs',
      about: 'Runs started manually in this replica.',
      answer: z.object({ jobs: z.array(jobSchema) }),
    },
    async () => ({ jobs: control.jobs.list() }),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/jobs/:id',
      about: 'Progress of one of them.',
      params: idParameter,
      answer: jobSchema,
      problems: [404],
    },
    async ({ params }): Promise<Job> => {
      const found = control.jobs.find(params.id);
      if (found === null) throw notFound('such job');
      return found;
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'DELETE',
      url: '/jobs/:id',
      about: 'Stops one that is running.',
      params: idParameter,
      problems: [404],
    },
    async ({ params }) => {
      if (!control.jobs.stop(params.id)) throw notFound('such job under way');
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/item/decision',
      about:
        'Decides on an item that waits for a person: retry, park, mark as sent, drop. Applies to its messages as well.',
      body: z.strictObject({
        pipeline: pipelineParameter,
        key: z.string('say which item').max(10_000, 'is too long for a key'),
        decision: z.enum(['retry', 'park', 'sent', 'drop'], 'is retry, park, sent or drop'),
        because: z.string().max(500, 'has at most 500 characters').optional(),
      }),
      answer: z.object({ state: z.string(), messages: z.number() }),
      problems: [404, 409],
    },
    async ({ body, request }) => {
      const { pipeline, key, decision, because } = body;
      const answer = await control.decide(
        pipeline,
        key as ItemKey,
        { kind: decision, ...(because === undefined ? {} : { because }) },
        whoAsks(request),
      );
      if (answer.done) return { state: answer.state, messages: answer.messages };
      if (answer.why === 'unknown') throw notFound('such item in this pipeline');
      throw new ProblemError({
        status: 409,
        code: 'decision_not_possible',
        title: 'Nothing was changed',
        detail: answer.detail,
      });
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/deliveries',
      about:
        'Messages of a pipeline, the newest first; those that wait for a person are `parked` and `refused`.',
      query: z.strictObject({
        pipeline: pipelineParameter,
        state: listParameter(DELIVERY_STATES).optional(),
        destination: z.string().max(100, 'is no ID of a destination').optional(),
        limit: limitParameter(100, 30),
        cursor: cursorParameter(2000),
      }),
      answer: z.object({ deliveries: z.array(deliverySchema), next: cursorSchema }),
      problems: [404],
    },
    async ({ query }) => {
      const { pipeline, state, destination, limit, cursor: after } = query;
      const page = await control
        .deliveries(pipeline, {
          limit,
          ...(state ? { states: state } : {}),
          ...(destination ? { destination } : {}),
          ...(after ? { cursor: after } : {}),
        })
        .catch(rejectBadCursor);
      if (page === null) throw notFound(`pipeline "${pipeline.slice(0, 80)}"`);
      return {
        deliveries: page.deliveries.map(({ remoteId: _, ...shown }) => ({ pipeline, ...shown })),
        next: page.next,
      };
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/deliveries/decision',
      about: 'Decides on a message with an unknown outcome: mark as sent, send again, drop.',
      body: z.strictObject({
        pipeline: pipelineParameter,
        key: z.string('say which message').max(10_000, 'is too long for a key'),
        decision: z.enum(['sent', 'again', 'drop'], 'is sent, again or drop'),
      }),
      problems: [404, 409],
    },
    async ({ body, request }) => {
      const outcome = await control.decideDelivery(body.pipeline, body.key, body.decision, whoAsks(request));
      if (outcome === 'unknown') throw notFound('such pipeline');
      if (outcome === 'refused')
        throw new ProblemError({
          status: 409,
          code: 'message_decided',
          title: 'Nothing was changed',
          detail: 'There is no such message, or it no longer waits for a decision.',
        });
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/configuration',
      about: 'The effective configuration with defaults; secrets only by the name of their source.',
      answer: z.object({ file: z.string(), settings: z.unknown() }),
    },
    async () => control.configuration(),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/usage',
      about: 'Usage of the store today with its free quota (null on the embedded engine), and open streams.',
      answer: z.object({
        store: z.object({ used: usageSchema, free: usageSchema }).nullable(),
        streams: z.object({ open: z.number() }),
      }),
    },
    async () => ({ store: await control.storeUsage(), streams: { open: newsroom.streams.openCount } }),
  );
  pipelineSettingsRoutes(server, control);
  interestRoutes(server, control);
  retentionSettingsRoutes(server, control);
  sourceRoutes(server, newsroom, control);
}
