import type { ItemKey, Sighting } from '../item/item.ts';
import { whyRefused } from '../ledger/check-sighting.ts';
import type { ItemStore } from '../ledger/ledger.ts';
import { baselineOf, type FirstContact, usualFirstContact } from '../sources/baseline.ts';
import type { Arrival } from '../sources/desk.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';

/** One pipeline that follows a source, as far as admitting goes. */
export interface Follower {
  readonly pipeline: string;
  readonly sources: readonly string[];
  readonly ledger: ItemStore;
  /** What counts as news in a source that is new to it; as the source says where absent. */
  readonly firstContact?: FirstContact;
  /** New items are handed to a separate queue. */
  readonly handOver: boolean;
  /** Wants to know what was seen again, since it may have been edited. It fails silently. */
  readonly seenAgain?: (sightings: readonly Sighting[]) => Promise<void>;
}

/** People who follow a source itself. */
export interface SourceReaders {
  /**
   * Brings them what is new in a source. `newsAmong` picks it out and costs a look into the ledgers, so it is asked only for
   * somebody who wants it. Fails only when `newsAmong` does: trouble with telling people never holds up the pipelines.
   */
  tell(
    sourceId: string,
    sightings: readonly Sighting[],
    newsAmong: (some: readonly Sighting[]) => Promise<readonly Sighting[]>,
  ): Promise<void>;
}

/**
 * Brings what one reading found into the ledger of every pipeline that follows the source. A pipeline that meets the
 * source for the first time takes a baseline of its own, even when others have followed it for long: nothing floods out
 * (B19, X19). People who follow the source are told before anything is admitted: after a crash in between it is news once more,
 * and whoever tells them knows it again. Answers how many were new in all.
 */
export async function admitArrival(
  arrival: Arrival,
  followers: readonly Follower[],
  now: number,
  readers?: SourceReaders,
  events: Pick<Events, 'itemAdmitted'> = silentEvents,
): Promise<ReadonlyMap<string, number>> {
  const { source, sightings } = arrival;
  const admitted = new Map<string, number>();
  const admissions: Admission[] = [];
  for (const follower of followers.filter(({ sources }) => sources.includes(source.id))) {
    const old = await baselineFor(follower, arrival, now);
    admissions.push({ follower, old });
  }
  await readers?.tell(source.id, sightings, (some) => newsAmong(some, source.id, admissions));
  for (const { follower, old } of admissions) {
    const outcomes = await follower.ledger.admit(sightings, {
      baseline: ({ key }) => old.has(key),
      handOver: follower.handOver,
    });
    const { pipeline } = follower;
    for (const [place, { key: item }] of sightings.entries())
      events.itemAdmitted({ pipeline, item, source: source.id, outcome: outcomes[place] ?? 'refused' });
    await follower.seenAgain?.(sightings.filter((_, place) => outcomes[place] === 'known'));
    admitted.set(pipeline, outcomes.filter((outcome) => outcome === 'new').length);
  }
  return admitted;
}

/** A pipeline with what is old to it. */
interface Admission {
  readonly follower: Follower;
  readonly old: ReadonlySet<ItemKey>;
}

/**
 * What is new in this source: no baseline, and no pipeline ever had it from there. What is known from another source is new
 * in this one, for somebody who follows only this one.
 */
async function newsAmong(
  sightings: readonly Sighting[],
  sourceId: string,
  admissions: readonly Admission[],
): Promise<readonly Sighting[]> {
  const fit = sightings.filter(
    (sighting) => whyRefused(sighting) === null && admissions.some(({ old }) => !old.has(sighting.key)),
  );
  const carried = new Set<ItemKey>();
  for (const { ledger } of admissions.map(({ follower }) => follower)) {
    const known = await ledger.known(fit.map(({ key }) => key));
    await Promise.all(
      [...known].map(async (key) => {
        const from = (await ledger.sightings(key)).map((sighted) => sighted.sourceId);
        // Of what was swept nobody knows any more where it was.
        if (from.length === 0 || from.includes(sourceId)) carried.add(key);
      }),
    );
  }
  return fit.filter(({ key }) => !carried.has(key));
}

async function baselineFor(
  { ledger, firstContact }: Follower,
  arrival: Arrival,
  now: number,
): Promise<ReadonlySet<ItemKey>> {
  const { source, sightings, known, isFirst } = arrival;
  if (!isFirst && (await ledger.hasMet(source.id))) return known;
  const chosen = firstContact ?? arrival.firstContact ?? (await unchosen(ledger, arrival));
  return new Set([...known, ...baselineOf(sightings, chosen, now)]);
}

/**
 * Where nothing is configured. A feed most of whose items another program of the same contract recorded is continued, and not
 * met for the first time (X22).
 */
async function unchosen(ledger: ItemStore, { source, sightings }: Arrival): Promise<FirstContact> {
  const usual = usualFirstContact(source.kind);
  if (usual === 'everything') return usual;
  const there = [...(await ledger.known(sightings.map(({ key }) => key)))];
  if (there.length * 2 <= sightings.length) return usual;
  const seen = await Promise.all(there.map((key) => ledger.sightings(key)));
  const foreign = seen.filter((from) => from.length > 0 && from.every(({ sourceId }) => sourceId === ''));
  return foreign.length * 2 > sightings.length ? 'everything' : usual;
}
