import type { ItemKey, Sighting } from '../item/item.ts';
import type { Source } from './source.ts';

/**
 * How much of a source that is met for the first time counts as news (B19, X19). With both limits an item has to be within
 * both: the newest so many of those that are young enough.
 */
export type FirstContact =
  | { readonly newest?: number; readonly newerThan?: number }
  /** For sources whose reading is already limited to what is new, by a look-back window for example. */
  | 'everything';

/** Where neither the pipeline nor the source says anything. A channel is read through a look-back window. */
export function usualFirstContact(kind: Source['kind']): FirstContact {
  return kind === 'youtube' ? 'everything' : { newest: 10 };
}

/** The keys that only set the baseline: recorded as known, never worked on. */
export function baselineOf(
  sightings: readonly Sighting[],
  firstContact: FirstContact,
  now: number,
): ReadonlySet<ItemKey> {
  if (firstContact === 'everything') return new Set();
  const { newest = Number.POSITIVE_INFINITY, newerThan = Number.POSITIVE_INFINITY } = firstContact;
  const news = sightings
    .filter(({ publishedAt }) => publishedAt >= now - newerThan)
    .toSorted((a, b) => b.publishedAt - a.publishedAt)
    .slice(0, Math.max(0, newest));
  const fresh = new Set(news);
  return new Set(sightings.filter((sighting) => !fresh.has(sighting)).map(({ key }) => key));
}
