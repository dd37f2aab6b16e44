import { dirname, resolve } from 'node:path';
import type { State } from '../item/lifecycle.ts';
import type { Schedule } from '../pipelines/schedule.ts';
import { HOUR, parseDuration } from '../time/duration.ts';
import type { DocumentShape } from './schema/document.ts';
import type { JudgeConfig } from './schema/judges.ts';
import { DEFAULT_PACE, type PipelineShape } from './schema/pipelines.ts';
import type { PublisherConfig } from './schema/publishers.ts';

type Paced<Pipeline> = Pipeline extends unknown
  ? Omit<Pipeline, 'every' | 'schedule' | 'timeZone' | 'retention'> & {
      /** Name for people. */
      readonly name: string;
      readonly schedule: Schedule;
      /** Keep times by state; a state that is absent is kept for ever. */
      readonly keep: Readonly<Partial<Record<State, number>>>;
      /** States whose items may be judged again once they are swept. */
      readonly forget: readonly State[];
    }
  : never;

export type PipelineConfig = Paced<PipelineShape>;

export interface SettledConfig extends Omit<DocumentShape, 'pipelines'> {
  /** The file it came from, absolute. */
  readonly file: string;
  readonly pipelines: Readonly<Record<string, PipelineConfig>>;
}

/** Fills in what depends on several settings: absolute paths, the built-in judge and publisher, schedules, keep times. */
export function settle(document: DocumentShape, file: string): SettledConfig {
  const folder = dirname(file);
  return {
    ...document,
    file,
    data: resolve(folder, document.data),
    judges: { local: BUILT_IN_JUDGE, ...mapValues(document.judges, (judge) => judgeIn(folder, judge)) },
    publishers: { timeline: BUILT_IN_PUBLISHER, ...document.publishers },
    pipelines: mapValues(document.pipelines, (pipeline) => settlePipeline(folder, document, pipeline)),
  };
}

const BUILT_IN_JUDGE: JudgeConfig = { id: 'local', kind: 'local' };
const BUILT_IN_PUBLISHER: PublisherConfig = { id: 'timeline', kind: 'timeline', visibility: 'public' };

function judgeIn(folder: string, judge: JudgeConfig): JudgeConfig {
  return 'prompts' in judge && judge.prompts !== undefined
    ? { ...judge, prompts: resolve(folder, judge.prompts) }
    : judge;
}

function settlePipeline(folder: string, document: DocumentShape, pipeline: PipelineShape): PipelineConfig {
  const { every, schedule, timeZone, retention, ...rest } = pipeline;
  const settled = {
    ...rest,
    name: pipeline.name ?? pipeline.id,
    schedule: scheduleOf(pipeline),
    ...keepTimes(document, pipeline),
  };
  if (settled.kind !== 'process' || settled.processor.kind !== 'command') return settled as PipelineConfig;
  const workIn = resolve(folder, settled.processor.folder ?? '.');
  return { ...settled, processor: { ...settled.processor, folder: workIn } } as PipelineConfig;
}

function scheduleOf(pipeline: PipelineShape): Schedule {
  if (pipeline.every !== undefined) return { kind: 'every', ms: pipeline.every };
  const usual = DEFAULT_PACE[pipeline.kind];
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
