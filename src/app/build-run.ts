import type { PipelineConfig } from '../config/resolve.ts';
import { OPEN_STATES } from '../item/lifecycle.ts';
import { interestsOf } from '../judge/interests.ts';
import type { Judge } from '../judge/judge.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore, Ledger, LedgerRecord } from '../ledger/ledger.ts';
import type { Delivery, MessageStore } from '../outbox/outbox.ts';
import { STORY_WINDOW_MS } from '../pipelines/choose.ts';
import type { Work } from '../pipelines/configured-pipeline.ts';
import { curate } from '../pipelines/curate.ts';
import type { CuratorStore } from '../pipelines/curator-store.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import { createPageReader } from '../pipelines/page-reader.ts';
import type { Preview } from '../pipelines/pipeline.ts';
import { checkSources } from '../pipelines/process.ts';
import type { PublishParts } from '../pipelines/publish.ts';
import { REJECTED_WINDOW_MS } from '../pipelines/re-evaluate.ts';
import { summarise } from '../pipelines/summarise.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import type { Queue } from '../queue/queue.ts';
import { countOutcomes, type RunProgress, type RunReport } from '../scheduler/run-report.ts';
import { Admission, type PollBatch } from '../sources/admission.ts';
import { Poller } from '../sources/poller.ts';
import type { SourceStore } from '../sources/source.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { MemorySourceStore } from '../storage/memory/source-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { DAY, HOUR } from '../time/duration.ts';
import type { PipelineParts } from './build-pipeline.ts';
import type { PipelineStores } from './engine.ts';

/** What a queue has had for so long without anybody taking it up is handed over again (D7). */
const REDELIVER_AFTER_MS = 24 * HOUR;

/** What runs work on, by kind. */
export interface WorkMemory {
  readonly claims: Ledger | null;
  readonly curator: CuratorStore | null;
}

export function buildWork(
  settings: PipelineConfig,
  memory: WorkMemory,
  press: PublishParts,
  queue: Queue | null,
  poller: Pick<Poller, 'readyFor'>,
  parts: PipelineParts,
): Work {
  const { sources } = settings;
  switch (settings.kind) {
    case 'curate': {
      const { minRelevanceScore, maxArticles, minArticles, maxJudgedPerRun } = settings;
      const store = present(memory.curator, 'store of a curator');
      const curator = {
        ...press,
        store,
        settings: {
          minRelevanceScore,
          maxArticles,
          minArticles,
          concurrency: 4,
          maxJudged: maxJudgedPerRun,
          sameStory: parts.config.identity.sameStory.enabled,
        },
        interests: interestsOf(settings.interests),
        judge: findJudge(settings.judge, parts),
        history: parts.history,
        reader: parts.reader,
        poller,
        sources,
      };
      return (...ask) => curate(curator, ...ask);
    }
    case 'summarise': {
      const { language, sentences, characters, maxPerRun } = settings;
      const judge = findJudge(settings.judge, parts);
      const bot = {
        ...press,
        ledger: present(memory.claims, 'ledger with claims'),
        style: { language, sentences: [sentences.least, sentences.most] as const, characters },
        judge,
        maxPerRun: maxPerRun,
        readPage: createPageReader(
          parts.reader,
          parts.attachments(settings.attachments),
          judge.abilities.takesPdf,
        ),
        poller,
        sources,
        leaseMs: settings.lease,
      };
      return (...ask) => summarise(bot, ...ask);
    }
    case 'process': {
      const { pipeline, clock } = press;
      const checker = {
        pipeline,
        ledger: present(memory.claims, 'ledger with claims'),
        clock,
        queue: present(queue, 'queue'),
        poller,
        sources,
        handOverAgainAfterMs: REDELIVER_AFTER_MS,
      };
      return (...ask) => checkSources(checker, ...ask);
    }
  }
}

function present<T>(part: T | null, what: string): T {
  if (part === null) throw new Error(`a pipeline of this kind needs a ${what}`);
  return part;
}

export function findJudge(id: string, { judges }: PipelineParts): Judge {
  const judge = judges.get(id);
  if (judge === undefined) throw new Error(`there is no judge ${id}`);
  return judge;
}

/** How far back a run looks at what is settled. */
const RECENT_MS = Math.max(STORY_WINDOW_MS, REJECTED_WINDOW_MS);

/**
 * What a run would do now. The real run, on a copy of what is open in memory, with destinations that never send: nothing is
 * written and nothing is said, and what is shown cannot differ from what would happen.
 */
export async function previewRun(
  settings: PipelineConfig,
  memory: PipelineStores,
  press: PublishParts,
  parts: PipelineParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<Preview> {
  const copy = openMemoryLedger({ clock: parts.clock, policy: memory.policy });
  await copyItems(memory.ledger, memory.outbox, copy.ledger, parts.clock.now() - RECENT_MS);
  const admission = new Admission({ clock: parts.clock });
  admission.add({
    pipeline: settings.id,
    sources: settings.sources,
    ledger: copy.ledger,
    ...(settings.firstContact !== undefined && { firstContact: settings.firstContact }),
    handOver: false,
  });
  const poller = new Poller({
    sources: parts.sources,
    store: await copySources(parts.engine.sources),
    admission: {
      admit: async (arrival) => admission.admit(await onlyUnknown(memory.ledger, arrival)),
      hasNewcomer: async (sourceId) => !(await memory.ledger.hasSeenSource(sourceId)),
      takeAdmitted: (pipeline) => admission.takeAdmitted(pipeline),
    },
    clock: parts.clock,
    random: () => 0,
    owner: parts.owner,
  });
  const { ledger, outbox } = copy;
  const curator = new LedgerCuratorStore({ ledger, outbox, owner: press.owner });
  const silent = {
    ...press,
    ledger,
    outbox,
    claims: ledger,
    events: silentEvents,
    caps: new Map(),
    publishers: press.publishers.map(withoutSending),
  };
  const queue = new LedgerQueue({ ledger: copy.ledger, clock: parts.clock });
  const history = { at: (version: string) => parts.history.at(version), save: async () => {} };
  const work = buildWork(settings, { claims: ledger, curator }, silent, queue, poller, { ...parts, history });
  const done = await work(signal, watch);
  const { deliveries } = await copy.outbox.list({ states: ['intended'], limit: 100 });
  const known = new Set(
    (await memory.outbox.list({ states: ['intended'], limit: 100 })).deliveries.map((d) => d.key),
  );
  const wouldBeSent = deliveries.filter((d) => !known.has(d.key));
  const messages = wouldBeSent.map(({ destination, body }) => ({ destination, body }));
  return { report: { ...withMessages(done, wouldBeSent), dryRun: true }, messages };
}

/** What waits here only because nothing is sent would be sent by a run. */
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
    // Nothing is sent, so there is no limit to wait for.
    rateLimitedUntil: () => 0,
    send: async () => ({ outcome: 'held', detail: 'a dry run sends nothing', until: Date.now() + DAY }),
  };
}

/** What is open, and what was settled lately: it may be judged again, or have told a story already. */
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
  // Read again even what is not due yet: a person who asks wants to see what is there now.
  for (const record of await from.list()) await copy.save({ ...record, nextAt: null });
  return copy;
}

async function onlyUnknown(ledger: ItemStore, arrival: PollBatch): Promise<PollBatch> {
  const known = await ledger.known(arrival.sightings.map(({ key }) => key));
  return { ...arrival, sightings: arrival.sightings.filter(({ key }) => !known.has(key)) };
}
