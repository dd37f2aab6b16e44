import { dirname, resolve } from 'node:path';
import type { State } from '../item/lifecycle.ts';
import type { ConfiguredPlugins } from '../plugins/configured-plugins.ts';
import type { Schedule } from '../scheduler/schedule.ts';
import { HOUR, parseDuration } from '../time/duration.ts';
import { configJsonSchema, type DocumentShape } from './schema/document.ts';
import type { JudgeConfig } from './schema/judges.ts';
import { DEFAULT_SCHEDULE, type PipelineShape } from './schema/pipelines.ts';
import type { PublisherConfig } from './schema/publishers.ts';
import { isGroup } from './schema/section.ts';

type Scheduled<Pipeline> = Pipeline extends unknown
  ? Omit<Pipeline, 'every' | 'schedule' | 'timeZone' | 'retention'> & {
      /** Display name. */
      readonly name: string;
      readonly schedule: Schedule;
      /** Retention times by state; absent states are kept for ever. */
      readonly keep: Readonly<Partial<Record<State, number>>>;
      /** States whose items may be re-evaluated after they were swept. */
      readonly forget: readonly State[];
    }
  : never;

export type PipelineConfig = Scheduled<PipelineShape>;

export interface ResolvedConfig extends Omit<DocumentShape, 'pipelines' | 'plugins'> {
  /** Absolute path of the file. */
  readonly file: string;
  readonly pipelines: Readonly<Record<string, PipelineConfig>>;
  readonly plugins: ConfiguredPlugins;
}

/** Resolves what depends on several settings: absolute paths, the built-in judge and publisher, schedules, retention times. */
export function resolveConfig(
  document: DocumentShape,
  file: string,
  plugins: ConfiguredPlugins,
): ResolvedConfig {
  const folder = dirname(file);
  return {
    ...document,
    file,
    plugins,
    data: resolve(folder, document.data),
    server: {
      ...document.server,
      ...tlsIn(folder, document.server),
      grpc: { ...document.server.grpc, ...tlsIn(folder, document.server.grpc) },
    },
    engine:
      document.engine.kind === 'distributed'
        ? { ...document.engine, redis: { ...document.engine.redis, ...tlsIn(folder, document.engine.redis) } }
        : document.engine,
    timelines: {
      ...document.timelines,
      serviceTls: filesIn(folder, document.timelines.serviceTls),
      ...(document.timelines.redis && {
        redis: { ...document.timelines.redis, ...tlsIn(folder, document.timelines.redis) },
      }),
    },
    judges: { local: BUILT_IN_JUDGE, ...mapValues(document.judges, (judge) => judgeIn(folder, judge)) },
    publishers: { timeline: BUILT_IN_PUBLISHER, ...document.publishers },
    pipelines: mapValues(document.pipelines, (pipeline) => resolvePipeline(folder, document, pipeline)),
  };
}

/** Keys of `tls` groups that name files. */
const FILE_KEYS = ['certificate', 'key', 'ca', 'clientCa'];

function tlsIn<Tls>(folder: string, { tls }: { readonly tls?: Tls }): { tls: Tls } | object {
  return tls === undefined ? {} : { tls: filesIn(folder, tls) };
}

/** A `tls` setting with absolute paths. */
function filesIn<Tls>(folder: string, tls: Tls): Tls {
  if (!isGroup(tls)) return tls;
  const settings = Object.entries(tls).map(([key, value]) => [
    key,
    FILE_KEYS.includes(key) && typeof value === 'string' ? resolve(folder, value) : value,
  ]);
  return Object.fromEntries(settings) as Tls;
}

const BUILT_IN_JUDGE: JudgeConfig = { id: 'local', kind: 'local' };
const BUILT_IN_PUBLISHER: PublisherConfig = { id: 'timeline', kind: 'timeline', visibility: 'public' };

function judgeIn(folder: string, judge: JudgeConfig): JudgeConfig {
  return 'prompts' in judge && judge.prompts !== undefined
    ? { ...judge, prompts: resolve(folder, judge.prompts) }
    : judge;
}

