import type { Migration } from '../../sqlite/database.ts';

/** Stories, their ranking, the feed of changes, and who hid what. Append-only. */
export const STORY_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
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
