import type { Connection } from '../../sqlite/connection.ts';
import { type ListedStory, listed, looksAlike, type Story } from '../story.ts';
import { bucketsOf } from './buckets.ts';
import { LISTED, toListed } from './rows.ts';

const INSERT = `INSERT INTO stories (id, set_no, score, time, updated, descendants, by, title, url, kids)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE = `UPDATE stories SET score = ?, time = ?, updated = ?, descendants = ?, by = ?, title = ?, url = ?, kids = ?
  WHERE id = ?`;
const RANK = 'INSERT INTO ranks (bucket, score, id) VALUES (?, ?, ?)';
const UNRANK = 'DELETE FROM ranks WHERE bucket = ? AND score = ? AND id = ?';
const TELL = 'INSERT INTO changes (set_no, at, before, after) VALUES (?, ?, ?, ?)';
const FIND = `SELECT set_no, ${LISTED} FROM stories WHERE id = ?`;

/** Changes of one set, each to be called inside a transaction. */
export class StoryWriter {
  readonly #db: Connection;
  readonly #set: number;

  constructor(db: Connection, set: number) {
    this.#db = db;
    this.#set = set;
  }

  put(story: Story, now: number): void {
    const before = this.#find(story.id);
    const { id, score, time, updated, descendants, by, title, url } = story;
    const kids = JSON.stringify(story.kids);
    if (before === null) {
      this.#db.run(INSERT, id, this.#set, score, time, updated, descendants, by, title, url, kids);
      this.#db.run(
        'UPDATE sets SET latest = ? WHERE no = ? AND (latest IS NULL OR latest < ?)',
        id,
        this.#set,
        id,
      );
    } else this.#db.run(UPDATE, score, time, updated, descendants, by, title, url, kids, id);
    if (before === null || before.score !== score || before.time !== time) {
      if (before !== null) this.#rank(UNRANK, before);
      this.#rank(RANK, story);
    }
    if (before === null || !looksAlike(before, story)) this.#tell(before, listed(story), now);
  }

  remove(id: number, now: number): void {
    const before = this.#find(id);
    if (before === null) return;
    this.#rank(UNRANK, before);
    this.#db.run('DELETE FROM stories WHERE id = ?', id);
    this.#tell(before, null, now);
  }

  #find(id: number): ListedStory | null {
    const row = this.#db.get(FIND, id);
    if (row === undefined) return null;
    if (row.set_no !== this.#set) throw new StoryOfAnotherSetError(id);
    return toListed(row);
  }

  #rank(sql: string, { id, score, time }: ListedStory): void {
    for (const bucket of bucketsOf(this.#set, time)) this.#db.run(sql, bucket, score, id);
  }

  #tell(before: ListedStory | null, after: ListedStory | null, now: number): void {
    const json = (story: ListedStory | null): string | null =>
      story === null ? null : JSON.stringify(story);
    this.#db.run(TELL, this.#set, now, json(before), json(after));
  }
}

/** Two sets gave the same ID to different stories, which their IDs are made to exclude. */
export class StoryOfAnotherSetError extends Error {
  override readonly name = 'StoryOfAnotherSetError';
  readonly id: number;
  constructor(id: number) {
    super(`The story ${id} belongs to another set.`);
    this.id = id;
  }
}
