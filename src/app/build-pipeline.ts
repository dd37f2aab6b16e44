import type { ArticleReader } from '../articles/article.ts';
import type { AttachmentLimits, AttachmentReader } from '../articles/attachments.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { InterestsHistory } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import type { Learning } from '../learning/learning.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DailyCap } from '../outbox/daily-cap.ts';
import type { RevisionStore } from '../outbox/publishing-stores.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import type { StoryDeciders } from '../pipelines/choose.ts';
import { commandProcessor } from '../pipelines/command-processor.ts';
import { ConfiguredPipeline, type Work } from '../pipelines/configured-pipeline.ts';
import { curate } from '../pipelines/curate.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import type { LiveInterests } from '../pipelines/live-interests.ts';
import { createPageReader } from '../pipelines/page-reader.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { LivePipelineSettings } from '../pipelines/pipeline-settings.ts';
import { type PreviewStores, previewRun } from '../pipelines/preview.ts';
import { checkAndProcess, checkSources, runWorker } from '../pipelines/process.ts';
import { notRun, type Processor, summaryProcessor } from '../pipelines/processor.ts';
import type { PublishDependencies } from '../pipelines/publish.ts';
import { findEmptyLedgers } from '../pipelines/renamed-pipelines.ts';
import { summarise } from '../pipelines/summarise.ts';
import type { RateLimits } from '../publishers/service-response.ts';
import type { Queue } from '../queue/queue.ts';
import type { Heartbeats } from '../scheduler/health.ts';
import { type AuthorAccounts, findOrCreateAuthor } from '../social/user-accounts.ts';
import type { Admission } from '../sources/admission.ts';
import { livePipelineSources, type PipelineSources } from '../sources/pipeline-sources.ts';
import type { Poller } from '../sources/poller.ts';
import type { SourceCatalogue } from '../sources/source-catalogue.ts';
import type { PolledSources } from '../sources/source-reader.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { MemorySourceStore } from '../storage/memory/source-store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { HOUR } from '../time/duration.ts';
import type { TimelineService } from '../timelines/timeline-service.ts';
import { buildPublishers } from './build-publishers.ts';
import { claimsOf, type Engine, type PipelineStores } from './engine.ts';

/** Collaborators of every pipeline. */
export interface PipelineDependencies {
  readonly config: Config;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly events: Events;
  readonly log: Logger;
  /** Watchdog of the loops. */
  readonly heartbeats: Heartbeats;
  readonly fetcher: Fetcher;
  /** Rate limits that services reported. */
  readonly rateLimits: RateLimits;
  /** Daily caps of the destinations for all pipelines and replicas, by their IDs. */
  readonly caps: ReadonlyMap<string, DailyCap>;
  /** Requested edits of messages; `null` if no destination edits. */
  readonly revisions: RevisionStore | null;
  readonly reader: ArticleReader;
  readonly attachments: (limits: AttachmentLimits) => AttachmentReader;
  readonly judges: ReadonlyMap<string, Judge>;
  readonly history: InterestsHistory;
  readonly catalogue: SourceCatalogue;
  readonly sources: PolledSources;
  readonly poller: Poller;
  /** Who decides besides the rules which items are about the same story. */
  readonly stories: StoryDeciders;
  /** What can be changed while the program runs. */
  readonly pipelineSettings: LivePipelineSettings;
  readonly interests: LiveInterests;
  readonly learning: Learning;
  readonly timelines: TimelineService;
  /** Finds or creates the authors of drops. */
  readonly authors: AuthorAccounts;
  /** This process, in claims and leases. */
  readonly owner: string;
}

