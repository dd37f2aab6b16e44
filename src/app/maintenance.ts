import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { FolderLock } from '../storage/sqlite/folder-lock.ts';
import { assertNoInterruptedRestore } from '../storage/sqlite/restore.ts';
import { SqliteSourceStore } from '../storage/sqlite/source-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { systemClock } from '../time/clock.ts';

/** Holds the data folder of the embedded engine; on the other one many copies work side by side, and nothing is held. */
export function lockDataFolder(
  config: Pick<Config, 'engine' | 'data'>,
  doing: string,
): AsyncDisposable | null {
  if (config.engine.kind !== 'embedded') return null;
  assertNoInterruptedRestore(config.data);
  return FolderLock.acquire(config.data, doing);
}

/**
 * Forgets what was remembered of a source that is followed no longer. Should it come back, it is met for the first time again, and what
 * it published meanwhile does not flood out (B19).
 */
export async function removeSourceRecord(config: Config, id: string): Promise<void> {
  if (config.engine.kind === 'distributed') return removeFromFirestore(config.engine, id);
  const file = join(config.data, 'sources.db');
  if (!existsSync(file)) return;
  const store = new SqliteSourceStore(file);
  try {
    await store.remove(id);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function removeFromFirestore(
  engine: Extract<Config['engine'], { kind: 'distributed' }>,
  id: string,
): Promise<void> {
  const [{ connectFirestore: firestoreConnection }, { FirestoreSourceStore }] = await Promise.all([
    import('./firestore.ts'),
    import('../storage/firestore/source-store.ts'),
  ]);
  const connection = firestoreConnection(engine, systemClock, silentEvents);
  try {
    await new FirestoreSourceStore(connection).remove(id);
  } finally {
    await connection[Symbol.asyncDispose]();
  }
}

/** A pipeline's whole memory as lines of JSON, out and in; for the command line. */
export { exportLedger, importLedger } from '../ledger/transfer.ts';
