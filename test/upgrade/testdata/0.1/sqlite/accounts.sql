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
INSERT INTO "accounts" (user_id, name, folded_name, role, password_hash, created_at, password_changed_at) VALUES ('019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'hana', 'hana', 'owner', 'scrypt$4096$8$1$_hzfomyayprHG3-qK8gcvQ$McxYt_gnwMK4j2haBPNCgspPXH3Xo2X3RpPywrUFEVA', 1763780406997, 1763780406997);
INSERT INTO "accounts" (user_id, name, folded_name, role, password_hash, created_at, password_changed_at) VALUES ('019aa981-2f23-7071-ad20-6e96a0376a3d', 'ken', 'ken', 'reader', 'scrypt$4096$8$1$9gPAtBdMkPWjTF8wOC0QCQ$K1RPcutasVu2OaBh_3w48j4r_AWKhOyMIJiMxxHihlE', 1763780407076, 1763780407076);
INSERT INTO "sessions" (id, user_id, created_at, seen_at, expires_at, device) VALUES ('01eefdb42003ee128ba4fc942e948ab92d8a95264593e88d5d369a1bd01739b0', '019aa981-2f23-7071-ad20-6e96a0376a3d', 1763780407078, 1763780407078, 1766372407078, 'a phone');
INSERT INTO "sessions" (id, user_id, created_at, seen_at, expires_at, device) VALUES ('741b7f877490afa5e39786555b0667408b2d1feecbf9d0969c4335b92b667e87', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 1763780407033, 1763780407033, 1766372407033, 'a laptop');
INSERT INTO "tokens" (id, user_id, label, scopes, created_at, expires_at, revoked_at) VALUES ('kt_8536cdc1_938ce22a-38e9-4f0a-a2e6-fefaa459d4e2', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'lost', 'read', 1763780410345, 2079140410345, 1763780410347);
INSERT INTO "tokens" (id, user_id, label, scopes, created_at, expires_at, revoked_at) VALUES ('kt_8536cdc1_c200494b-fbb6-40d4-9b83-30f6411dfc25', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'a script', 'read write', 1763780410332, 2079140410332, NULL);
INSERT INTO "keys" (name, key) VALUES ('own', x'970a6fc10a40e620fa1f191d7263660252418e8b42e3bf4a41e011d6e5cfa2e9');
CREATE INDEX sessions_by_user ON sessions (user_id, seen_at DESC);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at DESC, id DESC);
COMMIT;
PRAGMA user_version = 1;
