import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryStoreContract } from '../../../reader/contract/entry-store.ts';
import { SqliteEntryStore } from './entry-store.ts';

entryStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-reader-'));
  const opened: SqliteEntryStore[] = [];
  const open = (): SqliteEntryStore => {
    const store = new SqliteEntryStore(join(folder, 'reader.db'));
    opened.push(store);
    return store;
  };
  return {
    store: open(),
    reopen: async () => open(),
    dispose: async () => {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
