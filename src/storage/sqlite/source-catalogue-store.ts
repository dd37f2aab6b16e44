import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  decodeStoredSource,
  encodeStoredSource,
  type NewStoredSource,
  type SourceCatalogueStore,
  type StoredSource,
} from '../../sources/source-catalogue-store.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { openDatabase, transaction } from './database.ts';
import { SOURCE_MIGRATIONS } from './source-store.ts';

const POLL_INTERVAL_MS = 2 * SECOND;

/** The sources that people added or changed, beside the source states. */
export class SqliteSourceCatalogueStore implements SourceCatalogueStore, AsyncDisposable {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #db: DatabaseSync;
  readonly #list: StatementSync;
  readonly #version: StatementSync;
  readonly #save: StatementSync;
  readonly #remove: StatementSync;
  readonly #revision: StatementSync;
  readonly #countChange: StatementSync;

  constructor(path: string, clock: Pick<Clock, 'sleep'> = systemClock) {
    this.#clock = clock;
    this.#db = openDatabase(path, { name: 'the sources', migrations: SOURCE_MIGRATIONS });
    this.#list = this.#db.prepare(
      'SELECT source_id, version, content FROM source_catalogue ORDER BY source_id',
    );
    this.#version = this.#db.prepare('SELECT version FROM source_catalogue WHERE source_id = ?');
    this.#save = this.#db.prepare(
      'INSERT OR REPLACE INTO source_catalogue (source_id, version, content) VALUES (?, ?, ?)',
    );
    this.#remove = this.#db.prepare('DELETE FROM source_catalogue WHERE source_id = ?');
    this.#revision = this.#db.prepare('SELECT revision FROM source_catalogue_revision');
    this.#countChange = this.#db.prepare('UPDATE source_catalogue_revision SET revision = revision + 1');
  }

  async list(): Promise<readonly StoredSource[]> {
    return this.#list
      .all()
      .map((row) => decodeStoredSource(String(row.source_id), Number(row.version), String(row.content)));
  }

  async put(source: NewStoredSource, expectedVersion: number | null): Promise<boolean> {
    return transaction(this.#db, () => {
      if (this.#versionOf(source.id) !== expectedVersion) return false;
      this.#save.run(source.id, (expectedVersion ?? 0) + 1, encodeStoredSource(source));
      this.#countChange.run();
      return true;
    });
  }

  async add(sources: readonly NewStoredSource[]): Promise<boolean> {
    return transaction(this.#db, () => {
      if (sources.some(({ id }) => this.#versionOf(id) !== null)) return false;
      for (const source of sources) this.#save.run(source.id, 1, encodeStoredSource(source));
      this.#countChange.run();
      return true;
    });
  }

  async remove(id: string): Promise<boolean> {
    return transaction(this.#db, () => {
      const { changes } = this.#remove.run(id);
      if (changes === 0) return false;
      this.#countChange.run();
      return true;
    });
  }

  async revision(): Promise<string> {
    return String(this.#revision.get()?.revision ?? '');
  }

  /** Looks up one row every two seconds. */
  async waitForChange(revision: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.revision()) === revision)
      await this.#clock.sleep(POLL_INTERVAL_MS, signal).catch(() => {});
  }

  #versionOf(id: string): number | null {
    const row = this.#version.get(id);
    return row === undefined ? null : Number(row.version);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }
}
