import type { PipelineConfig } from '../config/settle.ts';
import { EditNoticing } from '../pipelines/notice-edits.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { dispatchDue, type PressParts } from '../pipelines/press-room.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../pipelines/runner.ts';
import { dueAt, type Schedule } from '../pipelines/schedule.ts';
import { makeEdits } from '../press/edit.ts';
import type { Clock } from '../time/clock.ts';
import { formatDuration, MINUTE, SECOND } from '../time/duration.ts';
import type { PipelineMemory } from './engine.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { preview } from './preview.ts';
import { keepProcessing } from './processing.ts';
import { authorOf, publishersOf } from './publishers.ts';
import { judgeOf, readSourcesOf, workOf } from './work.ts';

/** How often messages that wait for their time are looked at. */
const DISPATCH_EVERY = 2 * SECOND;
/** How often it is looked for edits that wait for their time. */
const EDIT_EVERY = MINUTE;

/** One pipeline of the configuration, on its memory. */
export async function pipelineOf(
  settings: PipelineConfig,
  memory: PipelineMemory,
  admittedBy: (pipeline: string) => number,
  parts: PipelineParts,
): Promise<Pipeline> {
  const { clock, engine, owner, timelines, config, fetcher, events, rests, caps, revisions } = parts;
  const { ledger, outbox, policy } = memory;
  const { id, name, kind, schedule } = settings;
  const publishers = await publishersOf(id, { config, fetcher, social: timelines.social, clock, rests });
  const press: PressParts = { pipeline: id, publishers, caps, ledger, outbox, policy, clock, owner, events };
  const edits = revisions === null ? null : new EditNoticing({ ...press, revisions });
  const makeEditsNow = async (signal?: AbortSignal): Promise<void> => {
    if (revisions !== null) await makeEdits({ ...press, revisions }, signal);
  };
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
    async keepGoing(signal) {
      if (!settings.enabled) return;
      await Promise.all([
        runOnSchedule(runner, signal),
        keepDispatching(press, signal),
        revisions !== null && keepEditing(makeEditsNow, clock, signal),
        settings.kind === 'process' &&
          keepProcessing(settings, press, queue, (judge) => judgeOf(judge, parts), parts, signal),
      ]);
    },
    nextRunAt: async () =>
      settings.enabled ? dueAt(schedule, (await engine.runs.last(id))?.startedAt ?? null, clock.now()) : null,
    async dispatch(signal) {
      await dispatchDue(press, signal);
      await makeEditsNow(signal);
    },
    async seenAgain(sightings) {
      if (edits !== null && (await edits.notice(sightings)) > 0) await makeEditsNow();
    },
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
async function keepDispatching(press: PressParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await dispatchDue(press, signal);
    await press.clock.sleep(DISPATCH_EVERY, signal).catch(() => {});
  }
}

/** Makes edits that could not be made at once. */
async function keepEditing(
  makeEditsNow: (signal: AbortSignal) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await makeEditsNow(signal);
    await clock.sleep(EDIT_EVERY, signal).catch(() => {});
  }
}

function inWords(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
