PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE received (
        id         TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
CREATE TABLE removed (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id  TEXT NOT NULL UNIQUE
      ) STRICT;
INSERT INTO "received" (id, created_at) VALUES ('far-1', 1763780410348);
INSERT INTO "removed" (seq, id) VALUES (1, '019aa981-3bd0-73dd-91be-24c92349e1b3');
INSERT INTO "removed" (seq, id) VALUES (2, 'far-2');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('removed', 2);
CREATE INDEX received_newest ON received (created_at DESC, id DESC);
COMMIT;
PRAGMA user_version = 1;
