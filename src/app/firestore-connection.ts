import type { Config } from '../config/config.ts';
import { FirestoreConnection } from '../firestore/connection.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';

type DistributedConfig = Extract<Config['engine'], { kind: 'distributed' }>;

/** The way to the Firestore that the configuration names. Nothing is asked before the first call. */
export function firestoreConnection(
  { project, firestore }: DistributedConfig,
  clock: Clock,
  events: Events,
): FirestoreConnection {
  const credentials = firestore.credentials?.reveal();
  return new FirestoreConnection({
    project,
    database: firestore.database,
    prefix: firestore.prefix,
    ...(firestore.emulator !== undefined && { emulator: firestore.emulator }),
    ...(credentials !== undefined && { credentials }),
    clock,
    events,
  });
}
