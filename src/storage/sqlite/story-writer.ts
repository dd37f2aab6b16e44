import { type ListedStory, listed, looksAlike, type Story } from '../../stories/story.ts';
import type { Connection, Row } from './connection.ts';
import { bucketsOf } from './story-ranks.ts';

export const LISTED_COLUMNS = 'stories.id AS id, score, time, descendants, by, title, url';
export const ALL_COLUMNS = `${LISTED_COLUMNS}, updated, kids`;

export function toListed(row: Row): ListedStory {
  return {
    by: row.by as string,
    descendants: row.descendants as number,
    id: row.id as number,
    score: row.score as number,
    time: row.time as number,
    title: row.title as string,
    url: row.url as string,
  };
}

export function toStory(row: Row): Story {
  return {
    ...toListed(row),
    kids: JSON.parse(row.kids as string) as number[],
    updated: row.updated as number,
  };
}

const INSERT_STORY = `INSERT INTO stories (id, set_no, score, time, updated, descendants, by, title, url, kids)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_STORY = `UPDATE stories SET score = ?, time = ?, updated = ?, descendants = ?, by = ?, title = ?, url = ?, kids = ?
  WHERE id = ?`;
const INSERT_RANK = 'INSERT INTO ranks (bucket, score, id) VALUES (?, ?, ?)';
const DELETE_RANK = 'DELETE FROM ranks WHERE bucket = ? AND score = ? AND id = ?';
const INSERT_CHANGE = 'INSERT INTO changes (set_no, at, before, after) VALUES (?, ?, ?, ?)';
const SELECT_STORY = `SELECT set_no, ${LISTED_COLUMNS} FROM stories WHERE id = ?`;

/** Writes to one set; every method is called inside a transaction. */
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
      this.#db.run(INSERT_STORY, id, this.#set, score, time, updated, descendants, by, title, url, kids);
      this.#db.run(
        'UPDATE sets SET latest = ? WHERE no = ? AND (latest IS NULL OR latest < ?)',
        id,
        this.#set,
        id,
      );
    } else this.#db.run(UPDATE_STORY, score, time, updated, descendants, by, title, url, kids, id);
    if (before === null || before.score !== score || before.time !== time) {
      if (before !== null) this.#rank(DELETE_RANK, before);
      this.#rank(INSERT_RANK, story);
    }
    if (before === null || !looksAlike(before, story)) this.#recordChange(before, listed(story), now);
  }

  remove(id: number, now: number): void {
    const before = this.#find(id);
    if (before === null) return;
    this.#rank(DELETE_RANK, before);
    this.#db.run('DELETE FROM stories WHERE id = ?', id);
    this.#recordChange(before, null, now);
  }

  #find(id: number): ListedStory | null {
    const row = this.#db.get(SELECT_STORY, id);
    if (row === undefined) return null;
    if (row.set_no !== this.#set) throw new StoryOfAnotherSetError(id);
    return toListed(row);
  }

  #rank(sql: string, { id, score, time }: ListedStory): void {
    for (const bucket of bucketsOf(this.#set, time)) this.#db.run(sql, bucket, score, id);
  }

  #recordChange(before: ListedStory | null, after: ListedStory | null, now: number): void {
    const json = (story: ListedStory | null): string | null =>
      story === null ? null : JSON.stringify(story);
    this.#db.run(INSERT_CHANGE, this.#set, now, json(before), json(after));
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
