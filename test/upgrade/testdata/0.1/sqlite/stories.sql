PRAGMA foreign_keys = OFF;
BEGIN;
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
INSERT INTO "sets" (no, name, latest, memory) VALUES (1, 'pipeline-digest', 8516104607053002, '{"retry":[],"gaps":[],"backfill":null,"takenUpTo":1772420482103}');
INSERT INTO "stories" (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (4640517085634568, 1, 94, 1772420479000, 1772420482103, 0, 'articles', 'TypeScript: three', 'https://news.example/three', '[]');
INSERT INTO "stories" (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (5348720075973196, 1, 94, 1772420411000, 1772420418152, 0, 'articles', 'TypeScript: one', 'https://news.example/one', '[]');
INSERT INTO "stories" (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (7423249831727182, 1, 94, 1772420480000, 1772420482103, 0, 'articles', 'TypeScript: four', 'https://news.example/four', '[]');
INSERT INTO "stories" (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (7673082253717989, 1, 94, 1772420412000, 1772420418152, 0, 'articles', 'TypeScript: two', 'https://news.example/two', '[]');
INSERT INTO "stories" (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (8230202627015639, 1, 8, 1772420413000, 1772420418042, 0, 'articles', 'Weather: off-one', 'https://news.example/off-one', '[]');
INSERT INTO "stories" (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (8516104607053002, 1, 8, 1763780403000, 1772420482012, 0, 'articles', 'Weather: off-old', 'https://news.example/off-old', '[]');
INSERT INTO "ranks" (bucket, score, id) VALUES (1073762238, 8, 8516104607053002);
INSERT INTO "ranks" (bucket, score, id) VALUES (1073762338, 94, 7673082253717989);
INSERT INTO "ranks" (bucket, score, id) VALUES (1073762338, 94, 7423249831727182);
INSERT INTO "ranks" (bucket, score, id) VALUES (1073762338, 94, 5348720075973196);
INSERT INTO "ranks" (bucket, score, id) VALUES (1073762338, 94, 4640517085634568);
INSERT INTO "ranks" (bucket, score, id) VALUES (1073762338, 8, 8230202627015639);
INSERT INTO "ranks" (bucket, score, id) VALUES (1342179831, 8, 8516104607053002);
INSERT INTO "ranks" (bucket, score, id) VALUES (1342179844, 94, 7673082253717989);
INSERT INTO "ranks" (bucket, score, id) VALUES (1342179844, 94, 7423249831727182);
INSERT INTO "ranks" (bucket, score, id) VALUES (1342179844, 94, 5348720075973196);
INSERT INTO "ranks" (bucket, score, id) VALUES (1342179844, 94, 4640517085634568);
INSERT INTO "ranks" (bucket, score, id) VALUES (1342179844, 8, 8230202627015639);
INSERT INTO "ranks" (bucket, score, id) VALUES (1610613054, 8, 8516104607053002);
INSERT INTO "ranks" (bucket, score, id) VALUES (1610613056, 94, 7673082253717989);
INSERT INTO "ranks" (bucket, score, id) VALUES (1610613056, 94, 7423249831727182);
INSERT INTO "ranks" (bucket, score, id) VALUES (1610613056, 94, 5348720075973196);
INSERT INTO "ranks" (bucket, score, id) VALUES (1610613056, 94, 4640517085634568);
INSERT INTO "ranks" (bucket, score, id) VALUES (1610613056, 8, 8230202627015639);
INSERT INTO "ranks" (bucket, score, id) VALUES (1879048231, 8, 8516104607053002);
INSERT INTO "ranks" (bucket, score, id) VALUES (1879048232, 94, 7673082253717989);
INSERT INTO "ranks" (bucket, score, id) VALUES (1879048232, 94, 7423249831727182);
INSERT INTO "ranks" (bucket, score, id) VALUES (1879048232, 94, 5348720075973196);
INSERT INTO "ranks" (bucket, score, id) VALUES (1879048232, 94, 4640517085634568);
INSERT INTO "ranks" (bucket, score, id) VALUES (1879048232, 8, 8230202627015639);
INSERT INTO "changes" (seq, set_no, at, before, after) VALUES (1, 1, 1772420608488, NULL, '{"by":"articles","descendants":0,"id":4640517085634568,"score":94,"time":1772420479000,"title":"TypeScript: three","url":"https://news.example/three"}');
INSERT INTO "changes" (seq, set_no, at, before, after) VALUES (2, 1, 1772420608500, NULL, '{"by":"articles","descendants":0,"id":7423249831727182,"score":94,"time":1772420480000,"title":"TypeScript: four","url":"https://news.example/four"}');
INSERT INTO "changes" (seq, set_no, at, before, after) VALUES (3, 1, 1772420608500, NULL, '{"by":"articles","descendants":0,"id":8516104607053002,"score":8,"time":1763780403000,"title":"Weather: off-old","url":"https://news.example/off-old"}');
INSERT INTO "changes" (seq, set_no, at, before, after) VALUES (4, 1, 1772420608500, NULL, '{"by":"articles","descendants":0,"id":5348720075973196,"score":94,"time":1772420411000,"title":"TypeScript: one","url":"https://news.example/one"}');
INSERT INTO "changes" (seq, set_no, at, before, after) VALUES (5, 1, 1772420608500, NULL, '{"by":"articles","descendants":0,"id":7673082253717989,"score":94,"time":1772420412000,"title":"TypeScript: two","url":"https://news.example/two"}');
INSERT INTO "changes" (seq, set_no, at, before, after) VALUES (6, 1, 1772420608501, NULL, '{"by":"articles","descendants":0,"id":8230202627015639,"score":8,"time":1772420413000,"title":"Weather: off-one","url":"https://news.example/off-one"}');
INSERT INTO "uses" (set_no, day, requests, reads, writes) VALUES (1, '2026-03-02', 1, 0, 0);
INSERT INTO "people" (no, name) VALUES (1, 'hana');
INSERT INTO "hidden" (person_no, story_id, added_at) VALUES (1, 7673082253717989, 1772420608551);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('changes', 6);
CREATE INDEX stories_by_time ON stories (set_no, time, id, updated, score);
CREATE INDEX hidden_by_time ON hidden (person_no, added_at DESC, story_id DESC);
COMMIT;
PRAGMA user_version = 1;