/** Every pipeline of the configuration, each getting what its sources report. */
export async function buildPipelines(
  deps: PipelineDependencies,
  admission: Admission,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Pipeline>> {
  const { config, engine, log } = deps;
  const pipelines = new Map<string, Pipeline>();
  for (const { pipeline, detail, cure } of await findEmptyLedgers(config, engine.runs))
    log.warn('Pipeline starts with an empty ledger', { pipeline, detail, cure });
  for (const settings of Object.values(config.pipelines)) {
    const { id, kind } = settings;
    const stores = await engine.pipelineStores(settings, signal);
    const sources = livePipelineSources(settings, deps.catalogue);
    const pipeline = await buildPipeline(settings, sources, stores, deps);
    pipelines.set(id, pipeline);
    admission.add({
      pipeline: id,
      sources,
      ledger: stores.ledger,
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
  sources: PipelineSources,
  stores: PipelineStores,
  deps: PipelineDependencies,
): Promise<Pipeline> {
  const { clock, engine, owner, authors, config, fetcher, events, log, rateLimits, caps, revisions } = deps;
  const { id, name, kind } = settings;
  const { social } = engine;
  const claims = 'curator' in stores ? null : stores.ledger;
  const curator = kind === 'curate' ? curatorOf(stores, owner) : null;
  const publishers = await buildPublishers(id, { config, fetcher, social, authors, clock, log, rateLimits });
  const publishing = {
    pipeline: id,
    publishers,
    entries: engine.entries,
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
    // The next run of a curator sends messages that are missing at a destination.
    ...(kind === 'curate' && { requiredDestinations: publishers.map((publisher) => publisher.id) }),
    ...(kind === 'summarise' && { failedMessages: 'defer' as const }),
  };
  const queue = settings.kind === 'process' ? await engine.queueFor(settings, claimsOf(stores)) : null;
  const preview = {
    pipeline: settings,
    pipelineSources: sources,
    ledger: stores.ledger,
    outbox: stores.outbox,
    sourceStore: engine.sources,
    publishing,
    sources: deps.sources,
    openCopy: () => ({
      ...openMemoryLedger({ clock, policy: stores.policy }),
      sources: new MemorySourceStore(clock),
    }),
    workOn: ({ ledger, outbox }: PreviewStores, silent: PublishDependencies, poller: Poller) =>
      settings.kind === 'process'
        ? buildProcessPreview(settings, sources, { ...silent, ledger }, poller, deps)
        : buildWork(
            settings,
            sources,
            { claims: ledger, curator: new LedgerCuratorStore({ ledger, outbox, owner }) },
            silent,
            null,
            poller,
            { ...deps, history: { at: (version) => deps.history.at(version), save: async () => {} } },
          ),
  };
  return new ConfiguredPipeline({
    settings,
    live: deps.pipelineSettings,
    sources,
    publishing,
    curator,
    runs: engine.runs,
    work: buildWork(settings, sources, { claims, curator }, publishing, queue, deps.poller, deps),
    preview: (signal, watch) => previewRun(preview, signal, watch),
    worker:
      settings.kind === 'process' && settings.worker && queue !== null
        ? buildWorker(settings, { ...publishing, ledger: claimsOf(stores) }, queue, deps)
        : null,
    // The original video tracker may have worked since the last run.
    adopt: kind === 'process' && 'adopt' in stores ? async () => stores.adopt?.() : null,
    revisions,
    heartbeats: deps.heartbeats,
    userId: publishers.some((publisher) => publisher.id === 'timeline')
      ? (await findOrCreateAuthor(id, name, authors)).id
      : null,
    tombstonesMs: config.retention.tombstones,
  });
}

function curatorOf(stores: PipelineStores, owner: string): CuratorStore {
  return 'curator' in stores ? stores.curator : new LedgerCuratorStore({ ...stores, owner });
}

type ProcessConfig = Extract<PipelineConfig, { kind: 'process' }>;

/** The worker of a process pipeline. */
function buildWorker(
  settings: ProcessConfig,
  publishing: PublishDependencies & { readonly ledger: Ledger },
  queue: Queue,
  deps: PipelineDependencies,
): (signal: AbortSignal) => Promise<void> {
  const { concurrency } = settings.processor;
  const processor = createProcessor(settings, (judge) => findJudge(judge, deps), deps);
  const worker = { ...publishing, queue, processor, concurrency, leaseMs: settings.lease };
  return (signal) => runWorker(worker, signal);
}

/** A dry run of a process pipeline: it asks a judge for summaries, and does not run a command. */
function buildProcessPreview(
  settings: ProcessConfig,
  sources: Iterable<string>,
  publishing: PublishDependencies & { readonly ledger: Ledger },
  poller: Pick<Poller, 'readyFor'>,
  deps: PipelineDependencies,
): Work {
  const { lease: leaseMs, processor: configured } = settings;
  const processor =
    configured.kind === 'command'
      ? notRun
      : createProcessor(settings, (judge) => findJudge(judge, deps), deps);
  const work = { ...publishing, processor, leaseMs };
  return (...args) => checkAndProcess({ ...publishing, poller, sources }, work, ...args);
}

function createProcessor(
  { processor }: ProcessConfig,
  judgeOf: (id: string) => Judge,
  { clock, config }: PipelineDependencies,
): Processor {
  if (processor.kind === 'builtin') {
    return summaryProcessor({ judge: judgeOf(processor.judge), language: processor.language });
  }
  const { command, folder = config.data, timeout, keepOutput } = processor;
  return commandProcessor({ command, folder, timeoutMs: timeout, keepOutput, clock });
}

/** An item that no worker has claimed after this time is handed over to the queue again (D7). */
const REDELIVER_AFTER_MS = 24 * HOUR;

/** Stores of a run, by kind of pipeline. */
interface WorkStores {
  readonly claims: Ledger | null;
  readonly curator: CuratorStore | null;
}

function buildWork(
  settings: PipelineConfig,
  sources: PipelineSources,
  stores: WorkStores,
  publishing: PublishDependencies,
  queue: Queue | null,
  poller: Pick<Poller, 'readyFor'>,
  deps: PipelineDependencies,
): Work {
  switch (settings.kind) {
    case 'curate': {
      const { id, minRelevanceScore, maxArticles, minArticles, maxJudgedPerRun } = settings;
      const store = present(stores.curator, 'store of a curator');
      const curator = {
        ...publishing,
        store,
        settings: {
          minRelevanceScore,
          maxArticles,
          minArticles,
          concurrency: 4,
          maxJudged: maxJudgedPerRun,
          sameStory: deps.config.identity.sameStory.enabled,
        },
        judge: findJudge(settings.judge, deps),
        history: deps.history,
        learning: settings.learning ? deps.learning : null,
        stories: deps.stories,
        reader: deps.reader,
        poller,
        sources,
      };
      return async (...args) => {
        const { minScore } = await deps.pipelineSettings.effective(id);
        const current = { ...curator.settings, minRelevanceScore: minScore ?? minRelevanceScore };
        const interests = present(await deps.interests.effective(id), 'list of interests');
        return curate({ ...curator, interests, settings: current }, ...args);
      };
    }
    case 'summarise': {
      const { language, sentences, characters, maxPerRun } = settings;
      const judge = findJudge(settings.judge, deps);
      const bot = {
        ...publishing,
        ledger: present(stores.claims, 'ledger with claims'),
        style: { language, sentences: [sentences.least, sentences.most] as const, characters },
        judge,
        maxPerRun: maxPerRun,
        readPage: createPageReader(
          deps.reader,
          deps.attachments(settings.attachments),
          judge.abilities.takesPdf,
        ),
        poller,
        sources,
        leaseMs: settings.lease,
      };
      return (...args) => summarise(bot, ...args);
    }
    case 'process': {
      const { pipeline, clock } = publishing;
      const checker = {
        pipeline,
        ledger: present(stores.claims, 'ledger with claims'),
        clock,
        queue: present(queue, 'queue'),
        poller,
        sources,
        handOverAgainAfterMs: REDELIVER_AFTER_MS,
      };
      return (...args) => checkSources(checker, ...args);
    }
  }
}

function present<T>(part: T | null, what: string): T {
  if (part === null) throw new Error(`a pipeline of this kind needs a ${what}`);
  return part;
}

function findJudge(id: string, { judges }: PipelineDependencies): Judge {
  const judge = judges.get(id);
  if (judge === undefined) throw new Error(`there is no judge ${id}`);
  return judge;
}
