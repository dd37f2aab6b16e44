import { pipelineSettingsStoreContract } from '../../pipelines/contract/pipeline-settings-store.ts';
import { MemoryPipelineSettingsStore } from './pipeline-settings-store.ts';

pipelineSettingsStoreContract('memory', async () => {
  const store = new MemoryPipelineSettingsStore();
  return { mine: store, theirs: store, async [Symbol.asyncDispose]() {} };
});
