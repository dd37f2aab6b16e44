import type { ItemKey, Sighting } from '../item/item.ts';
import { whyRefused } from '../ledger/check-sighting.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { baselineOf, type FirstContact } from '../sources/baseline.ts';
import type { Arrival } from '../sources/desk.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';

/** One pipeline that follows a source, as far as admitting goes. */
export interface Follower {
  readonly pipeline: string;
  readonly sources: readonly string[];
  readonly ledger: Ledger;
  readonly firstContact: FirstContact;
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
  { source, sightings, baseline }: Arrival,
  followers: readonly Follower[],
  now: number,
  readers?: SourceReaders,
  events: Pick<Events, 'itemAdmitted'> = silentEvents,
): Promise<ReadonlyMap<string, number>> {
  const admitted = new Map<string, number>();
  const admissions: Admission[] = [];
  for (const follower of followers.filter(({ sources }) => sources.includes(source.id))) {
    const old = await baselineFor(follower, source.id, sightings, baseline, now);
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
  sourceId: string,
  sightings: readonly Sighting[],
  baseline: ReadonlySet<ItemKey>,
  now: number,
): Promise<ReadonlySet<ItemKey>> {
  return (await ledger.hasMet(sourceId))
    ? baseline
    : new Set([...baseline, ...baselineOf(sightings, firstContact, now)]);
}
