import type { FirestoreConnection, Mutation, Place } from '../../firestore/connection.ts';
import { put } from '../../firestore/put.ts';
import type { DayCounter } from '../day-counter.ts';
import { idOf } from './ids.ts';
import { DAY_COUNTS } from './queries.ts';

interface Count {
  readonly day: number;
  readonly n: number;
}

/** One write for each message. A lost answer may count one twice: then the day has one message less, never one more. */
export function createFirestoreDayCounter(connection: FirestoreConnection): DayCounter {
  const change = <T>(
    destination: string,
    decide: (count: Count | null) => { readonly value: T; readonly next?: Count },
  ): Promise<T> => {
    const at: Place = [DAY_COUNTS, idOf(destination)];
    return connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide((snapshot.data() as Count | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [put(snapshot, at, next)] };
    });
  };
  return {
    take: (destination, day, most) =>
      change(destination, (count) => {
        const n = count?.day === day ? count.n : 0;
        return n >= most ? { value: false } : { value: true, next: { day, n: n + 1 } };
      }),
    giveBack: (destination, day) =>
      change(destination, (count) =>
        count?.day === day && count.n > 0
          ? { value: undefined, next: { day, n: count.n - 1 } }
          : { value: undefined },
      ),
  };
}
