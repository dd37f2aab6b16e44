import { z } from 'zod';
import { type ItemKey, MAX_ENCLOSURES, type Sighting } from '../item/item.ts';
import { sightingProblem } from '../ledger/validation.ts';
import type { Source, SourceReading } from '../sources/source.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { MINUTE } from '../time/duration.ts';
import { callPlugin, PluginCallError } from './plugin-call.ts';
import { type PluginHost, servicesFor } from './plugin-services.ts';

/** As long as the poller waits for any source. */
const READ_TIMEOUT_MS = 2 * MINUTE;
/** Refused items that are named in the warnings of one reading. */
const MAX_NAMED = 3;

/** The source of a plugin. Whatever it throws or returns is a reading: what does not fit is a failure or is left out. */
export function pluginSource(id: string, name: string, kind: string, host: PluginHost): Source {
  let made: Pick<Source, 'read'> | null = null;
  return {
    id,
    name,
    kind,
    async read(state, signal, options) {
      try {
        const entry = host.config.plugins.entry('sources', id);
        made ??= entry.definition.create(entry.settings, { ...servicesFor(id, entry, host), name });
        const source = made;
        const answer: unknown = await callPlugin((stop) => source.read(state, stop, options), {
          clock: host.clock,
          timeoutMs: READ_TIMEOUT_MS,
          signal,
        });
        return checkedReading(answer, { id, name });
      } catch (error) {
        signal.throwIfAborted();
        const why = error instanceof PluginCallError && error.why === 'timeout' ? 'timeout' : 'bad_answer';
        return { outcome: 'failed', why, detail: `the plugin failed: ${errorMessage(error)}` };
      }
    },
  };
}

const stateSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const timeSchema = z.number().exactOptional();
const hintsSchema = z
  .object({
    freshForMs: z.number().nullable(),
    gapMs: z.number().nullable(),
    newestAt: z.number().nullable(),
    oldestAt: z.number().nullable(),
  })
  .exactOptional();

const readingSchema = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('read'),
    sightings: z.array(z.unknown()),
    known: z.set(z.string().transform((key) => key as ItemKey)).exactOptional(),
    memory: stateSchema,
    movedTo: z.string().exactOptional(),
    notBefore: timeSchema,
    hints: hintsSchema,
    warnings: z.array(z.string()).default([]),
  }),
  z.object({
    outcome: z.literal('unchanged'),
    memory: stateSchema,
    notBefore: timeSchema,
    hints: hintsSchema,
  }),
  z.object({
    outcome: z.literal('failed'),
    why: z.enum([
      'not_found',
      'gone',
      'forbidden',
      'rate_limited',
      'server_error',
      'timeout',
      'unreachable',
      'not_a_feed',
      'too_large',
      'blocked_address',
      'bad_answer',
      'quota',
    ]),
    detail: z.string(),
    retryAt: timeSchema,
    spent: stateSchema.exactOptional(),
  }),
  z.object({ outcome: z.literal('offline'), detail: z.string(), spent: stateSchema.exactOptional() }),
]);

const webAddress = z.string().refine(isWebAddress, { error: 'is not a web address' });

const enclosureSchema = z.object({
  url: webAddress,
  type: z.string().nullable(),
  lengthBytes: z.number().nullable(),
  durationSeconds: z.number().nullable(),
});

/** Fields that are not in the interface are left out, like those that a newer version may add. */
const sightingSchema = z.object({
  key: z.string(),
  url: webAddress,
  title: z.string(),
  publishedAt: z.number(),
  foreignId: z.string().exactOptional(),
  author: z.string().exactOptional(),
  excerpt: z.string().exactOptional(),
  language: z.string().exactOptional(),
  imageUrl: webAddress.exactOptional(),
  points: z.number().exactOptional(),
  content: z.string().exactOptional(),
  enclosure: enclosureSchema.exactOptional(),
  enclosures: z.array(enclosureSchema).max(MAX_ENCLOSURES).exactOptional(),
});

function checkedReading(
  answer: unknown,
  source: { readonly id: string; readonly name: string },
): SourceReading {
  const parsed = readingSchema.safeParse(answer);
  if (!parsed.success)
    return {
      outcome: 'failed',
      why: 'bad_answer',
      detail: `the plugin returned no reading: ${problemOf(parsed.error)}`,
    };
  if (parsed.data.outcome !== 'read') return parsed.data;
  const { sightings: reported, known, warnings, ...reading } = parsed.data;
  const sightings: Sighting[] = [];
  const problems: string[] = [];
  for (const one of reported) {
    const checked = checkedSighting(one, source);
    if (typeof checked === 'string') problems.push(checked);
    else sightings.push(checked);
  }
  return {
    ...reading,
    sightings,
    ...(known !== undefined && { known }),
    warnings: [...warnings, ...refusedWarning(problems)],
  };
}

function checkedSighting(
  one: unknown,
  { id, name }: { readonly id: string; readonly name: string },
): Sighting | string {
  const parsed = sightingSchema.safeParse(one);
  if (!parsed.success) return problemOf(parsed.error);
  // A source reports only for itself.
  const sighting: Sighting = {
    ...parsed.data,
    key: parsed.data.key as ItemKey,
    sourceId: id,
    sourceName: name,
  };
  return sightingProblem(sighting) ?? sighting;
}

function refusedWarning(problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  const named = [...new Set(problems)].slice(0, MAX_NAMED).join('; ');
  return [`${problems.length} items of the plugin were left out: ${named}`];
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'invalid';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
