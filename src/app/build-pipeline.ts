import type { ArticleReader } from '../articles/article.ts';
import type { AttachmentLimits, AttachmentReader } from '../articles/attachments.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DailyCap } from '../outbox/daily-cap.ts';
import { applyEdits, EditDetector } from '../outbox/edits.ts';
import type { RevisionStore } from '../outbox/publishing-stores.ts';
import { WakeUpSignal, withWakeUp } from '../outbox/wake-up.ts';
import { runDispatchLoop } from '../pipelines/background-dispatch.ts';
import { commandProcessor } from '../pipelines/command-processor.ts';
import { correctFutureTimes } from '../pipelines/correct-times.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import { decideMessage, retryItem } from '../pipelines/decide-message.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import type { LeaderTerm, Pipeline } from '../pipelines/pipeline.ts';
import { runWorker } from '../pipelines/process.ts';
import { type Processor, summaryProcessor } from '../pipelines/processor.ts';
import { dispatchDue, type PublishParts } from '../pipelines/publish.ts';
import { findEmptyLedgers } from '../pipelines/renamed-pipelines.ts';
import type { RateLimits } from '../publishers/service-response.ts';
import type { Queue } from '../queue/queue.ts';
import type { Heartbeats } from '../scheduler/health.ts';
import { StalledLeaseDetector } from '../scheduler/lease.ts';
import { runLoop, runTogether } from '../scheduler/loop.ts';
import { unfinishedOf } from '../scheduler/run-report.ts';
import { dueAt, type Schedule } from '../scheduler/schedule.ts';
import { type RunnerParts, runOnce, runOnSchedule } from '../scheduler/scheduler.ts';
import type { UserAccounts } from '../social/user-accounts.ts';
import type { Admission } from '../sources/admission.ts';
import type { Poller } from '../sources/poller.ts';
import type { PolledSource } from '../sources/source-reader.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { formatDuration, MINUTE } from '../time/duration.ts';
import type { TimelineService } from '../timelines/timeline-service.ts';
import { buildPublishers, findOrCreateAuthor } from './build-publishers.ts';
import { buildWork, findJudge, previewRun } from './build-run.ts';
import { claimsOf, type Engine, type PipelineStores } from './engine.ts';

/** What every pipeline is made of. */
export interface PipelineParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
  /** By which it is seen that loops turn. */
  readonly heartbeats: Heartbeats;
  readonly fetcher: Fetcher;
  /** What services said about their limits. */
  readonly rateLimits: RateLimits;
  /** How much destinations get in a day, whoever sends it, by their IDs. */
  readonly caps: ReadonlyMap<string, DailyCap>;
  /** Where messages are noted that are to be edited; `null` where no destination does that. */
  readonly revisions: RevisionStore | null;
  readonly reader: ArticleReader;
  readonly attachments: (limits: AttachmentLimits) => AttachmentReader;
  readonly judges: ReadonlyMap<string, Judge>;
  readonly history: InterestsHistory;
  /** Every enabled source, by its ID. */
  readonly sources: ReadonlyMap<string, PolledSource>;
  readonly poller: Poller;
  readonly timelines: TimelineService;
  /** Where pipelines get their authors. */
  readonly authors: UserAccounts;
  /** This process, in claims and leases. */
  readonly owner: string;
}

