import type { Place, Write } from './connection.ts';
import { addUsage, NO_USAGE, type Usage } from './usage.ts';

/** What a call costs, by collection. */
export type Bills = Record<string, Partial<Usage>>;

export function countBy(places: readonly Place[], what: keyof Usage): Bills {
  const bills: Bills = {};
  for (const [collection] of places) mergeBills(bills, { [collection]: { [what]: 1 } });
  return bills;
}

export function billWrites(writes: readonly Write[]): Bills {
  const bills: Bills = {};
  for (const write of writes)
    mergeBills(bills, { [write.at[0]]: write.do === 'delete' ? { deletes: 1 } : { writes: 1 } });
  return bills;
}

export function mergeBills(into: Bills, more: Bills): void {
  for (const [collection, usage] of Object.entries(more))
    into[collection] = addUsage({ ...NO_USAGE, ...into[collection] }, usage);
}
