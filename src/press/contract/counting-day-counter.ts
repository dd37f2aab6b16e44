import type { DayCounter } from '../day-counter.ts';

/** A counter in this process, for tests. */
export function countingDayCounter(): DayCounter {
  const counts = new Map<string, number>();
  const count = (name: string): number => counts.get(name) ?? 0;
  return {
    async take(destination, day, most) {
      const name = `${destination} ${day}`;
      if (count(name) >= most) return false;
      counts.set(name, count(name) + 1);
      return true;
    },
    async giveBack(destination, day) {
      const name = `${destination} ${day}`;
      counts.set(name, count(name) - 1);
    },
  };
}
