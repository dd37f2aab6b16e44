import type { Migration } from '../database.ts';

/**
 * Schema of `reader.db`. Append-only.
 *
 * - `ord` is the place of an entry in lists, by time of publication and then arrival (see `order.ts`). It is also the row ID of
 *   `search`, so that a search reads its results in the order of the list.
 * - `carried` has a row for each source of each entry. `seq` is the number that it took when it arrived: "read all" covers what has
 *   at most a certain number. An entry without a source has a row of source 0.
 * - A story is `shared` once it has several rows there; of one that is not, the only entry has the ID of the story.
 * - `joined_states` has the states of stories that a person joined to another one, as they were, for separating them again.
 */
export const READER_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates the articles of the reader and their search',
    sql: `
      CREATE TABLE numbers (only INTEGER PRIMARY KEY CHECK (only = 1), last INTEGER NOT NULL) STRICT;
      INSERT INTO numbers VALUES (1, 0);

      CREATE TABLE sources (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;

      CREATE TABLE entries (
        ord          INTEGER PRIMARY KEY,
        id           INTEGER NOT NULL UNIQUE,
        key          TEXT NOT NULL UNIQUE,
        story        INTEGER NOT NULL,
        shared       INTEGER NOT NULL,
        sources      TEXT NOT NULL,
        url          TEXT NOT NULL,
        title        TEXT NOT NULL,
        author       TEXT,
        excerpt      TEXT,
        image_url    TEXT,
        language     TEXT,
        published_at INTEGER NOT NULL,
        arrived_at   INTEGER NOT NULL,
        points       REAL,
        enclosure    TEXT,
        content_hash TEXT
      ) STRICT;
      CREATE INDEX entries_by_arrival ON entries (arrived_at, id);

      CREATE TABLE carried (
        source INTEGER NOT NULL,
        ord    INTEGER NOT NULL,
        seq    INTEGER NOT NULL,
        story  INTEGER NOT NULL,
        shared INTEGER NOT NULL,
        PRIMARY KEY (source, ord)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX carried_by_arrival ON carried (source, shared, seq, story);
      CREATE INDEX carried_by_story ON carried (story, seq) WHERE shared = 1;
      CREATE INDEX carried_by_time ON carried (ord, story) WHERE shared = 1;

      CREATE TABLE texts (
        id         INTEGER PRIMARY KEY,
        html       BLOB NOT NULL,
        origin     TEXT NOT NULL,
        byline     TEXT,
        fetched_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX texts_by_time ON texts (fetched_at);

      CREATE VIRTUAL TABLE search USING fts5(words, letters, scope, content='', contentless_delete=1, tokenize='ascii');

      CREATE TABLE people (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;

      CREATE TABLE states (
        person     INTEGER NOT NULL,
        story      INTEGER NOT NULL,
        read       INTEGER,
        starred_at INTEGER,
        later_at   INTEGER,
        PRIMARY KEY (person, story)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX states_by_story ON states (story);
      CREATE INDEX states_unread ON states (person) WHERE read = 0;
      CREATE INDEX states_starred ON states (person) WHERE starred_at IS NOT NULL;
      CREATE INDEX states_later ON states (person) WHERE later_at IS NOT NULL;

      CREATE TABLE marks (
        person INTEGER NOT NULL,
        token  TEXT NOT NULL,
        source INTEGER NOT NULL,
        up_to  INTEGER NOT NULL,
        before INTEGER,
        at     INTEGER NOT NULL,
        PRIMARY KEY (person, token, source)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE undos (
        token  TEXT PRIMARY KEY,
        person INTEGER NOT NULL,
        at     INTEGER NOT NULL,
        change TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX undos_by_time ON undos (at);
      CREATE INDEX undos_by_person ON undos (person);

      CREATE TABLE searches (
        person   INTEGER NOT NULL,
        id       TEXT NOT NULL,
        settings TEXT NOT NULL,
        PRIMARY KEY (person, id)
      ) STRICT;

      CREATE TABLE tombstones (key_hash TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX tombstones_by_time ON tombstones (seen_at);
    `,
  },
  {
    version: 2,
    about: 'Adds why an article is in its story, and the stories that people split and joined',
    sql: `
      ALTER TABLE entries ADD COLUMN story_reason TEXT;

      CREATE TABLE story_edits (
        id         TEXT PRIMARY KEY,
        changed_at INTEGER NOT NULL,
        edit       TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX story_edits_by_change ON story_edits (changed_at, id);

      CREATE TABLE joined_states (
        story     INTEGER NOT NULL,
        person    INTEGER NOT NULL,
        joined_to INTEGER NOT NULL,
        own       TEXT NOT NULL,
        other     TEXT NOT NULL,
        PRIMARY KEY (story, person)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX joined_states_by_story ON joined_states (joined_to);
      CREATE INDEX joined_states_by_person ON joined_states (person);
    `,
  },
];
