import type { Migration } from './database.ts';

/** Schema of users, follows and drops. Append-only. */
export const SOCIAL_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates people, follows and drops',
    sql: `
  CREATE TABLE users (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('person', 'pipeline')),
    created_at   INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE follows (
    follower_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    followed_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (follower_id, followed_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX follows_by_followed ON follows (followed_id, follower_id);

  -- A deleted drop stays as an empty row: its key keeps the same message from being posted a second time.
  CREATE TABLE drops (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'followers', 'private')),
    created_at INTEGER NOT NULL,
    text       TEXT NOT NULL,
    title      TEXT,
    url        TEXT,
    item_key   TEXT,
    pipeline   TEXT,
    dedupe_key TEXT UNIQUE,
    deleted_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX drops_by_user ON drops (user_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
  CREATE INDEX drops_public ON drops (created_at DESC, id DESC) WHERE deleted_at IS NULL AND visibility = 'public';
    `,
  },
  {
    version: 2,
    about: 'Adds blocks',
    sql: `
  CREATE TABLE blocks (
    blocker_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    blocked_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (blocker_id, blocked_id)
  ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 3,
    about: 'Adds notices between programs',
    sql: `
  -- What programs tell each other that have this file open. Written with the change itself, and soon thrown away.
  CREATE TABLE notices (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    writer TEXT NOT NULL,
    notice TEXT NOT NULL
  ) STRICT;
    `,
  },
  {
    version: 4,
    about: 'Makes sources people can follow: copies the table of users',
    converts: ['users'],
    rebuilds: true,
    sql: `
  -- Sources are users too. A check cannot be changed in place.
  CREATE TABLE users_of_any_kind (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('person', 'pipeline', 'source')),
    created_at   INTEGER NOT NULL
  ) STRICT;
  INSERT INTO users_of_any_kind SELECT id, name, display_name, kind, created_at FROM users ORDER BY rowid;
  DROP TABLE users;
  ALTER TABLE users_of_any_kind RENAME TO users;
    `,
  },
  {
    version: 5,
    about: 'Adds changes that are not announced yet',
    sql: `
  -- Written with the change itself, thrown away once the log of events has it: what a killed program left is announced later.
  CREATE TABLE unannounced (
    seq    INTEGER PRIMARY KEY,
    change TEXT NOT NULL UNIQUE,
    notice TEXT NOT NULL
  ) STRICT;
    `,
  },
  {
    version: 6,
    about: 'Replaces both kinds of notices by one change feed; what was not announced yet is taken over',
    converts: ['unannounced'],
    sql: `
  -- What timelines have to hear of, written with the change itself. It replaces both tables before it; what was not announced
  -- yet is taken over, except drops that were deleted since.
  CREATE TABLE changes (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    change      TEXT NOT NULL,
    traceparent TEXT
  ) STRICT;
  INSERT INTO changes (at, change)
    SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER), CASE notice ->> 'kind'
      WHEN 'posted' THEN json_object('type', 'drop_created', 'drop_id', drops.id, 'user_id', drops.user_id,
        'visibility', drops.visibility, 'created_at', drops.created_at)
      WHEN 'deleted' THEN json_object('type', 'drop_deleted', 'drop_id', notice ->> 'dropId', 'user_id', notice ->> 'userId')
      ELSE json_object('type', notice ->> 'kind', 'user_id', notice ->> 'userId', 'author_id', notice ->> 'authorId') END
    FROM unannounced LEFT JOIN drops ON drops.id = notice ->> 'dropId' AND deleted_at IS NULL
    WHERE notice ->> 'kind' <> 'posted' OR drops.id IS NOT NULL
    ORDER BY seq;
  DROP TABLE notices;
  DROP TABLE unannounced;
    `,
  },
  {
    version: 7,
    about: 'Adds when a drop was edited',
    sql: 'ALTER TABLE drops ADD COLUMN edited_at INTEGER;',
  },
];
