import { type CountsEntry, type CountsLog, type CountsOfHour, hourOf } from '../../ledger/counts-log.ts';
import { Connection } from './connection.ts';
import { type Migration, openDatabase } from './database.ts';

/** The schema of `counts.db`, step by step. Append-only. */
export const COUNTS_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates the counts for the charts',
    sql: `
      CREATE TABLE counts (
        pipeline TEXT NOT NULL,
        at       INTEGER NOT NULL,
        counts   TEXT NOT NULL,
        PRIMARY KEY (pipeline, at)
      ) STRICT, WITHOUT ROWID;
    `,
  },
];

/** The counts in a file of their own, `counts.db`. */
export class SqliteCountsLog implements CountsLog {
  readonly #db: Connection;

  constructor(path: string) {
    this.#db = new Connection(
      openDatabase(path, { name: 'the record of counts', migrations: COUNTS_MIGRATIONS }),
      path,
    );
  }

  async put(pipeline: string, at: number, { byState, byReason }: CountsOfHour): Promise<void> {
    const counts = JSON.stringify({ byState, byReason });
    const sql = 'INSERT OR REPLACE INTO counts VALUES (?, ?, ?)';
    await this.#db.write(() => this.#db.run(sql, pipeline, hourOf(at), counts));
  }

  async read(pipeline: string, from: number, to: number): Promise<readonly CountsEntry[]> {
    const sql = 'SELECT at, counts FROM counts WHERE pipeline = ? AND at BETWEEN ? AND ? ORDER BY at';
    const rows = await this.#db.retryWhileBusy(() => this.#db.all(sql, pipeline, hourOf(from), to));
    return rows.map((row) => ({ at: Number(row.at), ...(JSON.parse(String(row.counts)) as CountsOfHour) }));
  }

  async sweep(before: number): Promise<void> {
    await this.#db.write(() => this.#db.run('DELETE FROM counts WHERE at < ?', before));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#db[Symbol.asyncDispose]();
  }
}
