import type { PipelineConfig } from '../config/settle.ts';
import { passes } from '../pipelines/passing-trouble.ts';
import type { Pipeline, SchedulerTurn } from '../pipelines/pipeline.ts';
import { dispatchDue, type PressParts } from '../pipelines/press-room.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../pipelines/runner.ts';
import { dueAt, type Schedule } from '../pipelines/schedule.ts';
import { formatDuration, MINUTE, SECOND } from '../time/duration.ts';
import type { PipelineMemory } from './engine.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { preview } from './preview.ts';
import { keepProcessing } from './processing.ts';
import { authorOf, capsOf, publishersOf } from './publishers.ts';
import { judgeOf, readSourcesOf, workOf } from './work.ts';

/** How often messages that wait for their time are looked at. */
const DISPATCH_EVERY = 2 * SECOND;
/** The pause after the store was away. */
const DISPATCH_AGAIN = 15 * SECOND;
/** A round that takes longer than this hangs: each message has a time limit of its own. */
const LONGEST_DISPATCH = 15 * MINUTE;

/** One pipeline of the configuration, on its memory. */
export async function pipelineOf(
  settings: PipelineConfig,
  memory: PipelineMemory,
  admittedBy: (pipeline: string) => number,
  parts: PipelineParts,
): Promise<Pipeline> {
  const { clock, engine, owner, timelines, config, fetcher, events, rests } = parts;
  const { ledger, outbox, policy } = memory;
  const { id, name, kind, schedule } = settings;
  const publishers = await publishersOf(id, { config, fetcher, social: timelines.social, clock, rests });
  const caps = capsOf(id, outbox, parts);
  const press: PressParts = { pipeline: id, publishers, caps, ledger, outbox, policy, clock, owner, events };
  const queue = await engine.queueOf(settings, ledger);
  const work = workOf(settings, press, queue, readSourcesOf(settings, admittedBy, parts), parts);
  const runner: RunnerParts = {
    pipeline: id,
    schedule,
    runs: engine.runs,
    clock,
    owner,
    work,
    events,
  };
  const keepScheduled = async ({ signal, running = signal, fence }: SchedulerTurn): Promise<void> => {
    if (!settings.enabled) return;
    await runOnSchedule({ ...runner, ...(fence !== undefined && { fence }) }, signal, running);
  };
  const keepWorking = async (signal: AbortSignal): Promise<void> => {
    if (!settings.enabled) return;
    await Promise.all([
      keepDispatching(press, parts, signal),
      settings.kind === 'process' &&
        keepProcessing(settings, press, queue, (judge) => judgeOf(judge, parts), parts, signal),
    ]);
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
    preview: (signal, watch) => preview(settings, memory, press, parts, signal, watch),
    keepGoing: async (signal) => {
      await Promise.all([keepScheduled({ signal }), keepWorking(signal)]);
    },
    keepScheduled,
    keepWorking,
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

/** Sees messages through whose time comes between two runs. */
async function keepDispatching(
  press: PressParts,
  { log, pulse }: Pick<PipelineParts, 'log' | 'pulse'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    pulse.beat(`press:${press.pipeline}`, LONGEST_DISPATCH);
    try {
      await dispatchDue(press, signal);
    } catch (error) {
      if (!passes(error)) throw error;
      log.warn('Messages wait: the store is away', { pipeline: press.pipeline, error });
      await press.clock.sleep(DISPATCH_AGAIN, signal).catch(() => {});
    }
    await press.clock.sleep(DISPATCH_EVERY, signal).catch(() => {});
  }
  pulse.forget(`press:${press.pipeline}`);
}

function inWords(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
