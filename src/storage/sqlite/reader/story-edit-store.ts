import { changedAt, type StoryEdit, type StoryEditStore } from '../../../same-story/story-edit-store.ts';
import { Connection, type Row } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { READER_MIGRATIONS } from './migrations.ts';

/** Edits of stories in the file of the reader. */
export class SqliteStoryEditStore implements StoryEditStore, AsyncDisposable {
  readonly #db: Connection;

  constructor(path: string) {
    const opened = openDatabase(path, { name: 'the edits of stories', migrations: READER_MIGRATIONS });
    this.#db = new Connection(opened, path);
  }

  async add(edit: StoryEdit): Promise<void> {
    const sql = 'INSERT INTO story_edits (id, changed_at, edit) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    await this.#db.write(() => this.#db.run(sql, edit.id, changedAt(edit), JSON.stringify(edit)));
  }

  get(id: string): Promise<StoryEdit | null> {
    return this.#db.read(() => this.#find(id));
  }

  undo(id: string, at: number): Promise<boolean> {
    return this.#db.write(() => {
      const edit = this.#find(id);
      if (edit === null || edit.undoneAt !== null) return false;
      const undone: StoryEdit = { ...edit, undoneAt: at };
      const sql = 'UPDATE story_edits SET edit = ?, changed_at = ? WHERE id = ?';
      return this.#db.run(sql, JSON.stringify(undone), changedAt(undone), id) === 1;
    });
  }

  changedSince(at: number): Promise<readonly StoryEdit[]> {
    const sql = 'SELECT edit FROM story_edits WHERE changed_at >= ? ORDER BY changed_at, id';
    return this.#db.read(() => this.#db.all(sql, at).map(toEdit));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]();
  }

  #find(id: string): StoryEdit | null {
    const row = this.#db.get('SELECT edit FROM story_edits WHERE id = ?', id);
    return row === undefined ? null : toEdit(row);
  }
}

function toEdit(row: Row): StoryEdit {
  return JSON.parse(String(row.edit)) as StoryEdit;
}
