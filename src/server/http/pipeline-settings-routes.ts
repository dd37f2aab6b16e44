import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { cron, timeZone } from '../../config/schema/values.ts';
import type { PipelineSettings, PipelineSettingsReport } from '../../pipelines/pipeline-settings.ts';
import type { Schedule } from '../../scheduler/schedule.ts';
import { DAY, MINUTE, parseDuration } from '../../time/duration.ts';
import { requireIdentity } from './auth.ts';
import type { ControlRoom } from './control-room.ts';
import { badRequest, notFound } from './problem.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';

const MIN_INTERVAL_MS = MINUTE;
const MAX_INTERVAL_MS = 366 * DAY;

const shownSettings = z.object({
  schedule: z.string().nullable().describe('A cron expression; null if it runs at an interval.'),
  timeZone: z.string().nullable().describe('Time zone of `schedule`.'),
  everyMs: z.number().nullable().describe('Interval of its runs; null if it runs on a `schedule`.'),
  minScore: z.number().nullable().describe('Minimum score of what it publishes; null if it does not score.'),
  enabled: z.boolean().describe('False: paused, it runs only by hand.'),
});
const reportSchema = z.object({
  configured: shownSettings.describe('As in the configuration file.'),
  effective: shownSettings.describe('In force now.'),
  changed: z
    .object({ by: z.string(), at: timeSchema })
    .nullable()
    .describe('The last change; null if there is none.'),
});
/** What a client gets about a pipeline's settings. */
export type PipelineSettingsBody = z.output<typeof reportSchema>;

const idParameter = z.object({ id: z.string() });
const changeSchema = z.strictObject({
  schedule: z
    .string()
    .max(200, 'is too long')
    .nullable()
    .optional()
    .describe('A cron expression. Null: as in the configuration file.'),
  timeZone: timeZone().optional().describe('Time zone of `schedule`; by default that of the current one.'),
  every: z
    .string()
    .max(40, 'is too long')
    .nullable()
    .optional()
    .describe('An interval such as `30m`, instead of `schedule`.'),
  minScore: z
    .number('must be a whole number from 0 to 100')
    .int('must be a whole number from 0 to 100')
    .min(0, 'must be a whole number from 0 to 100')
    .max(100, 'must be a whole number from 0 to 100')
    .nullable()
    .optional()
    .describe('Null: as in the configuration file.'),
  enabled: z
    .boolean('must be true or false')
    .nullable()
    .optional()
    .describe('False pauses it. Null: as in the configuration file.'),
});

/** Schedule, minimum score and pause of a pipeline, changed without a restart. */
export function pipelineSettingsRoutes(server: FastifyInstance, control: ControlRoom): void {
  const owners = {
    group: 'Control room',
    access: 'owner',
    url: '/pipelines/:id/settings',
    params: idParameter,
    answer: reportSchema,
    problems: [404],
  } as const;
  const found = (report: PipelineSettingsReport | null, id: string): PipelineSettingsBody => {
    if (report === null) throw notFound(`pipeline "${id.slice(0, 80)}"`);
    const { configured, effective, changed } = report;
    return { configured: show(configured), effective: show(effective), changed };
  };

  addRoute(
    server,
    { ...owners, method: 'GET', about: 'Schedule, minimum score and pause of a pipeline.' },
    async ({ params }) => found(await control.pipelineSettings(params.id), params.id),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'PATCH',
      about: 'Changes schedule, minimum score or pause of a pipeline. In force without a restart.',
      body: changeSchema,
    },
    async ({ params, body, request }) => {
      const current = await control.pipelineSettings(params.id);
      if (current === null) throw notFound(`pipeline "${params.id.slice(0, 80)}"`);
      if (typeof body.minScore === 'number' && current.configured.minScore === null)
        throw badRequest([
          { field: 'minScore', code: 'not_supported', detail: 'this pipeline does not score its items' },
        ]);
      const schedule = scheduleOf(body, current.effective);
      const change = {
        ...(schedule !== undefined && { schedule }),
        ...(body.minScore !== undefined && { minScore: body.minScore }),
        ...(body.enabled !== undefined && { enabled: body.enabled }),
      };
      const who = requireIdentity(request).name;
      return found(await control.changePipelineSettings(params.id, change, who), params.id);
    },
  );
}

function show({ schedule, minScore, enabled }: PipelineSettings): z.output<typeof shownSettings> {
  return {
    schedule: schedule.kind === 'cron' ? schedule.expression : null,
    timeZone: schedule.kind === 'cron' ? schedule.timeZone : null,
    everyMs: schedule.kind === 'every' ? schedule.ms : null,
    minScore,
    enabled,
  };
}

/** `undefined`: unchanged. `null`: as in the configuration file. */
function scheduleOf(
  { schedule, timeZone: zone, every }: z.output<typeof changeSchema>,
  { schedule: current }: PipelineSettings,
): Schedule | null | undefined {
  if (typeof schedule === 'string' && typeof every === 'string')
    throw badRequest([{ field: 'every', code: 'invalid', detail: 'send either `schedule` or `every`' }]);
  if (typeof every === 'string') return { kind: 'every', ms: intervalOf(every) };
  const currentZone = current.kind === 'cron' ? current.timeZone : undefined;
  if (typeof schedule === 'string' && !cron().safeParse(schedule).success)
    throw badRequest([
      {
        field: 'schedule',
        code: 'invalid_cron',
        detail: 'must be a cron expression such as 0 9 * * * (every day at 09:00)',
      },
    ]);
  if (typeof schedule === 'string')
    return { kind: 'cron', expression: schedule, timeZone: zone ?? currentZone ?? 'UTC' };
  if (zone !== undefined && current.kind === 'cron' && schedule !== null)
    return { ...current, timeZone: zone };
  return schedule === null || every === null ? null : undefined;
}

function intervalOf(every: string): number {
  const ms = parseDuration(every);
  if (ms !== null && ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS) return ms;
  throw badRequest([
    {
      field: 'every',
      code: 'invalid_duration',
      detail: 'must be a length of time from 1m to 366d, such as 30m or 2h',
    },
  ]);
}
