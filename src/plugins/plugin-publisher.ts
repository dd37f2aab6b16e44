import { z } from 'zod';
import type {
  EditOutcome,
  OutgoingMessage,
  Publisher,
  ReadBackOutcome,
  SendOutcome,
} from '../publishers/publisher.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { callPlugin } from './plugin-call.ts';
import { createWithPlugin, PluginCreateError, type PluginHost, servicesFor } from './plugin-services.ts';

export interface PluginPublisherOptions {
  readonly id: string;
  readonly pipeline: string;
  readonly timeoutMs: number;
}

/** Begins the body of a message that the plugin could not render; it is refused instead of sent. */
const NOT_RENDERED = '[kawaraban: not rendered] ';

/**
 * The publisher of a plugin. An error, a late answer or an invalid one is an `unknown` outcome of `send`, since the message may have
 * arrived (X2). A message that cannot be rendered is refused, so that it does not hold up other destinations.
 */
export async function pluginPublisher(
  { id, pipeline, timeoutMs }: PluginPublisherOptions,
  host: PluginHost,
): Promise<Publisher> {
  const entry = host.config.plugins.entry('publishers', id);
  const services = { ...servicesFor(id, entry, host), pipeline };
  const { log, clock } = services;
  const made = await createWithPlugin(
    `publishers.${id}`,
    entry.plugin,
    () => entry.definition.create(entry.settings, services),
    ['render', 'send', 'readBack'],
    host,
  );
  const abilities = abilitiesSchema.safeParse(made.abilities);
  if (!abilities.success)
    throw new PluginCreateError(
      `publishers.${id}`,
      entry.plugin,
      new TypeError('its `abilities` are invalid'),
    );
  /** The outcome, or `null` with the reason in the log. */
  const called = async <T>(
    call: string,
    work: (signal: AbortSignal) => unknown,
    schema: z.ZodType<T>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly answer: T } | { readonly answer: null; readonly detail: string }> => {
    try {
      const answer = schema.safeParse(await callPlugin(work, { clock, timeoutMs, signal }));
      if (answer.success) return { answer: answer.data };
      log.error('Plugin returned an invalid outcome', { call });
      return { answer: null, detail: `the plugin returned no valid outcome of \`${call}\`` };
    } catch (error) {
      log.error('Plugin failed', { call, error });
      return { answer: null, detail: `the plugin failed: ${errorMessage(error)}` };
    }
  };
  return {
    id,
    abilities: abilities.data,
    async prepare(signal) {
      if (made.prepare !== undefined)
        await called('prepare', (stop) => made.prepare?.(stop), z.unknown(), signal);
      signal?.throwIfAborted();
    },
    render(content) {
      try {
        return renderedSchema.parse(made.render(content));
      } catch (error) {
        log.error('Plugin failed to render a message', { error });
        return { body: `${NOT_RENDERED}${errorMessage(error)}`, templateVersion: 'not-rendered' };
      }
    },
    async send(message, signal): Promise<SendOutcome> {
      const unsendable = notRendered(message);
      if (unsendable !== null) return { outcome: 'refused', detail: unsendable };
      const { answer, ...failure } = await called(
        'send',
        (stop) => made.send(message, stop),
        sendSchema,
        signal,
      );
      return answer ?? { outcome: 'unknown', detail: detailOf(failure) };
    },
    async readBack(message, signal): Promise<ReadBackOutcome> {
      if (notRendered(message) !== null) return { outcome: 'absent' };
      const { answer, ...failure } = await called(
        'readBack',
        (stop) => made.readBack(message, stop),
        readBackSchema,
        signal,
      );
      return answer ?? { outcome: 'cannot_tell', detail: detailOf(failure), passing: true };
    },
    ...(typeof made.revise === 'function' &&
      typeof made.edit === 'function' && {
        revise(body: string, change: Parameters<NonNullable<Publisher['revise']>>[1]): string | null {
          try {
            const revised: unknown = made.revise?.(body, change);
            return typeof revised === 'string' ? revised : null;
          } catch (error) {
            log.error('Plugin failed to revise a message', { error });
            return null;
          }
        },
        async edit(remoteId: string, body: string, signal?: AbortSignal): Promise<EditOutcome> {
          const { answer, ...failure } = await called(
            'edit',
            (stop) => made.edit?.(remoteId, body, stop),
            editSchema,
            signal,
          );
          return answer ?? { outcome: 'later', detail: detailOf(failure), until: null };
        },
      }),
    rateLimitedUntil() {
      try {
        const until: unknown = made.rateLimitedUntil?.() ?? 0;
        return typeof until === 'number' && Number.isFinite(until) ? until : 0;
      } catch {
        return 0;
      }
    },
  };
}

function notRendered({ body }: OutgoingMessage): string | null {
  if (!body.startsWith(NOT_RENDERED)) return null;
  return `the plugin could not render it: ${body.slice(NOT_RENDERED.length)}`;
}

function detailOf(failure: object): string {
  return 'detail' in failure ? String(failure.detail) : '';
}

const abilitiesSchema = z.object({
  nativeIdempotencyMs: z.number().min(0).or(z.literal(Number.POSITIVE_INFINITY)),
  canReadBack: z.boolean(),
  itemsPerMessage: z.int().min(1),
  takesEnclosures: z.boolean().exactOptional(),
});

const renderedSchema = z.object({ body: z.string(), templateVersion: z.string() });

const until = z.number().nullable();
const sendSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('sent'), remoteId: z.string(), url: z.string().exactOptional() }),
  z.object({ outcome: z.literal('refused'), detail: z.string() }),
  z.object({
    outcome: z.literal('held'),
    detail: z.string(),
    until,
    unreachable: z.literal(true).exactOptional(),
  }),
  z.object({ outcome: z.literal('unknown'), detail: z.string() }),
]);

const readBackSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('found'), remoteId: z.string(), url: z.string().exactOptional() }),
  z.object({ outcome: z.literal('absent') }),
  z.object({
    outcome: z.literal('cannot_tell'),
    detail: z.string(),
    passing: z.boolean().exactOptional(),
  }),
]);

const editSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('edited') }),
  z.object({ outcome: z.literal('gone'), detail: z.string() }),
  z.object({ outcome: z.literal('refused'), detail: z.string() }),
  z.object({ outcome: z.literal('later'), detail: z.string(), until }),
]);
