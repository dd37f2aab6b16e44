import type { Item } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import type { Delivery } from './outbox.ts';

/** The time between a backup and its restore: publications in it have no record here. */
export interface RestoredPeriod {
  /** When the backup was made. */
  readonly from: number;
  /** When it was restored. */
  readonly to: number;
}

/** By then every source was polled again, also those of a weekly pipeline. */
const MAX_FIRST_POLL_MS = 8 * DAY;

/** Whether an item may have been published in that period; not if its source published it later. */
export function mayHaveBeenPublished(
  { publishedAt, createdAt }: Pick<Item, 'publishedAt' | 'createdAt'>,
  { to }: RestoredPeriod,
): boolean {
  if (createdAt >= to + MAX_FIRST_POLL_MS) return false;
  // An item without a date, or with one in the future, gets the time at which it was read.
  const isDated = createdAt - publishedAt >= MINUTE;
  return (isDated ? publishedAt : createdAt - DAY) < to;
}

/** Since when a message may have been sent without a record here; `null` if that is impossible. */
export async function sentWithoutRecordSince(
  { state, attempts, updatedAt, itemKeys }: Delivery,
  { from, to }: RestoredPeriod,
  ledger: Pick<Ledger, 'find'>,
): Promise<number | null> {
  if (state === 'intended' && updatedAt < to) return from;
  if (attempts > 0) return null;
  for (const key of itemKeys) {
    const item = await ledger.find(key);
    if (item !== null && mayHaveBeenPublished(item, { from, to })) return from;
  }
  return null;
}
