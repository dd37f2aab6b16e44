import type { Sighting } from '../item/item.ts';
import type { Transition } from '../item/lifecycle.ts';

/** An invalid argument of a ledger call. Nothing was stored. */
export class BadLedgerInputError extends RangeError {
  override readonly name = 'BadLedgerInputError';
}

export function checkLeaseMs(leaseMs: number): void {
  if (!Number.isSafeInteger(leaseMs) || leaseMs <= 0)
    throw new BadLedgerInputError(
      `A lease is a whole number of milliseconds above 0, not ${String(leaseMs)}.`,
    );
}

export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit <= 0)
    throw new BadLedgerInputError(`A limit is a whole number above 0, not ${String(limit)}.`);
}

/** Rejects times that a store cannot represent or sort, before anything is written. */
export function checkTransition({ to }: Transition): void {
  if (!isTime(to.checkedAt))
    throw new BadLedgerInputError(`A step at ${String(to.checkedAt)} is outside of the years 0 to 9999.`);
  if (to.dueAt !== null && !Number.isSafeInteger(to.dueAt))
    throw new BadLedgerInputError(`An item cannot be due at ${String(to.dueAt)}.`);
  if (!Number.isSafeInteger(to.attempts) || to.attempts < 0)
    throw new BadLedgerInputError(`An item cannot have been tried ${String(to.attempts)} times.`);
}

/** Four-digit years, 0 to 9999, which every store can represent and sort. */
export const MIN_TIME = Date.parse('0000-01-01T00:00:00.000Z');
export const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Maximum length of a key. */
const MAX_KEY_LENGTH = 65_536;

/**
 * Why a ledger refuses a sighting; `null` = it does not. Only what could not be distinguished, sorted or read back is
 * refused; everything else is stored as is, however odd. A key with an unpaired surrogate is refused because stores
 * write it as U+FFFD, where it would collide with other keys.
 */
export function sightingProblem(sighting: Sighting): string | null {
  const given: Partial<Record<keyof Sighting, unknown>> = sighting;
  for (const field of ['key', 'url', 'title', 'sourceId', 'sourceName'] as const)
    if (typeof given[field] !== 'string') return `${field} is not a text`;
  if (sighting.key === '') return 'the key is empty';
  if (sighting.key.length > MAX_KEY_LENGTH) return `the key is longer than ${MAX_KEY_LENGTH} characters`;
  if (!sighting.key.isWellFormed()) return 'the key is not well-formed Unicode';
  if (sighting.key.includes('\0')) return 'the key holds a NUL character';
  if (sighting.title === '') return 'the title is empty';
  if (!sighting.sourceId.isWellFormed()) return 'the source ID is not well-formed Unicode';
  if (!isTime(given.publishedAt)) return 'publishedAt is not a time of the years 0 to 9999';
  return null;
}

export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= MIN_TIME && value <= MAX_TIME;
}
