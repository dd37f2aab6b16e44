import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reactionStoreContract } from '../../learning/contract/reaction-store.ts';
import { SqliteReactionStore } from './reaction-store.ts';

reactionStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-learning-'));
  const opened: SqliteReactionStore[] = [];
  const open = (): SqliteReactionStore => {
    const store = new SqliteReactionStore(join(folder, 'learning.db'));
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
