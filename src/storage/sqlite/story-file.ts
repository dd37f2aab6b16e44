import type { Clock } from '../../time/clock.ts';
import { Connection } from './connection.ts';
import { type Migration, openDatabase } from './database.ts';
import { SqliteHiddenStories } from './hidden-stories.ts';
import { SqliteStoryStore } from './story-store.ts';
import { Checkpointer } from './wal.ts';

/** Stories between two checkpoints; each touches some ten pages. A small newsroom needs no thread for it when it starts. */
const CHECKPOINT_AFTER_STORIES = 1000;

/** The file of all sets of stories and of the hidden stories. */
export class StoryFile implements AsyncDisposable {
  readonly db: Connection;
  readonly hidden: SqliteHiddenStories;
  readonly #clock: Clock;
  readonly #checkpointer: Checkpointer;
  #written = 0;

  private constructor(db: Connection, clock: Clock) {
    this.db = db;
    this.#clock = clock;
    this.hidden = new SqliteHiddenStories(db);
    this.#checkpointer = new Checkpointer(db.path);
  }

  static open(path: string, clock: Clock): StoryFile {
    const opened = openDatabase(path, { name: 'the stories', migrations: STORY_MIGRATIONS });
    const db = new Connection(opened, path);
    // A separate thread checkpoints the log; SQLite itself does only if that thread fails.
    db.get('PRAGMA wal_autocheckpoint = 50000');
    return new StoryFile(db, clock);
  }

  /** The stories of one set, created on first use. */
  async storeOf(name: string): Promise<SqliteStoryStore> {
    const no = await this.db.write(() => {
      this.db.run('INSERT OR IGNORE INTO sets (name) VALUES (?)', name);
      return Number(this.db.get('SELECT no FROM sets WHERE name = ?', name)?.no);
    });
    return new SqliteStoryStore(this, no, this.#clock);
  }

  /** Counts written stories, and checkpoints when it is time. */
  recordWrites(stories: number): void {
    this.#written += stories;
    if (this.#written < CHECKPOINT_AFTER_STORIES) return;
    this.#written = 0;
    this.#checkpointer.request();
  }

  /** Updates the query planner's statistics from a sample, which takes little time. */
  async maintain(): Promise<void> {
    await this.db.retryWhileBusy(() => {
      this.db.get('PRAGMA analysis_limit = 200');
      this.db.get('PRAGMA optimize');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checkpointer[Symbol.asyncDispose]();
    await this.db[Symbol.asyncDispose]();
  }
}

/** Schema of stories, ranking, change feed and hidden stories. Append-only. */
export const STORY_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates ranked and hidden stories',
    sql: `
  CREATE TABLE sets (
    no     INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    latest INTEGER,
    memory TEXT
  ) STRICT;

  CREATE TABLE stories (
    id          INTEGER PRIMARY KEY,
    set_no      INTEGER NOT NULL,
    score       INTEGER NOT NULL,
    time        INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    descendants INTEGER NOT NULL,
    by          TEXT NOT NULL,
    title       TEXT NOT NULL,
    url         TEXT NOT NULL,
    kids        TEXT NOT NULL
  ) STRICT;
  -- For the edge of a timespan, and for what has not been synced for long: both read it without touching a story.
  CREATE INDEX stories_by_time ON stories (set_no, time, id, updated, score);

  -- Each story stands in one bucket of each size (see buckets.ts), best first.
  CREATE TABLE ranks (
    bucket INTEGER NOT NULL,
    score  INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    PRIMARY KEY (bucket, score DESC, id DESC)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE changes (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    set_no INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    before TEXT,
    after  TEXT
  ) STRICT;

  CREATE TABLE uses (
    set_no   INTEGER NOT NULL,
    day      TEXT NOT NULL,
    requests INTEGER NOT NULL,
    reads    INTEGER NOT NULL,
    writes   INTEGER NOT NULL,
    PRIMARY KEY (set_no, day)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE people (
    no   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE hidden (
    person_no INTEGER NOT NULL,
    story_id  INTEGER NOT NULL,
    added_at  INTEGER NOT NULL,
    PRIMARY KEY (person_no, story_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX hidden_by_time ON hidden (person_no, added_at DESC, story_id DESC);
    `,
  },
];
