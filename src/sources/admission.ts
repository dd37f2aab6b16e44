import type { ItemKey, Sighting } from '../item/item.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import { sightingProblem } from '../ledger/validation.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import { type Logger, silentLogger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import type { Source } from './source.ts';
import { baselineOf, defaultFirstContact, type FirstContact } from './source.ts';
import type { SourceDrops } from './source-drops.ts';

/** What one reading of a source brought. */
export interface PollBatch {
  readonly source: Source;
  readonly sightings: readonly Sighting[];
  /** Keys of items that were reported before under another key: to be recorded and never worked on (X19). */
  readonly known: ReadonlySet<ItemKey>;
  /** Keys that earlier readings reported; `null` where earlier versions did not record it. */
  readonly reported: ReadonlySet<ItemKey> | null;
  /** Nothing is remembered of an earlier reading. */
  readonly isFirst: boolean;
  /** As the source is configured. */
  readonly firstContact?: FirstContact;
}

/** A pipeline that uses sources, as far as admission goes. */
export interface Subscriber {
  readonly pipeline: string;
  readonly sources: readonly string[];
  readonly ledger: ItemStore;
  /** What counts as news in a source that is new to it; as the source says where absent. */
  readonly firstContact?: FirstContact;
  /** New items are handed to a separate queue. */
  readonly handOver: boolean;
  /** Told of what was seen again, since it may have been edited. */
  readonly edits?: { seenAgain(sightings: readonly Sighting[]): Promise<void> };
}

export interface AdmissionOptions {
  readonly clock: Clock;
  /** Drops for the followers of sources. */
  readonly news?: Pick<SourceDrops, 'authorOf' | 'post' | 'postPending'>;
  readonly events?: Pick<Events, 'itemAdmitted'>;
  readonly log?: Logger;
}

/** A subscriber with what is old to it. */
interface Baseline {
  readonly subscriber: Subscriber;
  readonly old: ReadonlySet<ItemKey>;
}

/**
 * Brings what a reading found to the followers of the source and into the ledger of every pipeline that uses it. A pipeline that
 * meets the source for the first time takes a baseline of its own, even when others have used it for long: nothing floods out
 * (B19, X19).
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #subscribers: Subscriber[] = [];
  readonly #admitted = new Map<string, number>();
  /** Sources that each pipeline has met, as far as this process knows. */
  readonly #met = new Map<string, Set<string>>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** From now on this pipeline gets what its sources report. */
  add(subscriber: Subscriber): void {
    this.#subscribers.push(subscriber);
    this.#met.set(subscriber.pipeline, new Set());
  }

  /** Whether a pipeline uses this source that never got anything from it: it needs all that is listed. */
  async hasNewcomer(sourceId: string): Promise<boolean> {
    for (const { pipeline, ledger } of this.#subscribersOf(sourceId)) {
      const met = this.#met.get(pipeline);
      if (met?.has(sourceId)) continue;
      if (!(await ledger.hasSeenSource(sourceId))) return true;
      met?.add(sourceId);
    }
    return false;
  }

  /** How many items a pipeline got since this was last asked. */
  takeAdmitted(pipeline: string): number {
    const n = this.#admitted.get(pipeline) ?? 0;
    this.#admitted.delete(pipeline);
    return n;
  }

  /**
   * Followers get their drops before anything is admitted: after a crash in between it is news once more, and posting it again
   * changes nothing. Trouble with followers or edits never holds up the pipelines.
   */
  async admit(arrival: PollBatch): Promise<void> {
    const { source, sightings } = arrival;
    const subscribers = this.#subscribersOf(source.id);
    if (sightings.length > 0) {
      const baselines: Baseline[] = [];
      for (const subscriber of subscribers)
        baselines.push({ subscriber, old: await this.#baselineFor(subscriber, arrival) });
      await this.#tellFollowers(arrival, baselines);
      for (const baseline of baselines) await this.#admitTo(baseline, arrival);
    }
    for (const { pipeline } of subscribers) this.#met.get(pipeline)?.add(source.id);
  }

  #subscribersOf(sourceId: string): readonly Subscriber[] {
    return this.#subscribers.filter(({ sources }) => sources.includes(sourceId));
  }

  async #tellFollowers(arrival: PollBatch, baselines: readonly Baseline[]): Promise<void> {
    const { news } = this.#options;
    if (news === undefined) return;
    const sourceId = arrival.source.id;
    await news.postPending();
    const author = await news.authorOf(sourceId);
    if (author !== null) await news.post(author, sourceId, await this.#newsIn(arrival, baselines));
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
      log.error('edited items could not be looked at', { pipeline, error });
    }
  }

  /**
   * What is new in this source for its followers: not reported before, no baseline, and not in a ledger from there. What is known
   * from another source is new in this one, for a follower of this one alone.
   */
  async #newsIn(arrival: PollBatch, baselines: readonly Baseline[]): Promise<readonly Sighting[]> {
    const { source, sightings, reported } = arrival;
    const isOld =
      baselines.length === 0
        ? this.#oldWithoutPipeline(arrival)
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
          // A tombstone does not say where it was from.
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
    // Read by an earlier version for a pipeline that is gone: what it reported is not recorded, so this reading is the baseline.
    if (!isFirst && reported === null) return () => true;
    const baseline = isFirst
      ? baselineOf(sightings, firstContact, this.#options.clock.now())
      : new Set<ItemKey>();
    return (key) => known.has(key) || baseline.has(key);
  }

  async #baselineFor(
    { ledger, firstContact }: Subscriber,
    arrival: PollBatch,
  ): Promise<ReadonlySet<ItemKey>> {
    const { source, sightings, known, isFirst } = arrival;
    if (!isFirst && (await ledger.hasSeenSource(source.id))) return known;
    const chosen = firstContact ?? arrival.firstContact ?? (await unchosen(ledger, arrival));
    return new Set([...known, ...baselineOf(sightings, chosen, this.#options.clock.now())]);
  }
}

/**
 * Where nothing is configured. A feed most of whose items another program of the same contract recorded is continued, and not
 * met for the first time (X22).
 */
async function unchosen(ledger: ItemStore, { source, sightings }: PollBatch): Promise<FirstContact> {
  const usual = defaultFirstContact(source.kind);
  if (usual === 'everything') return usual;
  const there = [...(await ledger.known(sightings.map(({ key }) => key)))];
  if (there.length * 2 <= sightings.length) return usual;
  const seen = await Promise.all(there.map((key) => ledger.sightings(key)));
  const foreign = seen.filter((from) => from.length > 0 && from.every(({ sourceId }) => sourceId === ''));
  return foreign.length * 2 > sightings.length ? 'everything' : usual;
}
