import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishingStoresContract } from '../../outbox/contract/publishing-stores.ts';
import { openSqlitePublishingStores } from './publishing-stores.ts';

publishingStoresContract('SQLite', async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-press-'));
  const path = join(folder, 'press.db');
  const memories = [
    openSqlitePublishingStores(path, clock),
    openSqlitePublishingStores(path, clock),
  ] as const;
  return {
    mine: memories[0],
    theirs: memories[1],
    async dispose() {
      for (const memory of memories) await memory[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
