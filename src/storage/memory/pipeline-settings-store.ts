import type {
  PipelineSettingsStore,
  StoredPipelineSettings,
} from '../../pipelines/pipeline-settings-store.ts';

/** Pipeline settings of one process, for tests; lost on restart. */
export class MemoryPipelineSettingsStore implements PipelineSettingsStore {
  readonly #settings = new Map<string, StoredPipelineSettings>();

  async list(): Promise<readonly StoredPipelineSettings[]> {
    return structuredClone([...this.#settings.values()]);
  }

  async put(
    settings: Omit<StoredPipelineSettings, 'version'>,
    expectedVersion: number | null,
  ): Promise<boolean> {
    const version = this.#settings.get(settings.pipeline)?.version ?? null;
    if (version !== expectedVersion) return false;
    this.#settings.set(settings.pipeline, structuredClone({ ...settings, version: (version ?? 0) + 1 }));
    return true;
  }
}
