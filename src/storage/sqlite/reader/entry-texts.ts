import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EntryText } from '../../../reader/entry-store.ts';
import type { Connection } from '../connection.ts';

/** The texts of entries, compressed. */
export class EntryTexts {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  get(id: number): EntryText | null {
    const row = this.#db.get('SELECT * FROM texts WHERE id = ?', id);
    if (row === undefined) return null;
    return {
      html: inflateRawSync(row.html as Uint8Array).toString(),
      origin: row.origin as EntryText['origin'],
      byline: row.byline as string | null,
      fetchedAt: Number(row.fetched_at),
    };
  }

  put(id: number, { html, origin, byline, fetchedAt }: EntryText): void {
    this.#db.run(
      'INSERT OR REPLACE INTO texts (id, html, origin, byline, fetched_at) VALUES (?, ?, ?, ?, ?)',
      id,
      deflateRawSync(html),
      origin,
      byline,
      fetchedAt,
    );
  }

  originOf(id: number): EntryText['origin'] | null {
    const row = this.#db.get('SELECT origin FROM texts WHERE id = ?', id);
    return (row?.origin as EntryText['origin'] | undefined) ?? null;
  }

  remove(id: number): number {
    return this.#db.run('DELETE FROM texts WHERE id = ?', id);
  }
}
