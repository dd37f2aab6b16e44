import { z } from 'zod';
import type { Evaluation, Interests, Judge, Judgement } from '../judge/judge.ts';
import { firstCharacters } from '../judge/text-length.ts';
import { sanitiseModelText } from '../judge/untrusted-text.ts';
import { callPlugin, PluginCallError } from './plugin-call.ts';
import { createWithPlugin, type PluginHost, servicesFor } from './plugin-services.ts';

/** Of a summary or a reason; a summary in another style may be as long as a page. */
const MAX_REASON = 300;
const MAX_SUMMARY = 10_000;

export interface PluginJudgeOptions {
  readonly id: string;
  readonly timeoutMs: number;
  /** Another judge, for one that is built on others. */
  readonly judge: (id: string) => Promise<Judge>;
}

/**
 * The judge of a plugin. An error, a late answer or an invalid one is `later` (X18); texts are sanitised like those of a model, and
 * the verdict names this judge.
 */
export async function pluginJudge(
  { id, timeoutMs, judge: other }: PluginJudgeOptions,
  host: PluginHost,
): Promise<Judge> {
  const entry = host.config.plugins.entry('judges', id);
  const services = { ...servicesFor(id, entry, host), judge: other };
  const made = await createWithPlugin(
    `judges.${id}`,
    entry.plugin,
    () => entry.definition.create(entry.settings, services),
    ['evaluate', 'screen', 'summarise'],
    host,
  );
  const asked = async <T>(
    ask: (signal: AbortSignal) => Promise<Judgement<T>>,
    value: z.ZodType<T>,
    signal: AbortSignal | undefined,
  ): Promise<Judgement<T>> => {
    try {
      const answer: unknown = await callPlugin<unknown>(ask, { clock: host.clock, timeoutMs, signal });
      return checkedJudgement(answer, value, id);
    } catch (error) {
      if (!(error instanceof PluginCallError)) throw error;
      const why = error.why === 'timeout' ? 'timeout' : 'server_error';
      services.log.error('Plugin failed to judge', { error });
      return { outcome: 'later', why, detail: `the plugin failed: ${error.message}` };
    }
  };
  return {
    id,
    abilities: { takesPdf: made.abilities?.takesPdf === true },
    evaluate: (article, interests, signal) =>
      asked((stop) => made.evaluate(article, interests, stop), evaluationSchema(interests), signal),
    screen: (page, documents, signal) =>
      asked((stop) => made.screen(page, documents, stop), screeningSchema, signal),
    summarise: (page, documents, style, signal) =>
      asked((stop) => made.summarise(page, documents, style, stop), summarySchema, signal),
  };
}

const amount = z.number().min(0);
const usageSchema = z.object({
  calls: amount,
  inputTokens: amount,
  outputTokens: amount,
  microUsd: amount,
  ms: amount,
});

const bySchema = z.object({
  model: z.string(),
  promptVersion: z.string(),
  provisional: z.boolean().default(false),
  usage: usageSchema,
  examples: amount.exactOptional(),
});

const text = (most: number) =>
  z.string().transform((given) => firstCharacters(sanitiseModelText(given), most));

function evaluationSchema({ topics }: Interests): z.ZodType<Evaluation> {
  const known = topics.map(({ topic }) => topic);
  return z.object({
    score: z.int().min(0).max(100),
    topics: z.array(
      z.string().refine((topic) => known.includes(topic), { error: 'is not in the interests' }),
    ),
    summary: text(MAX_SUMMARY),
    reason: text(MAX_REASON),
    mentions: z.array(z.object({ topic: z.string(), times: amount, inTitle: z.boolean() })).exactOptional(),
  });
}

const screeningSchema = z.object({
  decision: z.enum(['worth_it', 'not_valuable', 'not_ready']),
  reason: text(MAX_REASON),
});

const summarySchema = z.object({
  text: text(MAX_SUMMARY).refine((given) => given !== '', { error: 'is empty' }),
});

const otherSchema = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('later'),
    why: z.enum([
      'unreachable',
      'timeout',
      'rate_limited',
      'over_budget',
      'no_credit',
      'refused_key',
      'wrong_model',
      'misconfigured',
      'output_limit',
      'bad_answer',
      'server_error',
    ]),
    detail: z.string(),
    retryAt: z.number().exactOptional(),
    usage: usageSchema.exactOptional(),
  }),
  z.object({
    outcome: z.literal('unfit'),
    why: z.enum(['blocked', 'too_large', 'empty']),
    detail: z.string(),
    usage: usageSchema.exactOptional(),
  }),
]);

function checkedJudgement<T>(answer: unknown, value: z.ZodType<T>, id: string): Judgement<T> {
  const other = otherSchema.safeParse(answer);
  if (other.success) return other.data;
  const judged = z.object({ outcome: z.literal('judged'), value, by: bySchema }).safeParse(answer);
  if (judged.success)
    return { outcome: 'judged', value: judged.data.value, by: { ...judged.data.by, judge: id } };
  const [issue] = judged.error.issues;
  const detail = `the plugin gave no valid answer: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
  return { outcome: 'later', why: 'bad_answer', detail };
}
