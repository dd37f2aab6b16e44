import type { ItemKey, Sighting } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { baselineOf, type FirstContact } from '../sources/baseline.ts';
import type { Arrival } from '../sources/desk.ts';

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

/**
 * Brings what one reading found into the ledger of every pipeline that follows the source. A pipeline that meets the
 * source for the first time takes a baseline of its own, even when others have followed it for long: nothing floods out
 * (B19, X19). Answers how many were new in all.
 */
export async function admitArrival(
  { source, sightings, baseline }: Arrival,
  followers: readonly Follower[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const admitted = new Map<string, number>();
  for (const follower of followers.filter(({ sources }) => sources.includes(source.id))) {
    const old = await baselineFor(follower, source.id, sightings, baseline, now);
    const outcomes = await follower.ledger.admit(sightings, {
      baseline: ({ key }) => old.has(key),
      handOver: follower.handOver,
    });
    await follower.seenAgain?.(sightings.filter((_, place) => outcomes[place] === 'known'));
    admitted.set(follower.pipeline, outcomes.filter((outcome) => outcome === 'new').length);
  }
  return admitted;
}

async function baselineFor(
  { ledger, firstContact }: Follower,
  sourceId: string,
  sightings: readonly Sighting[],
  baseline: ReadonlySet<ItemKey>,
  now: number,
): Promise<ReadonlySet<ItemKey>> {
  const met = (await ledger.list({ sourceId, limit: 1 })).items.length > 0;
  return met ? baseline : new Set([...baseline, ...baselineOf(sightings, firstContact, now)]);
}
