import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { IconPicture, IconRecord, SourceIconStore } from '../../sources/icons/source-icon-store.ts';
import { openDatabase } from './database.ts';
import { SOURCE_MIGRATIONS } from './source-store.ts';

/** The icons of the sources, beside the source states. */
export class SqliteSourceIconStore implements SourceIconStore, AsyncDisposable {
  readonly #db: DatabaseSync;
  readonly #load: StatementSync;
  readonly #picture: StatementSync;
  readonly #save: StatementSync;
  readonly #extend: StatementSync;
  readonly #remove: StatementSync;

  constructor(path: string) {
    this.#db = openDatabase(path, { name: 'the source icons', migrations: SOURCE_MIGRATIONS });
    this.#load = this.#db.prepare('SELECT hash, expires_at FROM source_icons WHERE source_id = ?');
    this.#picture = this.#db.prepare('SELECT hash, type, bytes FROM source_icons WHERE source_id = ?');
    this.#save = this.#db.prepare('INSERT OR REPLACE INTO source_icons VALUES (?, ?, ?, ?, ?)');
    this.#extend = this.#db.prepare(
      'UPDATE source_icons SET expires_at = ? WHERE source_id = ? AND hash = ?',
    );
    this.#remove = this.#db.prepare('DELETE FROM source_icons WHERE source_id = ?');
  }

  async load(sourceIds: readonly string[]): Promise<ReadonlyMap<string, IconRecord>> {
    const found = new Map<string, IconRecord>();
    for (const id of sourceIds) {
      const row = this.#load.get(id);
      if (row === undefined) continue;
      const hash = typeof row.hash === 'string' ? row.hash : null;
      found.set(id, { hash, expiresAt: Number(row.expires_at) });
    }
    return found;
  }

  async picture(sourceId: string): Promise<IconPicture | null> {
    const { hash, type, bytes } = this.#picture.get(sourceId) ?? {};
    if (typeof hash !== 'string' || typeof type !== 'string' || !(bytes instanceof Uint8Array)) return null;
    return { hash, type, bytes };
  }

  async save(sourceId: string, { hash, expiresAt }: IconRecord, picture?: IconPicture): Promise<void> {
    if (hash !== null && picture === undefined) this.#extend.run(expiresAt, sourceId, hash);
    else this.#save.run(sourceId, hash, expiresAt, picture?.type ?? null, picture?.bytes ?? null);
  }

  async remove(sourceId: string): Promise<void> {
    this.#remove.run(sourceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }
}
