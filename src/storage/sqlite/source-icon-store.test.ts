import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceIconContract } from '../../sources/contract/source-icon-store.ts';
import { SqliteSourceIconStore } from './source-icon-store.ts';

sourceIconContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-icons-'));
  const stores: SqliteSourceIconStore[] = [];
  const open = (): SqliteSourceIconStore => {
    const store = new SqliteSourceIconStore(join(folder, 'sources.db'));
    stores.push(store);
    return store;
  };
  return {
    store: open(),
    reopen: async () => open(),
    dispose: async () => {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
