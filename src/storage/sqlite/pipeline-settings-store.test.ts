import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipelineSettingsStoreContract } from '../../pipelines/contract/pipeline-settings-store.ts';
import { SqlitePipelineSettingsStore } from './pipeline-settings-store.ts';

pipelineSettingsStoreContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-settings-'));
  const mine = new SqlitePipelineSettingsStore(join(folder, 'runs.db'));
  const theirs = new SqlitePipelineSettingsStore(join(folder, 'runs.db'));
  return {
    mine,
    theirs,
    async [Symbol.asyncDispose]() {
      await mine[Symbol.asyncDispose]();
      await theirs[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
});