/** Every pipeline of the configuration, each getting what its sources report. */
export async function buildPipelines(
  parts: PipelineParts,
  admission: Admission,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Pipeline>> {
  const { config, engine, log } = parts;
  const pipelines = new Map<string, Pipeline>();
  for (const { pipeline, detail, cure } of await findEmptyLedgers(config, engine.runs))
    log.warn('Pipeline starts with an empty memory', { pipeline, detail, cure });
  for (const settings of Object.values(config.pipelines)) {
    const { id, kind, sources } = settings;
    const memory = await engine.pipelineStores(settings, signal);
    const pipeline = await buildPipeline(settings, memory, parts);
    pipelines.set(id, pipeline);
    admission.add({
      pipeline: id,
      sources,
      ledger: memory.ledger,
      ...(settings.firstContact !== undefined && { firstContact: settings.firstContact }),
      handOver: kind === 'process' && settings.queue === 'pubsub',
      edits: pipeline,
    });
  }
  return pipelines;
}

/** A round that takes longer than this hangs: each message has a time limit of its own. */
const MAX_DISPATCH_MS = 15 * MINUTE;

/** One pipeline of the configuration, on its memory. */
export async function buildPipeline(
  settings: PipelineConfig,
  memory: PipelineStores,
  parts: PipelineParts,
): Promise<Pipeline> {
  const {
    clock,
    engine,
    owner,
    authors,
    config,
    fetcher,
    events,
    rateLimits: rests,
    caps,
    revisions,
  } = parts;
  const { id, name, kind, schedule } = settings;
  const { ledger, policy } = memory;
  const claims = 'curator' in memory ? null : memory.ledger;
  const curator = kind === 'curate' ? curatorOf(memory, owner) : null;
  const bell = new WakeUpSignal(clock);
  const leases = new StalledLeaseDetector(clock);
  const outbox = withWakeUp(memory.outbox, bell);
  const { social } = engine;
  const publishers = await buildPublishers(id, {
    config,
    fetcher,
    social,
    authors,
    clock,
    rateLimits: rests,
  });
  const press: PublishParts = {
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
    ...(kind === 'curate' && { requiredDestinations: publishers.map((publisher) => publisher.id) }),
    ...(kind === 'summarise' && { failedMessages: 'defer' as const }),
  };
  const edits = revisions === null ? null : new EditDetector({ ...press, revisions });
  const editBell = new WakeUpSignal(clock);
  const makeEditsNow = async (signal?: AbortSignal): Promise<void> => {
    if (revisions !== null) await applyEdits({ ...press, revisions, wakeUp: editBell }, signal);
  };
  const queue = settings.kind === 'process' ? await engine.queueFor(settings, claimsOf(memory)) : null;
  const workNow = buildWork(settings, { claims, curator }, press, queue, parts.poller, parts);
  // Whatever a run leaves behind is looked at as soon as it ends.
  const work: typeof workNow = (...ask) => workNow(...ask).finally(() => bell.wake());
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
  const keepScheduled = async ({ signal, runSignal: running = signal, fence }: LeaderTerm): Promise<void> => {
    if (!settings.enabled) return;
    await runOnSchedule({ ...runner, ...(fence !== undefined && { fence }) }, signal, running);
  };
  const keepWorking = async (signal: AbortSignal): Promise<void> => {
    if (!settings.enabled) return;
    const beats = `press:${id}`;
    const onTurn = (): void => parts.heartbeats.beat(beats, MAX_DISPATCH_MS);
    const loops = [(stop: AbortSignal) => runDispatchLoop(press, bell, onTurn, stop)];
    if (settings.kind === 'process' && queue !== null) {
      const work = { ...press, ledger: claimsOf(memory) };
      loops.push((stop) =>
        runProcessWorker(settings, work, queue, (judge) => findJudge(judge, parts), parts, stop),
      );
    }
    if (revisions !== null) {
      const pause = (stop: AbortSignal): Promise<void> => editBell.wait(revisions.pollIntervalMs, stop);
      loops.push((stop) => runEditLoop(makeEditsNow, pause, press, stop));
    }
    await runTogether(loops, signal).finally(() => parts.heartbeats.remove(beats));
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
      ? (await findOrCreateAuthor(id, name, authors)).id
      : null,
    scheduleText: describeSchedule(schedule),
    run: (signal, watch, options) =>
      runOnce(
        { ...runner, work: (stop, tell, held) => work(stop, tell, { ...options, ...held }) },
        signal,
        watch,
      ),
    preview: (signal, watch) => previewRun(settings, memory, press, parts, signal, watch),
    runOnSchedule: keepScheduled,
    runBackgroundWork: keepWorking,
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
      await edits?.detect(sightings);
      await makeEditsNow();
    },
    sweep: ({ dryRun, onProgress, signal }) =>
      ledger.sweep({
        keep: settings.keep,
        withoutTombstone: settings.forget,
        keepTombstones: config.retention.tombstones,
        dryRun,
        ...(onProgress !== undefined && { onProgress }),
        ...(signal !== undefined && { signal }),
      }),
  };
}

function curatorOf(memory: PipelineStores, owner: string): CuratorStore {
  return 'curator' in memory ? memory.curator : new LedgerCuratorStore({ ...memory, owner });
}

/** Makes edits that could not be made at once. */
async function runEditLoop(
  makeEditsNow: (signal: AbortSignal) => Promise<void>,
  pause: (signal: AbortSignal) => Promise<void>,
  press: PublishParts,
  signal: AbortSignal,
): Promise<void> {
  const turn = async (): Promise<'again'> => {
    await makeEditsNow(signal);
    await pause(signal);
    return 'again';
  };
  await runLoop(turn, { ...press, loop: 'editing' }, signal);
}

function describeSchedule(schedule: Schedule): string {
  return schedule.kind === 'cron'
    ? `${schedule.expression} (${schedule.timeZone})`
    : `every ${formatDuration(schedule.ms)}`;
}

type ProcessConfig = Extract<PipelineConfig, { kind: 'process' }>;

/** The worker of a process pipeline, until the signal; at once where this copy only looks for videos. */
export async function runProcessWorker(
  settings: ProcessConfig,
  press: PublishParts & { readonly ledger: Ledger },
  queue: Queue,
  judgeOf: (id: string) => Judge,
  parts: PipelineParts,
  signal: AbortSignal,
): Promise<void> {
  if (!settings.worker) return;
  const { concurrency } = settings.processor;
  const processor = createProcessor(settings, judgeOf, parts);
  await runWorker({ ...press, queue, processor, concurrency, leaseMs: settings.lease }, signal);
}

function createProcessor(
  { processor }: ProcessConfig,
  judgeOf: (id: string) => Judge,
  { clock, config }: PipelineParts,
): Processor {
  if (processor.kind === 'builtin') {
    return summaryProcessor({ judge: judgeOf(processor.judge), language: processor.language });
  }
  const { command, folder = config.data, timeout, keepOutput } = processor;
  return commandProcessor({ command, folder, timeoutMs: timeout, keepOutput, clock });
}
