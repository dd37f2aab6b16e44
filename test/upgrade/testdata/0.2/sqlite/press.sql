PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE day_counts (
  destination TEXT NOT NULL,
  day INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (destination, day)
) WITHOUT ROWID;
CREATE TABLE revisions (
  pipeline TEXT NOT NULL,
  message TEXT NOT NULL,
  destination TEXT NOT NULL,
  remote_id TEXT NOT NULL,
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  detail TEXT,
  due_at INTEGER,
  updated_at INTEGER NOT NULL,
  owner TEXT,
  held_until INTEGER,
  PRIMARY KEY (pipeline, message)
) WITHOUT ROWID;
INSERT INTO "day_counts" (destination, day, n) VALUES ('mastodon', 1772377200000, 3);
CREATE INDEX idx_revisions_wanted ON revisions (pipeline, destination, updated_at) WHERE state = 'wanted';
CREATE INDEX idx_revisions_settled ON revisions (updated_at) WHERE state <> 'wanted';
COMMIT;
PRAGMA user_version = 1;
