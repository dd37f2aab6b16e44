import { SecretNotLoadedError } from '../config/secrets.ts';
import { OPEN_STATES } from '../item/lifecycle.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore, Ledger, LedgerRecord } from '../ledger/ledger.ts';
import type { Delivery, MessageStore, Outbox } from '../outbox/outbox.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { countOutcomes, type RunProgress, type RunReport } from '../scheduler/run-report.ts';
import { Admission, type PollBatch } from '../sources/admission.ts';
import type { PipelineSources } from '../sources/pipeline-sources.ts';
import { Poller } from '../sources/poller.ts';
import type { FirstContact, SourceStore } from '../sources/source.ts';
import type { PolledSources } from '../sources/source-reader.ts';
import { silentEvents } from '../telemetry/events.ts';
import { DAY } from '../time/duration.ts';
import { STORY_WINDOW_MS } from './choose.ts';
import type { Work } from './configured-pipeline.ts';
import type { Preview } from './pipeline.ts';
import type { PublishDependencies } from './publish.ts';
import { REJECTED_WINDOW_MS } from './re-evaluate.ts';

/** How far back a run reads finished items. */
const RECENT_MS = Math.max(STORY_WINDOW_MS, REJECTED_WINDOW_MS);

/** An empty in-memory copy of the stores that a run writes to. */
export interface PreviewStores {
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly sources: SourceStore;
}

export interface PreviewDependencies {
  readonly pipeline: {
    readonly id: string;
    readonly firstContact?: FirstContact;
  };
  readonly pipelineSources: PipelineSources;
  /** The real stores; only read. */
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
  readonly sourceStore: SourceStore;
  readonly publishing: PublishDependencies;
  /** Every enabled source, by its ID. */
  readonly sources: PolledSources;
  readonly openCopy: () => PreviewStores;
  /** The run of the pipeline, on a copy of its stores. */
  readonly workOn: (copy: PreviewStores, publishing: PublishDependencies, poller: Poller) => Work;
}

/** What a run would do now: the real run on an in-memory copy of the open items, with destinations that never send. */
export async function previewRun(
  deps: PreviewDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<Preview> {
  const { pipeline, publishing, openCopy, workOn } = deps;
  const { clock, owner } = publishing;
  const copy = openCopy();
  await copyItems(deps.ledger, deps.outbox, copy.ledger, clock.now() - RECENT_MS);
  // Poll all sources, even those that are not due: a preview shows the current items.
  for (const record of await deps.sourceStore.list()) await copy.sources.save({ ...record, nextAt: null });
  const admission = new Admission({ clock });
  admission.add({
    pipeline: pipeline.id,
    sources: deps.pipelineSources,
    ledger: copy.ledger,
    ...(pipeline.firstContact !== undefined && { firstContact: pipeline.firstContact }),
    handOver: false,
  });
  const poller = new Poller({
    sources: deps.sources,
    store: copy.sources,
    admission: {
      admit: async (batch) => admission.admit(await onlyUnknown(deps.ledger, batch)),
      hasNewcomer: async (sourceId) => !(await deps.ledger.hasSeenSource(sourceId)),
      takeAdmitted: (id) => admission.takeAdmitted(id),
    },
    clock,
    random: () => 0,
    owner,
  });
  const silent = {
    ...publishing,
    ledger: copy.ledger,
    outbox: copy.outbox,
    claims: copy.ledger,
    events: silentEvents,
    caps: new Map(),
    publishers: publishing.publishers.map(withoutSending),
  };
  const done = await workOn(copy, silent, poller)(signal, watch);
  const { deliveries } = await copy.outbox.list({ states: ['intended'], limit: 100 });
  const known = new Set(
    (await deps.outbox.list({ states: ['intended'], limit: 100 })).deliveries.map((d) => d.key),
  );
  const unsent = deliveries.filter((d) => !known.has(d.key));
  const messages = unsent.map(({ destination, body }) => ({ destination, body }));
  return { report: { ...withMessages(done, unsent), dryRun: true }, messages };
}

/** Reports items that a real run would finish as accepted, with the destinations of their messages. */
function withMessages(report: RunReport, messages: readonly Delivery[]): RunReport {
  const items = report.items.map((item) => {
    const to = messages.filter(({ itemKeys }) => itemKeys.includes(item.key));
    if (to.length === 0 && item.outcome === 'published')
      return { ...item, outcome: 'accepted' as const, why: 'would be processed' };
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
    // The limits of a server cannot be read without its token; the defaults stay in use.
    prepare: async (signal) => {
      try {
        await publisher.prepare?.(signal);
      } catch (error) {
        if (!(error instanceof SecretNotLoadedError)) throw error;
      }
    },
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

async function onlyUnknown(ledger: ItemStore, batch: PollBatch): Promise<PollBatch> {
  const known = await ledger.known(batch.sightings.map(({ key }) => key));
  return { ...batch, sightings: batch.sightings.filter(({ key }) => !known.has(key)) };
}
