import { AsyncLocalStorage } from 'node:async_hooks';
import { calendarDate } from '../../time/calendar-day.ts';
import type { DocumentPath, Write } from './connection.ts';

/** The free quota of a day (A19). */
export const FREE_TIER: Usage = { reads: 50_000, writes: 20_000, deletes: 20_000 };

export interface Usage {
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
}

export const NO_USAGE: Usage = { reads: 0, writes: 0, deletes: 0 };

export function addUsage(one: Usage, other: Partial<Usage>): Usage {
  return {
    reads: one.reads + (other.reads ?? 0),
    writes: one.writes + (other.writes ?? 0),
    deletes: one.deletes + (other.deletes ?? 0),
  };
}

/** The day of Firestore's quota: it ends at midnight in California. */
export function quotaDay(now: number): string {
  return calendarDate(now, 'America/Los_Angeles');
}

interface Meter {
  used: Usage;
}

const meters = new AsyncLocalStorage<Meter>();

/** Runs work and returns the usage of exactly this work, whatever else runs at the same time. */
export async function measureUsage<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly used: Usage }> {
  const meter: Meter = { used: NO_USAGE };
  const value = await meters.run(meter, work);
  return { value, used: meter.used };
}

/** Adds usage to the meter of the current work. */
export function addToMeter(usage: Partial<Usage>): void {
  const meter = meters.getStore();
  if (meter !== undefined) meter.used = addUsage(meter.used, usage);
}

/** The cost of a call, by collection. */
export type UsageByCollection = Record<string, Partial<Usage>>;

export function usageOfPaths(places: readonly DocumentPath[], what: keyof Usage): UsageByCollection {
  const bills: UsageByCollection = {};
  for (const [collection] of places) mergeUsage(bills, { [collection]: { [what]: 1 } });
  return bills;
}

export function usageOfWrites(writes: readonly Write[]): UsageByCollection {
  const bills: UsageByCollection = {};
  for (const write of writes)
    mergeUsage(bills, { [write.at[0]]: write.do === 'delete' ? { deletes: 1 } : { writes: 1 } });
  return bills;
}

export function mergeUsage(into: UsageByCollection, more: UsageByCollection): void {
  for (const [collection, usage] of Object.entries(more))
    into[collection] = addUsage({ ...NO_USAGE, ...into[collection] }, usage);
}
