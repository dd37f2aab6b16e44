import type { ArticleReader } from '../articles/article.ts';
import type { AttachmentLimits, AttachmentReader } from '../articles/attachments.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { OPEN_STATES } from '../item/lifecycle.ts';
import { type InterestsHistory, interestsOf } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore, Ledger, LedgerRecord } from '../ledger/ledger.ts';
import type { DailyCap } from '../outbox/daily-cap.ts';
import type { Delivery, MessageStore } from '../outbox/outbox.ts';
import type { RevisionStore } from '../outbox/publishing-stores.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { STORY_WINDOW_MS } from '../pipelines/choose.ts';
import { commandProcessor } from '../pipelines/command-processor.ts';
import { ConfiguredPipeline, type Work } from '../pipelines/configured-pipeline.ts';
import { curate } from '../pipelines/curate.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import { createPageReader } from '../pipelines/page-reader.ts';
import type { Pipeline, Preview } from '../pipelines/pipeline.ts';
import { checkSources, runWorker } from '../pipelines/process.ts';
import { type Processor, summaryProcessor } from '../pipelines/processor.ts';
import type { PublishDependencies } from '../pipelines/publish.ts';
import { REJECTED_WINDOW_MS } from '../pipelines/re-evaluate.ts';
import { findEmptyLedgers } from '../pipelines/renamed-pipelines.ts';
import { summarise } from '../pipelines/summarise.ts';
import type { Publisher } from '../publishers/publisher.ts';
import type { RateLimits } from '../publishers/service-response.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import type { Queue } from '../queue/queue.ts';
import type { Heartbeats } from '../scheduler/health.ts';
import { countOutcomes, type RunProgress, type RunReport } from '../scheduler/run-report.ts';
import { type AuthorAccounts, findOrCreateAuthor } from '../social/user-accounts.ts';
import { Admission, type PollBatch } from '../sources/admission.ts';
import { Poller } from '../sources/poller.ts';
import type { SourceStore } from '../sources/source.ts';
import type { PolledSource } from '../sources/source-reader.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { MemorySourceStore } from '../storage/memory/source-store.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, HOUR } from '../time/duration.ts';
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
  /** Every enabled source, by its ID. */
  readonly sources: ReadonlyMap<string, PolledSource>;
  readonly poller: Poller;
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
    const { id, kind, sources } = settings;
    const stores = await engine.pipelineStores(settings, signal);
    const pipeline = await buildPipeline(settings, stores, deps);
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
  stores: PipelineStores,
  deps: PipelineDependencies,
): Promise<Pipeline> {
  const { clock, engine, owner, authors, config, fetcher, events, rateLimits, caps, revisions } = deps;
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
    // The next run of a curator sends messages that are missing at a destination.
    ...(kind === 'curate' && { requiredDestinations: publishers.map((publisher) => publisher.id) }),
    ...(kind === 'summarise' && { failedMessages: 'defer' as const }),
  };
  const queue = settings.kind === 'process' ? await engine.queueFor(settings, claimsOf(stores)) : null;
  return new ConfiguredPipeline({
    settings,
    publishing,
    curator,
    runs: engine.runs,
    work: buildWork(settings, { claims, curator }, publishing, queue, deps.poller, deps),
    preview: (signal, watch) => previewRun(settings, stores, publishing, deps, signal, watch),
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
export interface WorkStores {
  readonly claims: Ledger | null;
  readonly curator: CuratorStore | null;
}

export function buildWork(
  settings: PipelineConfig,
  stores: WorkStores,
  publishing: PublishDependencies,
  queue: Queue | null,
  poller: Pick<Poller, 'readyFor'>,
  deps: PipelineDependencies,
): Work {
  const { sources } = settings;
  switch (settings.kind) {
    case 'curate': {
      const { minRelevanceScore, maxArticles, minArticles, maxJudgedPerRun } = settings;
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
        interests: interestsOf(settings.interests),
        judge: findJudge(settings.judge, deps),
        history: deps.history,
        reader: deps.reader,
        poller,
        sources,
      };
      return (...args) => curate(curator, ...args);
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

export function findJudge(id: string, { judges }: PipelineDependencies): Judge {
  const judge = judges.get(id);
  if (judge === undefined) throw new Error(`there is no judge ${id}`);
  return judge;
}

/** How far back a run reads finished items. */
const RECENT_MS = Math.max(STORY_WINDOW_MS, REJECTED_WINDOW_MS);

/** What a run would do now: the real run on an in-memory copy of the open items, with destinations that never send. */
export async function previewRun(
  settings: PipelineConfig,
  stores: PipelineStores,
  publishing: PublishDependencies,
  deps: PipelineDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<Preview> {
  const copy = openMemoryLedger({ clock: deps.clock, policy: stores.policy });
  await copyItems(stores.ledger, stores.outbox, copy.ledger, deps.clock.now() - RECENT_MS);
  const admission = new Admission({ clock: deps.clock });
  admission.add({
    pipeline: settings.id,
    sources: settings.sources,
    ledger: copy.ledger,
    ...(settings.firstContact !== undefined && { firstContact: settings.firstContact }),
    handOver: false,
  });
  const poller = new Poller({
    sources: deps.sources,
    store: await copySources(deps.engine.sources),
    admission: {
      admit: async (batch) => admission.admit(await onlyUnknown(stores.ledger, batch)),
      hasNewcomer: async (sourceId) => !(await stores.ledger.hasSeenSource(sourceId)),
      takeAdmitted: (pipeline) => admission.takeAdmitted(pipeline),
    },
    clock: deps.clock,
    random: () => 0,
    owner: deps.owner,
  });
  const { ledger, outbox } = copy;
  const curator = new LedgerCuratorStore({ ledger, outbox, owner: publishing.owner });
  const silent = {
    ...publishing,
    ledger,
    outbox,
    claims: ledger,
    events: silentEvents,
    caps: new Map(),
    publishers: publishing.publishers.map(withoutSending),
  };
  const queue = new LedgerQueue({ ledger: copy.ledger, clock: deps.clock });
  const history = { at: (version: string) => deps.history.at(version), save: async () => {} };
  const work = buildWork(settings, { claims: ledger, curator }, silent, queue, poller, { ...deps, history });
  const done = await work(signal, watch);
  const { deliveries } = await copy.outbox.list({ states: ['intended'], limit: 100 });
  const known = new Set(
    (await stores.outbox.list({ states: ['intended'], limit: 100 })).deliveries.map((d) => d.key),
  );
  const unsent = deliveries.filter((d) => !known.has(d.key));
  const messages = unsent.map(({ destination, body }) => ({ destination, body }));
  return { report: { ...withMessages(done, unsent), dryRun: true }, messages };
}

/** Reports items with unsent messages as accepted: a real run would send them. */
function withMessages(report: RunReport, messages: readonly Delivery[]): RunReport {
  const items = report.items.map((item) => {
    const to = messages.filter(({ itemKeys }) => itemKeys.includes(item.key));
    if (to.length === 0) return item;
    // The outbox lists the newest first.
    const why = `would be sent to ${to
      .map(({ destination }) => destination)
      .reverse()
      .join(', ')}`;
    return { ...item, outcome: 'accepted' as const, why };
  });
  return { ...report, items, counts: countOutcomes(items) };
}

function withoutSending(publisher: Publisher): Publisher {
  return {
    ...publisher,
    // Nothing is sent, so no rate limit applies.
    rateLimitedUntil: () => 0,
    send: async () => ({ outcome: 'held', detail: 'a dry run sends nothing', until: Date.now() + DAY }),
  };
}

/** Copies open items, and recently finished ones: a run may re-evaluate them or find that their story was published. */
async function copyItems(from: ItemStore, outbox: MessageStore, to: ItemStore, since: number): Promise<void> {
  for (const state of [...OPEN_STATES, 'published', 'rejected'] as const) {
    for (const item of await allItems(from, state, OPEN_STATES.includes(state) ? 0 : since)) {
      const records: LedgerRecord[] = [
        { kind: 'item', item, token: 0, handOver: false, sightings: [], history: [] },
      ];
      for (const delivery of await outbox.ofItem(item.key)) records.push({ kind: 'delivery', delivery });
      await to.load(records);
    }
  }
}

async function copySources(from: SourceStore): Promise<SourceStore> {
  const copy = new MemorySourceStore();
  // Poll all sources, even those that are not due: a preview shows the current items.
  for (const record of await from.list()) await copy.save({ ...record, nextAt: null });
  return copy;
}

async function onlyUnknown(ledger: ItemStore, batch: PollBatch): Promise<PollBatch> {
  const known = await ledger.known(batch.sightings.map(({ key }) => key));
  return { ...batch, sightings: batch.sightings.filter(({ key }) => !known.has(key)) };
}
