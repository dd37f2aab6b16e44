import type { DatabaseSync } from 'node:sqlite';
import type {
  PipelineSettingsStore,
  StoredPipelineSettings,
} from '../../pipelines/pipeline-settings-store.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { openDatabase } from './database.ts';
import { RUN_MIGRATIONS } from './run-store.ts';

const WATCH_INTERVAL_MS = 10 * SECOND;

/** Pipeline settings in the file of the runs. */
export class SqlitePipelineSettingsStore implements PipelineSettingsStore, AsyncDisposable {
  readonly #db: DatabaseSync;
  readonly #clock: Pick<Clock, 'sleep'>;

  constructor(path: string, clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
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

  async watch(listener: () => void, signal: AbortSignal): Promise<void> {
    for (let known: string | null = null; !signal.aborted; ) {
      const now = this.#revision();
      if (now !== known) listener();
      known = now;
      await this.#clock.sleep(WATCH_INTERVAL_MS, signal).catch(() => {});
    }
  }

  #revision(): string {
    const { n, sum } =
      this.#db.prepare('SELECT count(*) AS n, sum(version) AS sum FROM pipeline_settings').get() ?? {};
    return `${n} ${sum}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }
}
