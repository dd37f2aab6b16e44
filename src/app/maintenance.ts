import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { FolderLock } from '../storage/sqlite/folder-lock.ts';
import { assertNoInterruptedRestore } from '../storage/sqlite/restore.ts';
import { SqliteSourceStore } from '../storage/sqlite/source-store.ts';
import { silentEvents } from '../telemetry/events.ts';
import { systemClock } from '../time/clock.ts';

/** Locks the data folder of the embedded engine; the distributed engine needs no lock. */
export function lockDataFolder(
  config: Pick<Config, 'engine' | 'data'>,
  doing: string,
): AsyncDisposable | null {
  if (config.engine.kind !== 'embedded') return null;
  assertNoInterruptedRestore(config.data);
  return FolderLock.acquire(config.data, doing);
}

/**
 * Deletes the record of a removed source. If it is added again, that is a first contact, so that old items do not
 * flood out (B19).
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
  const [{ connectFirestore }, { FirestoreSourceStore }] = await Promise.all([
    import('./firestore.ts'),
    import('../storage/firestore/source-store.ts'),
  ]);
  const connection = connectFirestore(engine, systemClock, silentEvents);
  try {
    await new FirestoreSourceStore(connection).remove(id);
  } finally {
    await connection[Symbol.asyncDispose]();
  }
}

/** Export and import of a pipeline's ledger as JSON lines, for the command line. */
export { exportLedger, importLedger } from '../ledger/transfer.ts';
