PRAGMA foreign_keys = OFF;
BEGIN;
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
CREATE TABLE read_marks (
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    timeline   TEXT NOT NULL,
    position   TEXT NOT NULL,
    marked_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, timeline)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "accounts" (user_id, name, folded_name, role, password_hash, created_at, password_changed_at) VALUES ('019aa981-2905-72e6-b5d8-f0b03c62e26e', 'hana', 'hana', 'owner', 'scrypt$4096$8$1$mge2nmXLn9GvQ5iVYaCV5A$KHUupLSrVBxFlXagcMGbl5D8tYcDyxd5Fsm0dVgaoD0', 1763780405510, 1763780405510);
INSERT INTO "accounts" (user_id, name, folded_name, role, password_hash, created_at, password_changed_at) VALUES ('019aa981-291e-7489-ab2c-2128c4cec783', 'ken', 'ken', 'reader', 'scrypt$4096$8$1$vDvEO5PR35KnKOY7mOPB7g$5HSfTMTMxOemwsBG0B3RPStffr3nwDDap7inOL0Mv_4', 1763780405534, 1763780405534);
INSERT INTO "sessions" (id, user_id, created_at, seen_at, expires_at, device) VALUES ('d381e3ac242193e4d46215edf1629eac8d0e9cb90d56b734ced70c91ebf04357', '019aa981-2905-72e6-b5d8-f0b03c62e26e', 1763780405515, 1763780405515, 1766372405515, 'a laptop');
INSERT INTO "sessions" (id, user_id, created_at, seen_at, expires_at, device) VALUES ('dedf3e769e66c653def5c1a0b5e99d84d2497aa0d639a9b4eab51846cda4f742', '019aa981-291e-7489-ab2c-2128c4cec783', 1763780405536, 1763780405536, 1766372405536, 'a phone');
INSERT INTO "tokens" (id, user_id, label, scopes, created_at, expires_at, revoked_at) VALUES ('kt_5986c469_1bd3a260-c261-4cbb-a6ba-655127bc0a9c', '019aa981-2905-72e6-b5d8-f0b03c62e26e', 'a program', 'read write', 1763780406189, 1798340406189, NULL);
INSERT INTO "tokens" (id, user_id, label, scopes, created_at, expires_at, revoked_at) VALUES ('kt_5986c469_339776bd-38b5-437b-849a-f692abf33023', '019aa981-2905-72e6-b5d8-f0b03c62e26e', 'a lost one', 'read write', 1763780406199, 1798340406199, 1763780406200);
INSERT INTO "keys" (name, key) VALUES ('own', X'AE00596451D8167B36420326F72767B23A144D7134CE8E67C7CFE53EAD0AF946');
CREATE INDEX sessions_by_user ON sessions (user_id, seen_at DESC);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at DESC, id DESC);
COMMIT;
PRAGMA user_version = 1;
