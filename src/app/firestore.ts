import type { Config } from '../config/config.ts';
import { FirestoreConnection } from '../storage/firestore/connection.ts';
import { type Events, silentEvents } from '../telemetry/events.ts';
import { type Clock, systemClock } from '../time/clock.ts';

type DistributedConfig = Extract<Config['engine'], { kind: 'distributed' }>;

/** Connection to the configured Firestore. Makes no request before the first call. */
export function connectFirestore(
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

/** Runs `work` with a Firestore connection of its own, for commands that open nothing else. */
export async function withFirestore<T>(
  engine: DistributedConfig,
  work: (connection: FirestoreConnection) => Promise<T>,
): Promise<T> {
  const connection = connectFirestore(engine, systemClock, silentEvents);
  try {
    return await work(connection);
  } finally {
    await connection[Symbol.asyncDispose]();
  }
}
