import { existsSync } from 'node:fs';
import type { OriginPage } from '../../timelines/origin.ts';
import type { TimelineEntry } from '../../timelines/timeline-store.ts';
import { MAX_REMOVED, type ReceivedDrops } from '../../timelines/timeline-store.ts';
import { Connection } from './connection.ts';
import { type Migration, openDatabase } from './database.ts';

/** The schema of `received.db`, step by step. Append-only. */
export const RECEIVED_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates the received drops',
    sql: `
      CREATE TABLE received (
        id         TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX received_newest ON received (created_at DESC, id DESC);

      CREATE TABLE removed (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id  TEXT NOT NULL UNIQUE
      ) STRICT;
    `,
  },
];

export interface SqliteReceivedDropsOptions {
  /** Usually `received.db` in the data folder. Created by the first received or removed drop. */
  readonly path: string;
  readonly cap: number;
}

/** Received drops, in a file of their own. */
export class SqliteReceivedDrops implements ReceivedDrops {
  readonly #options: SqliteReceivedDropsOptions;
  #opened: Connection | null = null;

  constructor(options: SqliteReceivedDropsOptions) {
    this.#options = options;
  }

  async add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    if (entries.length === 0) return [];
    const db = this.#open();
    return db.writeDurably(() => {
      const added = entries.filter(
        ({ id }) => db.get('SELECT 1 FROM removed WHERE id = ?', id) === undefined,
      );
      const sql = 'INSERT INTO received (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING';
      for (const { id, createdAt } of added) db.run(sql, id, createdAt);
      db.run(
        `DELETE FROM received WHERE (created_at, id) <=
         (SELECT created_at, id FROM received ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?)`,
        this.#options.cap,
      );
      return added;
    });
  }

  async remove(dropIds: readonly string[]): Promise<void> {
    if (dropIds.length === 0) return;
    const db = this.#open();
    await db.writeDurably(() => {
      for (const id of dropIds) {
        db.run('INSERT INTO removed (id) VALUES (?) ON CONFLICT DO NOTHING', id);
        db.run('DELETE FROM received WHERE id = ?', id);
      }
      db.run('DELETE FROM removed WHERE seq <= (SELECT max(seq) FROM removed) - ?', MAX_REMOVED);
    });
  }

  async newest({ limit, before }: OriginPage): Promise<readonly TimelineEntry[]> {
    const { createdAt, id } = before ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    const db = this.#openExisting();
    const rows = await db?.retryWhileBusy(() =>
      db.all(
        `SELECT id, created_at FROM received WHERE (created_at, id) < (?, ?)
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        createdAt,
        id,
        limit,
      ),
    );
    return (rows ?? []).map((row) => ({ id: String(row.id), createdAt: Number(row.created_at) }));
  }

  async removedIds(): Promise<readonly string[]> {
    const db = this.#openExisting();
    const rows = await db?.retryWhileBusy(() => db.all('SELECT id FROM removed'));
    return (rows ?? []).map((row) => String(row.id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened?.[Symbol.asyncDispose]();
  }

  /** Opens the file lazily: without received drops there is none. */
  #openExisting(): Connection | null {
    return this.#opened !== null || existsSync(this.#options.path) ? this.#open() : null;
  }

  #open(): Connection {
    const { path } = this.#options;
    this.#opened ??= new Connection(
      openDatabase(path, { name: 'the received drops', migrations: RECEIVED_MIGRATIONS }),
      path,
    );
    return this.#opened;
  }
}
