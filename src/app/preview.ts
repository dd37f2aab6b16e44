import type { PipelineConfig } from '../config/settle.ts';
import { OPEN_STATES } from '../item/lifecycle.ts';
import type { ItemStore, LedgerRecord } from '../ledger/ledger.ts';
import { openMemoryLedger } from '../ledger/memory/open.ts';
import { allItems } from '../pipelines/all-items.ts';
import { REJECTED_WITHIN } from '../pipelines/judge-again.ts';
import { LedgerCuratorStore } from '../pipelines/ledger-curator-store.ts';
import { TOLD_WITHIN } from '../pipelines/one-story.ts';
import type { Preview } from '../pipelines/pipeline.ts';
import type { PressParts } from '../pipelines/press-room.ts';
import { countOutcomes, type RunProgress, type RunReport } from '../pipelines/run-report.ts';
import type { Delivery, Outbox } from '../press/outbox.ts';
import type { Publisher } from '../press/publisher.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import { Admission, type Arrival } from '../sources/admission.ts';
import { MemorySourceStore } from '../sources/memory/memory-source-store.ts';
import { Poller } from '../sources/poller.ts';
import type { SourceStore } from '../sources/source-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { DAY } from '../time/duration.ts';
import type { PipelineMemory } from './engine.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { workOf } from './work.ts';

/** How far back a run looks at what is settled. */
const RECENT = Math.max(TOLD_WITHIN, REJECTED_WITHIN);

/**
 * What a run would do now. The real run, on a copy of what is open in memory, with destinations that never send: nothing is
 * written and nothing is said, and what is shown cannot differ from what would happen.
 */
export async function preview(
  settings: PipelineConfig,
  memory: PipelineMemory,
  press: PressParts,
  parts: PipelineParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<Preview> {
  const copy = openMemoryLedger({ clock: parts.clock, policy: memory.policy });
  await copyItems(memory.ledger, memory.outbox, copy.ledger, parts.clock.now() - RECENT);
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
      admit: async (arrival) => admission.admit(await unknownTo(memory.ledger, arrival)),
      hasNewcomer: async (sourceId) => !(await memory.ledger.hasMet(sourceId)),
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
    publishers: press.publishers.map(silenced),
  };
  const queue = new LedgerQueue({ ledger: copy.ledger, clock: parts.clock });
  const history = { at: (version: string) => parts.history.at(version), remember: async () => {} };
  const work = workOf(settings, { claims: ledger, curator }, silent, queue, poller, { ...parts, history });
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

function silenced(publisher: Publisher): Publisher {
  return {
    ...publisher,
    // Nothing is sent, so there is no limit to wait for.
    restingUntil: () => 0,
    send: async () => ({ outcome: 'held', detail: 'a dry run sends nothing', until: Date.now() + DAY }),
  };
}

/** What is open, and what was settled lately: it may be judged again, or have told a story already. */
async function copyItems(from: ItemStore, outbox: Outbox, to: ItemStore, since: number): Promise<void> {
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

async function unknownTo(ledger: ItemStore, arrival: Arrival): Promise<Arrival> {
  const known = await ledger.known(arrival.sightings.map(({ key }) => key));
  return { ...arrival, sightings: arrival.sightings.filter(({ key }) => !known.has(key)) };
}
