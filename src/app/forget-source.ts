import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { SqliteSourceStore } from '../sources/sqlite/sqlite-source-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { systemClock } from '../time/clock.ts';

/**
 * Forgets what was remembered of a source that is followed no longer. Should it come back, it is met for the first time again, and what
 * it published meanwhile does not flood out (B19).
 */
export async function forgetSource(config: Config, id: string): Promise<void> {
  if (config.engine.kind === 'distributed') return forgetOnFirestore(config.engine, id);
  const file = join(config.data, 'sources.db');
  if (!existsSync(file)) return;
  const store = new SqliteSourceStore(file);
  try {
    await store.remove(id);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function forgetOnFirestore(
  engine: Extract<Config['engine'], { kind: 'distributed' }>,
  id: string,
): Promise<void> {
  const [{ firestoreConnection }, { FirestoreSourceStore }] = await Promise.all([
    import('./firestore-connection.ts'),
    import('../sources/firestore/firestore-source-store.ts'),
  ]);
  const connection = firestoreConnection(engine, systemClock, silentEvents);
  try {
    await new FirestoreSourceStore(connection).remove(id);
  } finally {
    await connection[Symbol.asyncDispose]();
  }
}
