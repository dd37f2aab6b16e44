import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishingStoresContract } from '../../outbox/contract/publishing-stores.ts';
import { openSqlitePublishingStores } from './publishing-stores.ts';

publishingStoresContract('SQLite', async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-press-'));
  const path = join(folder, 'press.db');
  const opened = [openSqlitePublishingStores(path, clock), openSqlitePublishingStores(path, clock)] as const;
  return {
    mine: opened[0],
    theirs: opened[1],
    async dispose() {
      for (const stores of opened) await stores[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
