import type { ItemKey, Sighting } from '../item/item.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import { sightingProblem } from '../ledger/validation.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import { type Logger, silentLogger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { PipelineSources } from './pipeline-sources.ts';
import type { Source } from './source.ts';
import { baselineOf, defaultFirstContact, type FirstContact, SourceGoneError } from './source.ts';
import type { SourceDrops } from './source-drops.ts';

/** The result of one reading of a source. */
export interface PollBatch {
  readonly source: Source;
  readonly sightings: readonly Sighting[];
  /** Keys of items that were reported before under another key: recorded, never processed (X19). */
  readonly known: ReadonlySet<ItemKey>;
  /** Keys that earlier readings reported; `null` where earlier versions did not record it. */
  readonly reported: ReadonlySet<ItemKey> | null;
  /** There is no record of an earlier reading. */
  readonly isFirst: boolean;
  /** As the source is configured. */
  readonly firstContact?: FirstContact;
}

/** A pipeline that uses sources, as far as admission goes. */
export interface Subscriber {
  readonly pipeline: string;
  /** May change at any time. */
  readonly sources: Pick<PipelineSources, 'includes'>;
  readonly ledger: ItemStore;
  /** What counts as news at first contact; default: the setting of the source. */
  readonly firstContact?: FirstContact;
  /** New items are handed over to a separate queue. */
  readonly handOver: boolean;
  /** Notified of known items that were seen again, since they may have been edited. */
  readonly edits?: { seenAgain(sightings: readonly Sighting[]): Promise<void> };
}

export interface AdmissionOptions {
  readonly clock: Clock;
  /** The entries of the reader, which every reading adds to. */
  readonly entries?: {
    /** Resolves when everything is stored. */
    add(batch: PollBatch): Promise<void>;
    /** Whether nothing of the source was ever stored. */
    isNewSource(sourceId: string): Promise<boolean>;
  };
  /** Drops for the followers of sources. */
  readonly news?: Pick<SourceDrops, 'authorOf' | 'post' | 'postPending'>;
  readonly events?: Pick<Events, 'itemAdmitted'>;
  readonly log?: Logger;
}

/** A subscriber with its baseline: the keys that are not news to it. */
interface Baseline {
  readonly subscriber: Subscriber;
  readonly old: ReadonlySet<ItemKey>;
}

/**
 * Adds what a reading shows to the entries of the reader, posts the new items to the followers of the source and admits them into the ledger of every pipeline that uses it.
 * At first contact a pipeline takes its own baseline, even if others have used the source for long, so that old items do not
 * flood it (B19, X19).
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #subscribers: Subscriber[] = [];
  readonly #admitted = new Map<string, number>();
  /** Sources known to each pipeline; a cache of this process. */
  readonly #knownSources = new Map<string, Set<string>>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Subscribes a pipeline to its sources. */
  add(subscriber: Subscriber): void {
    this.#subscribers.push(subscriber);
    this.#knownSources.set(subscriber.pipeline, new Set());
  }

  /** Whether a pipeline of this source, or the reader, has never received anything from it and needs the full list. */
  async hasNewcomer(sourceId: string): Promise<boolean> {
    for (const { pipeline, ledger } of this.#subscribersOf(sourceId)) {
      const known = this.#knownSources.get(pipeline);
      if (known?.has(sourceId)) continue;
      if (!(await ledger.hasSeenSource(sourceId))) return true;
      known?.add(sourceId);
    }
    return (await this.#options.entries?.isNewSource(sourceId)) ?? false;
  }

  /** Number of items admitted for a pipeline since the last call. */
  takeAdmitted(pipeline: string): number {
    const n = this.#admitted.get(pipeline) ?? 0;
    this.#admitted.delete(pipeline);
    return n;
  }

  /**
   * Followers get their drops before anything is admitted: after a crash in between the items are news again, and posting is
   * idempotent. Failures of drops or edits never block the pipelines, nor does a failure of the reader's store: the pipelines get their
   * items, and then the reading counts as not stored, so that it is read again for the reader. Nothing is admitted of a source that was
   * removed meanwhile.
   */
  async admit(batch: PollBatch): Promise<void> {
    const { source, sightings } = batch;
    const subscribers = this.#subscribersOf(source.id);
    const failure = await this.#addEntries(batch);
    if (sightings.length > 0) {
      const baselines: Baseline[] = [];
      for (const subscriber of subscribers)
        baselines.push({ subscriber, old: await this.#baselineFor(subscriber, batch) });
      await this.#postToFollowers(batch, baselines);
      for (const baseline of baselines) await this.#admitTo(baseline, batch);
    }
    for (const { pipeline } of subscribers) this.#knownSources.get(pipeline)?.add(source.id);
    if (failure !== null) throw failure.error;
  }

  async #addEntries(batch: PollBatch): Promise<{ readonly error: unknown } | null> {
    try {
      await this.#options.entries?.add(batch);
      return null;
    } catch (error) {
      if (error instanceof SourceGoneError) throw error;
      return { error };
    }
  }

  #subscribersOf(sourceId: string): readonly Subscriber[] {
    return this.#subscribers.filter(({ sources }) => sources.includes(sourceId));
  }

  async #postToFollowers(batch: PollBatch, baselines: readonly Baseline[]): Promise<void> {
    const { news } = this.#options;
    if (news === undefined) return;
    const sourceId = batch.source.id;
    await news.postPending();
    const author = await news.authorOf(sourceId);
    if (author !== null) await news.post(author, sourceId, await this.#newsIn(batch, baselines));
  }

  async #admitTo({ subscriber, old }: Baseline, { source, sightings }: PollBatch): Promise<void> {
    const { events = silentEvents, log = silentLogger } = this.#options;
    const { pipeline, ledger, handOver, edits } = subscriber;
    const outcomes = await ledger.admit(sightings, { baseline: ({ key }) => old.has(key), handOver });
    for (const [place, { key: item }] of sightings.entries())
      events.itemAdmitted({ pipeline, item, source: source.id, outcome: outcomes[place] ?? 'refused' });
    const admitted = outcomes.filter((outcome) => outcome === 'new').length;
    this.#admitted.set(pipeline, (this.#admitted.get(pipeline) ?? 0) + admitted);
    try {
      await edits?.seenAgain(sightings.filter((_, place) => outcomes[place] === 'known'));
    } catch (error) {
      log.error('failed to check edited items', { pipeline, error });
    }
  }

  /**
   * News for the followers of this source: not reported before, not baseline, and not in a ledger from this source. An item
   * known from another source still is news here, for those who follow only this one.
   */
  async #newsIn(batch: PollBatch, baselines: readonly Baseline[]): Promise<readonly Sighting[]> {
    const { source, sightings, reported } = batch;
    const isOld =
      baselines.length === 0
        ? this.#oldWithoutPipeline(batch)
        : (key: ItemKey): boolean => baselines.every(({ old }) => old.has(key));
    const fit = sightings.filter(
      (sighting) =>
        sightingProblem(sighting) === null && !isOld(sighting.key) && reported?.has(sighting.key) !== true,
    );
    const carried = new Set<ItemKey>();
    for (const { subscriber } of baselines) {
      const known = await subscriber.ledger.known(fit.map(({ key }) => key));
      await Promise.all(
        [...known].map(async (key) => {
          const from = (await subscriber.ledger.sightings(key)).map((sighted) => sighted.sourceId);
          // A tombstone does not record its sources.
          if (from.length === 0 || from.includes(source.id)) carried.add(key);
        }),
      );
    }
    return fit.filter(({ key }) => !carried.has(key));
  }

  #oldWithoutPipeline({
    source,
    sightings,
    known,
    reported,
    isFirst,
    firstContact = defaultFirstContact(source.kind),
  }: PollBatch): (key: ItemKey) => boolean {
    // Read by an earlier version for a removed pipeline: its reported keys are not recorded, so this reading is the baseline.
    if (!isFirst && reported === null) return () => true;
    const baseline = isFirst
      ? baselineOf(sightings, firstContact, this.#options.clock.now())
      : new Set<ItemKey>();
    return (key) => known.has(key) || baseline.has(key);
  }

  async #baselineFor({ ledger, firstContact }: Subscriber, batch: PollBatch): Promise<ReadonlySet<ItemKey>> {
    const { source, sightings, known, isFirst } = batch;
    if (!isFirst && (await ledger.hasSeenSource(source.id))) return known;
    const chosen = firstContact ?? batch.firstContact ?? (await unconfigured(ledger, batch));
    return new Set([...known, ...baselineOf(sightings, chosen, this.#options.clock.now())]);
  }
}

/**
 * Default if nothing is configured. A feed whose items were mostly recorded by another program of the same contract is continued, not
 * treated as first contact (X22).
 */
async function unconfigured(ledger: ItemStore, { source, sightings }: PollBatch): Promise<FirstContact> {
  const usual = defaultFirstContact(source.kind);
  if (usual === 'everything') return usual;
  const known = [...(await ledger.known(sightings.map(({ key }) => key)))];
  if (known.length * 2 <= sightings.length) return usual;
  const seen = await Promise.all(known.map((key) => ledger.sightings(key)));
  const foreign = seen.filter((from) => from.length > 0 && from.every(({ sourceId }) => sourceId === ''));
  return foreign.length * 2 > sightings.length ? 'everything' : usual;
}
