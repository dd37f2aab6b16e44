import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { FirestoreConnection, Mutation, Place } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { Clock } from '../../time/clock.ts';

/** How to stand aside when others want the same document. */
export interface Manners {
  readonly clock: Pick<Clock, 'sleep'>;
  /** From 0 up to 1. */
  random(): number;
}

const MOST_TRIES = 60;
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 800;

/**
 * Reads a document, decides, and writes only if it is still as it was read; otherwise all of that again, after a pause that
 * grows and is never the same for two: many workers on one document would only make each other fail.
 */
export async function changeAsRead<T>(
  connection: FirestoreConnection,
  place: Place,
  { clock, random }: Manners,
  decide: (now: DocumentSnapshot) => Mutation<T>,
): Promise<T> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (tries > 0) await clock.sleep(pauseAfter(tries, random()));
    const { value, writes } = decide(await connection.get(place));
    if ((await connection.commit(writes)) === 'committed') return value;
  }
  throw contention(place[0], MOST_TRIES);
}

function pauseAfter(conflicts: number, part: number): number {
  return Math.ceil(part * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (conflicts - 1)));
}
