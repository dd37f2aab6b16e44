import type { Publisher } from '../../publishers/publisher.ts';
import { type DispatchDependencies, type Dispatched, dispatch } from '../dispatch.ts';
import type { DayCounter } from '../publishing-stores.ts';

/** Dispatches everything that is due at one destination, for tests. */
export async function dispatchAll(
  publisher: Publisher,
  deps: DispatchDependencies,
  signal?: AbortSignal,
): Promise<Dispatched[]> {
  const all: Dispatched[] = [];
  for await (const done of dispatch(publisher, deps, signal)) all.push(done);
  return all;
}

/** A counter in this process, for tests. */
export function memoryDayCounter(): DayCounter {
  const counts = new Map<string, number>();
  const count = (name: string): number => counts.get(name) ?? 0;
  return {
    async tryIncrement(destination, day, max) {
      const name = `${destination} ${day}`;
      if (count(name) >= max) return false;
      counts.set(name, count(name) + 1);
      return true;
    },
    async decrement(destination, day) {
      const name = `${destination} ${day}`;
      counts.set(name, count(name) - 1);
    },
  };
}