function resolvePipeline(folder: string, document: DocumentShape, pipeline: PipelineShape): PipelineConfig {
  const { every, schedule, timeZone, retention, ...rest } = pipeline;
  const resolved = {
    ...rest,
    name: pipeline.name ?? pipeline.id,
    schedule: scheduleOf(pipeline),
    ...keepTimes(document, pipeline),
  };
  if (resolved.kind !== 'process' || resolved.processor.kind !== 'command') return resolved as PipelineConfig;
  const workIn = resolve(folder, resolved.processor.folder ?? '.');
  return { ...resolved, processor: { ...resolved.processor, folder: workIn } } as PipelineConfig;
}

function scheduleOf(pipeline: PipelineShape): Schedule {
  if (pipeline.every !== undefined) return { kind: 'every', ms: pipeline.every };
  const usual = DEFAULT_SCHEDULE[pipeline.kind];
  if (pipeline.schedule === undefined && 'every' in usual)
    return { kind: 'every', ms: parseDuration(usual.every) ?? HOUR };
  const expression = pipeline.schedule ?? ('schedule' in usual ? usual.schedule : '0 9 * * *');
  return { kind: 'cron', expression, timeZone: pipeline.timeZone };
}

function keepTimes(document: DocumentShape, pipeline: PipelineShape) {
  const all = document.retention;
  switch (pipeline.kind) {
    case 'curate': {
      const { notified = all.notified, rejected = all.rejected } = pipeline.retention;
      const unread = { rejected, failed: rejected };
      return { keep: finite({ published: notified, ...unread }), forget: ['rejected', 'failed'] as const };
    }
    case 'summarise': {
      const { processed = all.processed } = pipeline.retention;
      return { keep: finite({ published: processed, rejected: processed, failed: processed }), forget: [] };
    }
    case 'process': {
      const { completed = all.completed, failed = all.failed } = pipeline.retention;
      return { keep: finite({ published: completed, failed }), forget: [] };
    }
  }
}

function finite(times: Readonly<Partial<Record<State, number | null>>>): Partial<Record<State, number>> {
  return Object.fromEntries(
    Object.entries(times).filter((entry): entry is [State, number] => entry[1] !== null),
  );
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/**
 * A valid document with every default written out, in the form of the file. Secrets stay references, as in the
 * file.
 */
export function effectiveSettings(document: unknown): unknown {
  const whole = withDefaults(configJsonSchema(), document);
  if (!isGroup(whole) || !isGroup(whole.pipelines)) return whole;
  const pipelines = Object.entries(whole.pipelines).map(([id, pipeline]) => [id, withSchedule(pipeline)]);
  return { ...whole, pipelines: Object.fromEntries(pipelines) };
}

/** Either `every`, or `schedule` with its time zone. */
function withSchedule(pipeline: unknown): unknown {
  if (!isGroup(pipeline)) return pipeline;
  const usual = DEFAULT_SCHEDULE[pipeline.kind as keyof typeof DEFAULT_SCHEDULE];
  const paced = 'every' in pipeline || 'schedule' in pipeline ? pipeline : { ...pipeline, ...usual };
  if (!('every' in paced)) return paced;
  const { time_zone: _, ...rest } = paced as Record<string, unknown>;
  return rest;
}

function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isGroup(schema)) return value;
  const form = Array.isArray(schema.anyOf)
    ? schema.anyOf.find((each) => matchesForm(each, value))
    : undefined;
  if (form !== undefined) return withDefaults(form, value);
  if (Array.isArray(value)) return value.map((each) => withDefaults(schema.items, each));
  if (!isGroup(value)) return value;
  const properties = isGroup(schema.properties) ? schema.properties : {};
  const result: Record<string, unknown> = {};
  for (const [key, below] of Object.entries(properties)) {
    const written = value[key] ?? (isGroup(below) ? below.default : undefined);
    if (written !== undefined) result[key] = withDefaults(below, written);
  }
  for (const [key, written] of Object.entries(value))
    if (!(key in properties)) result[key] = withDefaults(schema.additionalProperties, written);
  return result;
}

/** Whether a value matches this form: its type, its `kind` and its required keys. */
function matchesForm(form: unknown, value: unknown): boolean {
  if (!isGroup(form)) return false;
  if ('const' in form) return form.const === value;
  if (!isGroup(value)) return form.type === typeof value;
  if (form.type !== 'object' || !isGroup(form.properties)) return false;
  const required = Array.isArray(form.required) ? form.required : [];
  return (
    required.every((key) => String(key) in value) &&
    Object.entries(form.properties).every(
      ([key, below]) =>
        !isGroup(below) || !('const' in below) || !(key in value) || below.const === value[key],
    )
  );
}
