import type { PipelineConfig } from '../config/settle.ts';
import { interestsOf } from '../judge/interests.ts';
import { curate, type SourcesRead } from '../pipelines/curate.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { dispatchDue, type PressParts } from '../pipelines/press-room.ts';
import type { RunProgress, RunReport } from '../pipelines/run-report.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../pipelines/runner.ts';
import { dueAt, type Schedule } from '../pipelines/schedule.ts';
import { summarise } from '../pipelines/summarise.ts';
import { formatDuration, SECOND } from '../time/duration.ts';
import type { PipelineMemory } from './engine.ts';
import { pageReader } from './page-reader.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { authorOf, publishersOf } from './publishers.ts';

/** How often messages that wait for their time are looked at. */
const DISPATCH_EVERY = 2 * SECOND;

/** One pipeline of the configuration, on its memory. */
export async function pipelineOf(
  settings: PipelineConfig,
  memory: PipelineMemory,
  admittedBy: (pipeline: string) => number,
  parts: PipelineParts,
): Promise<Pipeline> {
  const { clock, engine, owner, timelines, config, fetcher, log } = parts;
  const { ledger, outbox, policy } = memory;
  const { id, name, kind, schedule } = settings;
  const publishers = await publishersOf(id, { config, fetcher, social: timelines.social, clock });
  const press: PressParts = { pipeline: id, publishers, ledger, outbox, policy, clock, owner };
  const work = workOf(settings, press, readSourcesOf(settings, admittedBy, parts), parts);
  const runner: RunnerParts = {
    pipeline: id,
    schedule,
    runs: engine.runs,
    clock,
    owner,
    work,
    onEnd: ({ outcome, summary }) => {
      if (outcome === 'failed') log.error('a run failed', { pipeline: id, summary });
      else log.info('a run ended', { pipeline: id, outcome, summary });
    },
  };
  return {
    id,
    name,
    kind,
    ledger,
    outbox,
    sources: settings.sources,
    destinations: settings.publish,
    userId: publishers.some((p) => p.id === 'timeline')
      ? (await authorOf(id, name, timelines.social)).id
      : null,
    scheduleText: inWords(schedule),
    run: (signal, watch) => runOnce(runner, signal, watch),
    preview: () => Promise.reject(new Error('not yet')),
    async keepGoing(signal) {
      if (!settings.enabled) return;
      await Promise.all([runOnSchedule(runner, signal), keepDispatching(press, signal)]);
    },
    nextRunAt: async () =>
      settings.enabled ? dueAt(schedule, (await engine.runs.last(id))?.startedAt ?? null, clock.now()) : null,
    dispatch: async (signal) => void (await dispatchDue(press, signal)),
    sweep: ({ dryRun, onProgress, signal }) =>
      ledger.sweep({
        keep: settings.keep,
        forget: settings.forget,
        keepTombstones: config.retention.tombstones,
        dryRun,
        ...(onProgress !== undefined && { onProgress }),
        ...(signal !== undefined && { signal }),
      }),
  };
}

type Work = (signal: AbortSignal, watch?: (progress: RunProgress) => void) => Promise<RunReport>;

function workOf(
  settings: PipelineConfig,
  press: PressParts,
  readSources: (signal: AbortSignal) => Promise<SourcesRead>,
  parts: PipelineParts,
): Work {
  switch (settings.kind) {
    case 'curate': {
      const { minRelevanceScore, maxArticles, minArticles } = settings;
      const curator = {
        ...press,
        settings: { minRelevanceScore, maxArticles, minArticles, concurrency: 4 },
        interests: interestsOf(settings.interests),
        judge: judgeOf(settings.judge, parts),
        reader: parts.reader,
        readSources,
      };
      return (signal, watch) => curate(curator, signal, watch);
    }
    case 'summarise': {
      const { language, sentences, characters, maxPerRun } = settings;
      const judge = judgeOf(settings.judge, parts);
      const bot = {
        ...press,
        style: { language, sentences: [sentences.least, sentences.most] as const, characters },
        judge,
        mostPerRun: maxPerRun,
        readPage: pageReader(parts.reader, parts.attachments(settings.attachments), judge.abilities.takesPdf),
        readSources,
      };
      return (signal, watch) => summarise(bot, signal, watch);
    }
    case 'process':
      throw new Error('process pipelines are not wired yet');
  }
}

function judgeOf(id: string, { judges }: PipelineParts) {
  const judge = judges.get(id);
  if (judge === undefined) throw new Error(`there is no judge ${id}`);
  return judge;
}

/** Reads the pipeline's own sources now; what they bring goes to every pipeline that follows them. */
function readSourcesOf(
  { id, sources }: PipelineConfig,
  admittedBy: (pipeline: string) => number,
  { desk, followed }: PipelineParts,
): (signal: AbortSignal) => Promise<SourcesRead> {
  return async (signal) => {
    const before = admittedBy(id);
    const reports = await desk.round(
      sources.flatMap((source) => followed.get(source) ?? []),
      signal,
    );
    const failed = reports.filter(({ outcome }) => outcome === 'failed' || outcome === 'not_stored').length;
    const read = reports.filter(({ outcome }) => outcome === 'read' || outcome === 'unchanged').length;
    return { read, failed, admitted: admittedBy(id) - before };
  };
}

/** Sees messages through whose time comes between two runs. */
async function keepDispatching(press: PressParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await dispatchDue(press, signal);
    await press.clock.sleep(DISPATCH_EVERY, signal).catch(() => {});
  }
}

function inWords(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
