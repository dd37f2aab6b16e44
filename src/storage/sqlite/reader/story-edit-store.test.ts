import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storyEditStoreContract } from '../../../same-story/contract/story-edit-store.ts';
import { SqliteStoryEditStore } from './story-edit-store.ts';

storyEditStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-story-edits-'));
  const stores = [1, 2].map(() => new SqliteStoryEditStore(join(folder, 'reader.db'))) as [
    SqliteStoryEditStore,
    SqliteStoryEditStore,
  ];
  return {
    mine: stores[0],
    theirs: stores[1],
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
