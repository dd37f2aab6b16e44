import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipelineSettingsStoreContract } from '../../pipelines/contract/pipeline-settings-store.ts';
import { MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { SqlitePipelineSettingsStore } from './pipeline-settings-store.ts';

pipelineSettingsStoreContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-settings-'));
  const clock = new ManualClock();
  const mine = new SqlitePipelineSettingsStore(join(folder, 'runs.db'), clock);
  const theirs = new SqlitePipelineSettingsStore(join(folder, 'runs.db'), clock);
  return {
    mine,
    theirs,
    passTime: () => clock.advance(MINUTE),
    async [Symbol.asyncDispose]() {
      await mine[Symbol.asyncDispose]();
      await theirs[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
});
