import type { PipelineConfig } from '../config/settle.ts';
import { allGoing, endless } from '../pipelines/endless.ts';
import { EditNoticing } from '../pipelines/notice-edits.ts';
import type { Pipeline, SchedulerTurn } from '../pipelines/pipeline.ts';
import { dispatchDue, type PressParts } from '../pipelines/press-room.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../pipelines/runner.ts';
import { dueAt, type Schedule } from '../pipelines/schedule.ts';
import { makeEdits } from '../press/edit.ts';
import { formatDuration, MINUTE, SECOND } from '../time/duration.ts';
import type { PipelineMemory } from './engine.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { preview } from './preview.ts';
import { keepProcessing } from './processing.ts';
import { authorOf, publishersOf } from './publishers.ts';
import type { Pulse } from './pulse.ts';
import { judgeOf, readSourcesOf, workOf } from './work.ts';

/** How often messages that wait for their time are looked at. */
const DISPATCH_EVERY = 2 * SECOND;
/** How often it is looked for edits that wait for their time. */
const EDIT_EVERY = MINUTE;
/** A round that takes longer than this hangs: each message has a time limit of its own. */
const LONGEST_DISPATCH = 15 * MINUTE;

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
  const keepScheduled = async ({ signal, running = signal, fence }: SchedulerTurn): Promise<void> => {
    if (!settings.enabled) return;
    await runOnSchedule({ ...runner, ...(fence !== undefined && { fence }) }, signal, running);
  };
  const keepWorking = async (signal: AbortSignal): Promise<void> => {
    if (!settings.enabled) return;
    const loops = [(stop: AbortSignal) => keepDispatching(press, parts.pulse, stop)];
    if (settings.kind === 'process')
      loops.push((stop) =>
        keepProcessing(settings, press, queue, (judge) => judgeOf(judge, parts), parts, stop),
      );
    if (revisions !== null) loops.push((stop) => keepEditing(makeEditsNow, press, stop));
    await allGoing(loops, signal);
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
    keepGoing: (signal) =>
      allGoing([(stop) => keepScheduled({ signal: stop }), (stop) => keepWorking(stop)], signal),
    keepScheduled,
    keepWorking,
    nextRunAt: async () =>
      settings.enabled ? dueAt(schedule, (await engine.runs.last(id))?.startedAt ?? null, clock.now()) : null,
    async dispatch(signal) {
      await dispatchDue(press, signal);
      await makeEditsNow(signal);
    },
    async seenAgain(sightings) {
      await edits?.notice(sightings);
      await makeEditsNow();
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
async function keepDispatching(press: PressParts, pulse: Pulse, signal: AbortSignal): Promise<void> {
  const name = `press:${press.pipeline}`;
  const turn = async (): Promise<'again'> => {
    pulse.beat(name, LONGEST_DISPATCH);
    await dispatchDue(press, signal);
    await press.clock.sleep(DISPATCH_EVERY, signal).catch(() => {});
    return 'again';
  };
  await endless(turn, { ...press, loop: 'dispatching' }, signal);
  pulse.forget(name);
}

/** Makes edits that could not be made at once. */
async function keepEditing(
  makeEditsNow: (signal: AbortSignal) => Promise<void>,
  press: PressParts,
  signal: AbortSignal,
): Promise<void> {
  const turn = async (): Promise<'again'> => {
    await makeEditsNow(signal);
    await press.clock.sleep(EDIT_EVERY, signal).catch(() => {});
    return 'again';
  };
  await endless(turn, { ...press, loop: 'editing' }, signal);
}

function inWords(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
