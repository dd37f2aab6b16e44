import { createHash } from 'node:crypto';
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

const HASH_LENGTH = 8;
const MIN_REPORTED = 200;
const MAX_REPORTED = 2_000;

/**
 * What a source's record remembers of the keys that it reported: those of this reading first, then those before, several
 * times what the source lists at once.
 */
export function rememberReported(sightings: readonly Sighting[], before: string | null): string {
  const hashes = new Set([...sightings.map(({ key }) => keyHash(key)), ...unpacked(before)]);
  const limit = Math.min(MAX_REPORTED, Math.max(MIN_REPORTED, sightings.length * 3));
  return [...hashes].slice(0, limit).join('');
}

/** The keys among these that the source reported before; `null` where its record does not say. */
export function reportedAmong(
  sightings: readonly Sighting[],
  before: string | null,
): ReadonlySet<ItemKey> | null {
  if (before === null) return null;
  const hashes = new Set(unpacked(before));
  return new Set(sightings.map(({ key }) => key).filter((key) => hashes.has(keyHash(key))));
}

function unpacked(packed: string | null): string[] {
  return packed?.match(new RegExp(`.{${HASH_LENGTH}}`, 'g')) ?? [];
}

/** 48 bits: enough for the few thousand items of one source. */
function keyHash(key: ItemKey): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, HASH_LENGTH);
}
