import type { PipelineConfig } from '../config/settle.ts';
import { correctFutureTimes } from '../pipelines/correct-times.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import { decideMessage, retryItem } from '../pipelines/decide-message.ts';
import { keepDispatching } from '../pipelines/dispatching.ts';
import { allGoing, endless } from '../pipelines/endless.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import { EditNoticing } from '../pipelines/notice-edits.ts';
import type { Pipeline, SchedulerTurn } from '../pipelines/pipeline.ts';
import { dispatchDue, type PressParts } from '../pipelines/press-room.ts';
import { unfinishedOf } from '../pipelines/run-report.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../pipelines/runner.ts';
import { dueAt, type Schedule } from '../pipelines/schedule.ts';
import { StalledLeases } from '../pipelines/stalled-leases.ts';
import { Bell, ringing } from '../press/bell.ts';
import { makeEdits } from '../press/edit.ts';
import { formatDuration, MINUTE } from '../time/duration.ts';
import { claimsOf, type PipelineMemory } from './engine.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { preview } from './preview.ts';
import { keepProcessing } from './processing.ts';
import { authorOf, publishersOf } from './publishers.ts';
import { judgeOf, workOf } from './work.ts';

/** A round that takes longer than this hangs: each message has a time limit of its own. */
const LONGEST_DISPATCH = 15 * MINUTE;

/** One pipeline of the configuration, on its memory. */
export async function pipelineOf(
  settings: PipelineConfig,
  memory: PipelineMemory,
  parts: PipelineParts,
): Promise<Pipeline> {
  const { clock, engine, owner, authors, config, fetcher, events, rests, caps, revisions } = parts;
  const { id, name, kind, schedule } = settings;
  const { ledger, policy } = memory;
  const claims = 'curator' in memory ? null : memory.ledger;
  const curator = kind === 'curate' ? curatorOf(memory, owner) : null;
  const bell = new Bell(clock);
  const leases = new StalledLeases(clock);
  const outbox = ringing(memory.outbox, bell);
  const { social } = engine;
  const publishers = await publishersOf(id, { config, fetcher, social, authors, clock, rests });
  const press: PressParts = {
    pipeline: id,
    publishers,
    caps,
    ledger,
    claims,
    outbox,
    policy,
    clock,
    owner,
    events,
    ...(engine.restored && { restored: engine.restored }),
    // The curator makes up for what is missing in its next run.
    ...(kind === 'curate' && { saidAt: publishers.map((publisher) => publisher.id) }),
    ...(kind === 'summarise' && { failedMessages: 'defer' as const }),
  };
  const edits = revisions === null ? null : new EditNoticing({ ...press, revisions });
  const editBell = new Bell(clock);
  const makeEditsNow = async (signal?: AbortSignal): Promise<void> => {
    if (revisions !== null) await makeEdits({ ...press, revisions, bell: editBell }, signal);
  };
  const queue = settings.kind === 'process' ? await engine.queueOf(settings, claimsOf(memory)) : null;
  const workNow = workOf(settings, { claims, curator }, press, queue, parts.poller, parts);
  // Whatever a run leaves behind is looked at as soon as it ends.
  const work: typeof workNow = (...ask) => workNow(...ask).finally(() => bell.ring());
  const runner: RunnerParts = {
    pipeline: id,
    schedule,
    since: clock.now(),
    runs: engine.runs,
    clock,
    owner,
    // The original video tracker may have worked since the last run.
    onBegin: async () => {
      if ('adopt' in memory && kind === 'process') await memory.adopt?.();
    },
    work,
    events,
  };
  const keepScheduled = async ({ signal, running = signal, fence }: SchedulerTurn): Promise<void> => {
    if (!settings.enabled) return;
    await runOnSchedule({ ...runner, ...(fence !== undefined && { fence }) }, signal, running);
  };
  const keepWorking = async (signal: AbortSignal): Promise<void> => {
    if (!settings.enabled) return;
    const beats = `press:${id}`;
    const onTurn = (): void => parts.pulse.beat(beats, LONGEST_DISPATCH);
    const loops = [(stop: AbortSignal) => keepDispatching(press, bell, onTurn, stop)];
    if (settings.kind === 'process' && queue !== null) {
      const work = { ...press, ledger: claimsOf(memory) };
      loops.push((stop) =>
        keepProcessing(settings, work, queue, (judge) => judgeOf(judge, parts), parts, stop),
      );
    }
    if (revisions !== null) {
      const pause = (stop: AbortSignal): Promise<void> => editBell.wait(revisions.looksEveryMs, stop);
      loops.push((stop) => keepEditing(makeEditsNow, pause, press, stop));
    }
    await allGoing(loops, signal).finally(() => parts.pulse.forget(beats));
  };
  return {
    id,
    name,
    kind,
    ledger,
    outbox,
    sources: settings.sources,
    destinations: settings.publish,
    userId: publishers.some((p) => p.id === 'timeline') ? (await authorOf(id, name, authors)).id : null,
    scheduleText: inWords(schedule),
    run: (signal, watch, options) =>
      runOnce(
        { ...runner, work: (stop, tell, held) => work(stop, tell, { ...options, ...held }) },
        signal,
        watch,
      ),
    preview: (signal, watch) => preview(settings, memory, press, parts, signal, watch),
    keepScheduled,
    keepWorking,
    unfinished: (limit) => unfinishedOf(press, limit),
    nextRunAt: async () =>
      settings.enabled ? dueAt(schedule, (await engine.runs.last(id))?.startedAt ?? null, clock.now()) : null,
    correctFutureTimes: () =>
      correctFutureTimes({
        ...press,
        curator,
        destinations: settings.publish,
        leaseMs: settings.lease,
        leases,
      }),
    async dispatch(signal) {
      await dispatchDue(press, signal);
      await makeEditsNow(signal);
    },
    decideMessage: (key, decision, who) => decideMessage(key, decision, who, press),
    retryItem: (key, who) => retryItem(key, who, press),
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

function curatorOf(memory: PipelineMemory, owner: string): CuratorStore {
  return 'curator' in memory ? memory.curator : new LedgerCuratorStore({ ...memory, owner });
}

/** Makes edits that could not be made at once. */
async function keepEditing(
  makeEditsNow: (signal: AbortSignal) => Promise<void>,
  pause: (signal: AbortSignal) => Promise<void>,
  press: PressParts,
  signal: AbortSignal,
): Promise<void> {
  const turn = async (): Promise<'again'> => {
    await makeEditsNow(signal);
    await pause(signal);
    return 'again';
  };
  await endless(turn, { ...press, loop: 'editing' }, signal);
}

function inWords(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}
