PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE counts (
        pipeline TEXT NOT NULL,
        at       INTEGER NOT NULL,
        counts   TEXT NOT NULL,
        PRIMARY KEY (pipeline, at)
      ) STRICT, WITHOUT ROWID;
COMMIT;
PRAGMA user_version = 1;
