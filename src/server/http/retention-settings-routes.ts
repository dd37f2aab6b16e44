import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { EntryRetentionChange } from '../../scheduler/retention-settings.ts';
import { DAY, parseDuration } from '../../time/duration.ts';
import { requireIdentity } from './auth.ts';
import type { ControlRoom } from './control-room.ts';
import { badRequest } from './problem.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';

const MIN_DAYS = 1;
const MAX_DAYS = 36_500;
const MAX_KEPT_PER_SOURCE = 10_000;

const limits = z.object({
  entriesMs: z.number().nullable().describe('How long articles are kept; null: for ever.'),
  textsMs: z.number().nullable().describe('How long their texts are kept; null: for ever.'),
  keepPerSource: z.number().describe('Newest articles of each source that stay, however old.'),
});
const reportSchema = z.object({
  configured: limits.describe('As in the configuration file.'),
  effective: limits.describe('In force at the next sweep.'),
  changed: z
    .object({ by: z.string(), at: timeSchema })
    .nullable()
    .describe('The last change; null if there is none.'),
});
/** What a client gets about the retention of the reader. */
export type RetentionSettingsBody = z.output<typeof reportSchema>;

const keepTime = z
  .string('must be a length of time such as 90d, or `keep`')
  .max(40, 'is too long')
  .nullable()
  .optional();
const keptNumber = `must be a whole number from 0 to ${MAX_KEPT_PER_SOURCE}`;
const changeSchema = z.strictObject({
  entries: keepTime.describe(
    'How long articles are kept, such as `90d`; `keep`: for ever. Null: as in the configuration file.',
  ),
  texts: keepTime.describe('How long their texts are kept. Null: as in the configuration file.'),
  keepPerSource: z
    .number(keptNumber)
    .int(keptNumber)
    .min(0, keptNumber)
    .max(MAX_KEPT_PER_SOURCE, keptNumber)
    .nullable()
    .optional()
    .describe('Newest articles of each source that stay, however old. Null: as in the configuration file.'),
});

/** How long the reader keeps articles, changed without a restart. */
export function retentionSettingsRoutes(server: FastifyInstance, control: ControlRoom): void {
  const owners = {
    group: 'Control room',
    access: 'owner',
    url: '/settings/retention',
    answer: reportSchema,
  } as const;
  addRoute(
    server,
    { ...owners, method: 'GET', about: 'How long the reader keeps articles and their texts.' },
    async () => control.entryRetention(),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'PATCH',
      about: 'Changes how long the reader keeps articles and their texts. In force at the next sweep.',
      body: changeSchema,
    },
    async ({ body, request }) => {
      const { entries, texts, keepPerSource } = body;
      const change: EntryRetentionChange = {
        ...(entries !== undefined && { entriesMs: keepTimeOf('entries', entries) }),
        ...(texts !== undefined && { textsMs: keepTimeOf('texts', texts) }),
        ...(keepPerSource !== undefined && { keepPerSource: keepPerSource ?? 'reset' }),
      };
      return control.changeEntryRetention(change, requireIdentity(request).name);
    },
  );
}

function keepTimeOf(field: string, written: string | null): number | null | 'reset' {
  if (written === null) return 'reset';
  if (written.trim() === 'keep') return null;
  const ms = parseDuration(written);
  if (ms !== null && ms >= MIN_DAYS * DAY && ms <= MAX_DAYS * DAY) return ms;
  throw badRequest([
    {
      field,
      code: 'invalid_keep_time',
      detail: `must be a length of time from ${MIN_DAYS}d to ${MAX_DAYS}d, such as 90d, or \`keep\` for ever`,
      parameters: { minimum: MIN_DAYS, maximum: MAX_DAYS },
    },
  ]);
}
