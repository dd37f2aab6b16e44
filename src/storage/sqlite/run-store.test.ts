import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStoreContract } from '../../scheduler/contract/run-store.ts';
import { SqliteRunStore } from './run-store.ts';

runStoreContract('SQLite', async (clock, kept) => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-runs-'));
  const mine = new SqliteRunStore(join(folder, 'runs.db'), clock, kept);
  const theirs = new SqliteRunStore(join(folder, 'runs.db'), clock, kept);
  return {
    mine,
    theirs,
    dispose: async () => {
      await mine[Symbol.asyncDispose]();
      await theirs[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
