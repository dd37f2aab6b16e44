import type { Migration } from '../../sqlite/database.ts';

/** Accounts and what people are signed in with. Append-only. */
export const ACCOUNT_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
  CREATE TABLE accounts (
    user_id             TEXT PRIMARY KEY,
    name                TEXT NOT NULL,
    folded_name         TEXT NOT NULL UNIQUE,
    role                TEXT NOT NULL CHECK (role IN ('owner', 'reader')),
    password_hash       TEXT NOT NULL,
    created_at          INTEGER NOT NULL,
    password_changed_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    device     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_user ON sessions (user_id, seen_at DESC);
  CREATE INDEX sessions_by_end ON sessions (expires_at);

  CREATE TABLE links (
    id         TEXT PRIMARY KEY,
    purpose    TEXT NOT NULL CHECK (purpose IN ('owner', 'invite', 'reset')),
    role       TEXT NOT NULL,
    user_id    TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tokens (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    label      TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_user ON tokens (user_id, created_at DESC, id DESC);

  CREATE TABLE read_marks (
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    timeline   TEXT NOT NULL,
    position   TEXT NOT NULL,
    marked_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, timeline)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT, WITHOUT ROWID;
    `,
  },
];
