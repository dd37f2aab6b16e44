import type { DatabaseSync } from 'node:sqlite';
import { NO_REACTIONS, type ReactionRecord, type ReactionStore } from '../../learning/reaction-store.ts';
import { type Migration, openDatabase } from './database.ts';

export const LEARNING_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates the reactions of people',
    sql: `
      CREATE TABLE reactions (
        person     TEXT PRIMARY KEY,
        changed_at INTEGER NOT NULL,
        record     TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX reactions_by_change ON reactions (changed_at);
    `,
  },
];

/** Reactions in `learning.db`, a row for each person. */
export class SqliteReactionStore implements ReactionStore {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = openDatabase(path, { name: 'the reactions', migrations: LEARNING_MIGRATIONS });
  }

  async of(person: string): Promise<ReactionRecord> {
    return this.#read(person);
  }

  async update(
    person: string,
    now: number,
    change: (record: ReactionRecord) => ReactionRecord,
  ): Promise<ReactionRecord> {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const before = this.#read(person);
      const record = change(before);
      if (record !== before)
        this.#db
          .prepare('INSERT OR REPLACE INTO reactions (person, changed_at, record) VALUES (?, ?, ?)')
          .run(person, now, JSON.stringify(record));
      this.#db.exec('COMMIT');
      return record;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  async changedSince(since: number): Promise<ReadonlyMap<string, ReactionRecord>> {
    const rows = this.#db.prepare('SELECT person, record FROM reactions WHERE changed_at >= ?').all(since);
    return new Map(rows.map(({ person, record }) => [String(person), toRecord(String(record))]));
  }

  async removePerson(person: string): Promise<void> {
    this.#db.prepare('DELETE FROM reactions WHERE person = ?').run(person);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }

  #read(person: string): ReactionRecord {
    const row = this.#db.prepare('SELECT record FROM reactions WHERE person = ?').get(person);
    return row === undefined ? NO_REACTIONS : toRecord(String(row.record));
  }
}

function toRecord(json: string): ReactionRecord {
  return { ...NO_REACTIONS, ...(JSON.parse(json) as Partial<ReactionRecord>) };
}
