import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { sourceStoreContract } from '../../sources/contract/source-store.ts';
import { NewerSchemaError } from './database.ts';
import { SqliteSourceStore } from './source-store.ts';

sourceStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-sources-'));
  const stores = [new SqliteSourceStore(join(folder, 'sources.db'))];
  const open = (): SqliteSourceStore => {
    const store = new SqliteSourceStore(join(folder, 'sources.db'));
    stores.push(store);
    return store;
  };
  return {
    store: stores[0] ?? open(),
    isShared: false,
    reopen: async () => open(),
    dispose: async () => {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});

it('X17 refuses a file that a newer program wrote', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-sources-'));
  try {
    const db = new DatabaseSync(join(folder, 'sources.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => new SqliteSourceStore(join(folder, 'sources.db'))).toThrow(NewerSchemaError);
  } finally {
    await rm(folder, { recursive: true });
  }
});
