import { Checkpointer } from '../../sqlite/checkpointer.ts';
import { Connection } from '../../sqlite/connection.ts';
import { openDatabase } from '../../sqlite/database.ts';
import type { Clock } from '../../time/clock.ts';
import { HiddenStories } from './hidden.ts';
import { STORY_MIGRATIONS } from './migrations.ts';
import { SqliteStoryStore } from './sqlite-story-store.ts';

/** Stories after which the log is copied into the file; each touches some ten pages. */
const CHECKPOINT_AFTER = 200;

/** The file that holds all sets of stories, and who hid what. */
export class StoryFile implements AsyncDisposable {
  readonly db: Connection;
  readonly hidden: HiddenStories;
  readonly #clock: Clock;
  readonly #checkpointer: Checkpointer;
  #written = 0;

  private constructor(db: Connection, clock: Clock) {
    this.db = db;
    this.#clock = clock;
    this.hidden = new HiddenStories(db);
    this.#checkpointer = new Checkpointer(db.path);
  }

  static open(path: string, clock: Clock): StoryFile {
    const opened = openDatabase(path, { name: 'the stories', migrations: STORY_MIGRATIONS });
    const db = new Connection(opened, path);
    // The log is copied by a thread of its own; by itself SQLite does it only when that thread cannot.
    db.get('PRAGMA wal_autocheckpoint = 50000');
    return new StoryFile(db, clock);
  }

  /** The stories of one set; made when it is asked for the first time. */
  async of(name: string): Promise<SqliteStoryStore> {
    const no = await this.db.write(() => {
      this.db.run('INSERT OR IGNORE INTO sets (name) VALUES (?)', name);
      return Number(this.db.get('SELECT no FROM sets WHERE name = ?', name)?.no);
    });
    return new SqliteStoryStore(this, no, this.#clock);
  }

  /** So many stories were written. */
  wrote(stories: number): void {
    this.#written += stories;
    if (this.#written < CHECKPOINT_AFTER) return;
    this.#written = 0;
    this.#checkpointer.ask();
  }

  /** Statistics that the planner goes by, from a sample, so that it takes no time worth telling. */
  async tend(): Promise<void> {
    await this.db.patiently(() => {
      this.db.get('PRAGMA analysis_limit = 200');
      this.db.get('PRAGMA optimize');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checkpointer[Symbol.asyncDispose]();
    await this.db[Symbol.asyncDispose]();
  }
}
