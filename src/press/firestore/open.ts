import type { FirestoreConnection } from '../../firestore/connection.ts';
import type { Clock } from '../../time/clock.ts';
import type { PressMemory } from '../press-memory.ts';
import { createFirestoreDayCounter } from './day-counter.ts';
import { FirestoreRevisionStore } from './revision-store.ts';

/** The memory of the press on Firestore, shared by all copies. The connection belongs to whoever made it. */
export function openFirestorePressMemory(connection: FirestoreConnection, clock: Clock): PressMemory {
  return {
    revisions: new FirestoreRevisionStore(connection, clock),
    counter: createFirestoreDayCounter(connection),
    [Symbol.asyncDispose]: async () => {},
  };
}
