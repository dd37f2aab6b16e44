import type { Transition } from '../item/lifecycle.ts';
import { isTime } from './check-sighting.ts';

/** A ledger was asked for something that has no sense. Nothing was stored. */
export class BadLedgerInputError extends RangeError {
  override readonly name = 'BadLedgerInputError';
}

export function checkLease(leaseMs: number): void {
  if (!Number.isSafeInteger(leaseMs) || leaseMs <= 0)
    throw new BadLedgerInputError(
      `A lease is a whole number of milliseconds above 0, not ${String(leaseMs)}.`,
    );
}

export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit <= 0)
    throw new BadLedgerInputError(`A limit is a whole number above 0, not ${String(limit)}.`);
}

/** Times that no store could hold or sort are refused before anything is written. */
export function checkTransition({ to }: Transition): void {
  if (!isTime(to.checkedAt))
    throw new BadLedgerInputError(`A step at ${String(to.checkedAt)} is outside of the years 0 to 9999.`);
  if (to.dueAt !== null && !Number.isSafeInteger(to.dueAt))
    throw new BadLedgerInputError(`An item cannot be due at ${String(to.dueAt)}.`);
  if (!Number.isSafeInteger(to.attempts) || to.attempts < 0)
    throw new BadLedgerInputError(`An item cannot have been tried ${String(to.attempts)} times.`);
}
