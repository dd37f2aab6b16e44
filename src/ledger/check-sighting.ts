import type { Sighting } from '../item/item.ts';

/** Four-digit years, 0 to 9999: what every store can hold and sort. */
export const EARLIEST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
export const LATEST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** A key longer than this is no address. */
const LONGEST_KEY = 65_536;

/**
 * Why a ledger does not take a sighting; `null` = it does. Everything else is stored as it came, however odd: a
 * refusal is kept for what could not be told apart, sorted or read again later. A key with an unpaired surrogate is
 * refused because stores write it as U+FFFD, where it would meet other keys.
 */
export function whyRefused(sighting: Sighting): string | null {
  const given: Partial<Record<keyof Sighting, unknown>> = sighting;
  for (const field of ['key', 'url', 'title', 'sourceId', 'sourceName'] as const)
    if (typeof given[field] !== 'string') return `${field} is not a text`;
  if (sighting.key === '') return 'the key is empty';
  if (sighting.key.length > LONGEST_KEY) return `the key is longer than ${LONGEST_KEY} characters`;
  if (!sighting.key.isWellFormed()) return 'the key is not well-formed Unicode';
  if (sighting.key.includes('\0')) return 'the key holds a NUL character';
  if (sighting.title === '') return 'the title is empty';
  if (!sighting.sourceId.isWellFormed()) return 'the source ID is not well-formed Unicode';
  if (!isTime(given.publishedAt)) return 'publishedAt is not a time of the years 0 to 9999';
  return null;
}

export function isTime(value: unknown): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= EARLIEST_TIME && value <= LATEST_TIME
  );
}
