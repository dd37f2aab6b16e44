import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { SqliteSourceStore } from '../sources/sqlite/sqlite-source-store.ts';

/**
 * Forgets what was remembered of a source that is followed no longer. Should it come back, it is met for the first time again, and what
 * it published meanwhile does not flood out (B19).
 */
export async function forgetSource(config: Config, id: string): Promise<void> {
  const file = join(config.data, 'sources.db');
  if (config.engine.kind !== 'embedded' || !existsSync(file)) return;
  const store = new SqliteSourceStore(file);
  try {
    await store.remove(id);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}
