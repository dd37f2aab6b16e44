import type { ItemKey, Sighting } from '../item/item.ts';

/** How much of a source that is met for the first time counts as news (B19, X19). */
export type FirstContact =
  | { readonly newest: number }
  | { readonly newerThan: number }
  /** For sources whose reading is already limited to what is new, by a look-back window for example. */
  | 'everything';

/** The keys that only set the baseline: recorded as known, never worked on. */
export function baselineOf(
  sightings: readonly Sighting[],
  firstContact: FirstContact,
  now: number,
): ReadonlySet<ItemKey> {
  if (firstContact === 'everything') return new Set();
  if ('newerThan' in firstContact) {
    const oldest = now - firstContact.newerThan;
    return keysOf(sightings.filter((sighting) => sighting.publishedAt < oldest));
  }
  const newestFirst = sightings.toSorted((a, b) => b.publishedAt - a.publishedAt);
  return keysOf(newestFirst.slice(Math.max(0, firstContact.newest)));
}

function keysOf(sightings: readonly Sighting[]): Set<ItemKey> {
  return new Set(sightings.map((sighting) => sighting.key));
}
