import { chunked } from '../../item/chunked.ts';
import type { HiddenPage, HiddenRequest } from '../../stories/story-store.ts';
import type { Connection } from './connection.ts';

const SELECT_AMONG = `SELECT value AS id FROM json_each(?)
  WHERE EXISTS (SELECT 1 FROM hidden WHERE person_no = ? AND story_id = value)`;
const SELECT_PAGE = `SELECT story_id AS id, added_at AS addedAt FROM hidden INDEXED BY hidden_by_time
  WHERE person_no = ? AND (added_at, story_id) < (?, ?) ORDER BY added_at DESC, story_id DESC LIMIT ?`;
const BATCH_SIZE = 500;

/** Hidden stories by user; one table for all sets, whose IDs are disjoint. */
export class SqliteHiddenStories {
  readonly #db: Connection;
  readonly #people = new Map<string, number>();

  constructor(db: Connection) {
    this.#db = db;
  }

  async hide(username: string, ids: readonly number[], at: number): Promise<void> {
    for (const batch of chunked(ids, BATCH_SIZE))
      await this.#db.write(() => {
        const person = this.#numberOf(username, 'make');
        for (const id of batch)
          this.#db.run(
            'INSERT OR IGNORE INTO hidden (person_no, story_id, added_at) VALUES (?, ?, ?)',
            person,
            id,
            at,
          );
      });
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    for (const batch of chunked(ids, BATCH_SIZE))
      await this.#db.write(() => {
        const person = this.#numberOf(username);
        for (const id of batch)
          this.#db.run('DELETE FROM hidden WHERE person_no = ? AND story_id = ?', person, id);
      });
  }

  /** Which of these are hidden. Reads the primary key, however many the person hid. */
  among(username: string, ids: readonly number[]): Set<number> {
    const person = this.#numberOf(username);
    if (person === UNKNOWN_PERSON || ids.length === 0) return new Set();
    return new Set(this.#db.all(SELECT_AMONG, JSON.stringify(ids), person).map((row) => row.id as number));
  }

  list(username: string, { limit, after }: HiddenRequest): HiddenPage {
    const end = Number.MAX_SAFE_INTEGER;
    const rows = this.#db.all(
      SELECT_PAGE,
      this.#numberOf(username),
      after?.addedAt ?? end,
      after?.id ?? end,
      limit + 1,
    );
    const stories = rows
      .slice(0, limit)
      .map((row) => ({ id: row.id as number, addedAt: row.addedAt as number }));
    return { stories, more: rows.length > limit };
  }

  #numberOf(username: string, make?: 'make'): number {
    const known = this.#people.get(username);
    if (known !== undefined) return known;
    if (make) this.#db.run('INSERT OR IGNORE INTO people (name) VALUES (?)', username);
    const row = this.#db.get('SELECT no FROM people WHERE name = ?', username);
    if (row === undefined) return UNKNOWN_PERSON;
    // Inside a transaction that may be rolled back the number is not final.
    if (!make) this.#people.set(username, row.no as number);
    return row.no as number;
  }
}

const UNKNOWN_PERSON = -1;
