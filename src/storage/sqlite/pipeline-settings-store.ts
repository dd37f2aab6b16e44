import type { DatabaseSync } from 'node:sqlite';
import type {
  PipelineSettingsStore,
  StoredPipelineSettings,
} from '../../pipelines/pipeline-settings-store.ts';
import { openDatabase } from './database.ts';
import { RUN_MIGRATIONS } from './run-store.ts';

/** Pipeline settings in the file of the runs. */
export class SqlitePipelineSettingsStore implements PipelineSettingsStore, AsyncDisposable {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = openDatabase(path, { name: 'the pipeline settings', migrations: RUN_MIGRATIONS });
  }

  async list(): Promise<readonly StoredPipelineSettings[]> {
    const rows = this.#db.prepare('SELECT version, settings FROM pipeline_settings ORDER BY pipeline').all();
    return rows.map(({ version, settings }) => ({
      ...(JSON.parse(String(settings)) as Omit<StoredPipelineSettings, 'version'>),
      version: Number(version),
    }));
  }

  async put(
    settings: Omit<StoredPipelineSettings, 'version'>,
    expectedVersion: number | null,
  ): Promise<boolean> {
    const json = JSON.stringify(settings);
    const { changes } =
      expectedVersion === null
        ? this.#db
            .prepare(
              'INSERT INTO pipeline_settings (pipeline, version, settings) VALUES (?, 1, ?) ON CONFLICT DO NOTHING',
            )
            .run(settings.pipeline, json)
        : this.#db
            .prepare(
              'UPDATE pipeline_settings SET settings = ?, version = version + 1 WHERE pipeline = ? AND version = ?',
            )
            .run(json, settings.pipeline, expectedVersion);
    return changes === 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }
}
