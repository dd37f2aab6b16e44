import type { ArticleReader } from '../articles/article.ts';
import type { AttachmentLimits, AttachmentReader } from '../articles/attachments.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DailyCap } from '../outbox/daily-cap.ts';
import type { RevisionStore } from '../outbox/publishing-stores.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { commandProcessor } from '../pipelines/command-processor.ts';
import { ConfiguredPipeline } from '../pipelines/configured-pipeline.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { runWorker } from '../pipelines/process.ts';
import { type Processor, summaryProcessor } from '../pipelines/processor.ts';
import type { PublishParts } from '../pipelines/publish.ts';
import { findEmptyLedgers } from '../pipelines/renamed-pipelines.ts';
import type { RateLimits } from '../publishers/service-response.ts';
import type { Queue } from '../queue/queue.ts';
import type { Heartbeats } from '../scheduler/health.ts';
import { type AuthorAccounts, findOrCreateAuthor } from '../social/user-accounts.ts';
import type { Admission } from '../sources/admission.ts';
import type { Poller } from '../sources/poller.ts';
import type { PolledSource } from '../sources/source-reader.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { TimelineService } from '../timelines/timeline-service.ts';
import { buildPublishers } from './build-publishers.ts';
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
  readonly authors: AuthorAccounts;
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

/** One pipeline of the configuration, on its stores. */
async function buildPipeline(
  settings: PipelineConfig,
  stores: PipelineStores,
  parts: PipelineParts,
): Promise<Pipeline> {
  const { clock, engine, owner, authors, config, fetcher, events, rateLimits, caps, revisions } = parts;
  const { id, name, kind } = settings;
  const { social } = engine;
  const claims = 'curator' in stores ? null : stores.ledger;
  const curator = kind === 'curate' ? curatorOf(stores, owner) : null;
  const publishers = await buildPublishers(id, { config, fetcher, social, authors, clock, rateLimits });
  const publishing = {
    pipeline: id,
    publishers,
    caps,
    ledger: stores.ledger,
    claims,
    outbox: stores.outbox,
    wakeUp: new WakeUpSignal(clock),
    policy: stores.policy,
    clock,
    owner,
    events,
    ...(engine.restored && { restored: engine.restored }),
    // The curator sends in its next run what is missing at a destination.
    ...(kind === 'curate' && { requiredDestinations: publishers.map((publisher) => publisher.id) }),
    ...(kind === 'summarise' && { failedMessages: 'defer' as const }),
  };
  const queue = settings.kind === 'process' ? await engine.queueFor(settings, claimsOf(stores)) : null;
  return new ConfiguredPipeline({
    settings,
    publishing,
    curator,
    runs: engine.runs,
    work: buildWork(settings, { claims, curator }, publishing, queue, parts.poller, parts),
    preview: (signal, watch) => previewRun(settings, stores, publishing, parts, signal, watch),
    worker:
      settings.kind === 'process' && settings.worker && queue !== null
        ? buildWorker(settings, { ...publishing, ledger: claimsOf(stores) }, queue, parts)
        : null,
    // The original video tracker may have worked since the last run.
    adopt: kind === 'process' && 'adopt' in stores ? async () => stores.adopt?.() : null,
    revisions,
    heartbeats: parts.heartbeats,
    userId: publishers.some((publisher) => publisher.id === 'timeline')
      ? (await findOrCreateAuthor(id, name, authors)).id
      : null,
    tombstonesMs: config.retention.tombstones,
  });
}

function curatorOf(memory: PipelineStores, owner: string): CuratorStore {
  return 'curator' in memory ? memory.curator : new LedgerCuratorStore({ ...memory, owner });
}

type ProcessConfig = Extract<PipelineConfig, { kind: 'process' }>;

/** The worker of a process pipeline. */
function buildWorker(
  settings: ProcessConfig,
  publishing: PublishParts & { readonly ledger: Ledger },
  queue: Queue,
  parts: PipelineParts,
): (signal: AbortSignal) => Promise<void> {
  const { concurrency } = settings.processor;
  const processor = createProcessor(settings, (judge) => findJudge(judge, parts), parts);
  const worker = { ...publishing, queue, processor, concurrency, leaseMs: settings.lease };
  return (signal) => runWorker(worker, signal);
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
