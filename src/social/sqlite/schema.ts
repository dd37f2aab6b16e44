import type { DatabaseSync } from 'node:sqlite';

/**
 * Numbered, append-only. The number of the last one applied is the file's `user_version`; a file from a newer program
 * is refused rather than guessed at.
 */
const MIGRATIONS: readonly string[] = [
  `
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
];

/** The file was written by a newer version of the program. */
export class SocialSchemaError extends Error {
  override readonly name = 'SocialSchemaError';
  readonly found: number;

  constructor(path: string, found: number) {
    super(
      `${path} has schema ${found}, and this version of the program knows ${MIGRATIONS.length}. Use the newer version.`,
    );
    this.found = found;
  }
}

export function migrate(db: DatabaseSync, path: string): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const found = Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (found > MIGRATIONS.length) throw new SocialSchemaError(path, found);
    for (const sql of MIGRATIONS.slice(found)) db.exec(sql);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
