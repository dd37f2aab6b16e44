PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        pipeline TEXT NOT NULL,
        owner TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        lease_until INTEGER NOT NULL,
        ended_at INTEGER,
        outcome TEXT,
        summary TEXT,
        counts TEXT NOT NULL DEFAULT '{}'
      , fence INTEGER);
CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        token INTEGER NOT NULL,
        lease_until INTEGER NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        life TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (1, 'digest', 'replica-1170bb1c', 1763780405541, 1763780465541, 1763780405834, 'done', '3 admitted, 1 rejected, 2 published', '{"admitted":3,"rejected":1,"published":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (2, 'summaries', 'replica-1170bb1c', 1763780405835, 1763780465835, 1763780406013, 'done', '1 admitted, 1 published', '{"admitted":1,"published":1}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (3, 'videos', 'replica-1170bb1c', 1763780406017, 1763780466017, 1763780406105, 'done', '1 admitted', '{"admitted":1}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (4, 'retention', 'replica-88cfa709', 1772420410058, 1772420470058, 1772420410065, 'done', 'removed 2 published of digest, 1 rejected of digest, 1 published of summaries, 1 published of videos, 3 verdicts', '{"admitted":0}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (5, 'digest', 'replica-4b28ba72', 1772420417114, 1772420477114, 1772420417205, 'done', '5 admitted, 1 deferred, 1 rejected, 2 published; deferred: server_error: 503', '{"admitted":5,"deferred":1,"rejected":1,"published":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (6, 'summaries', 'replica-1fbfd1f8', 1772420417254, 1772420477254, 1772420417311, 'done', '3 admitted, 1 deferred, 2 published; deferred: server_error: 503', '{"admitted":3,"deferred":1,"published":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (7, 'videos', 'replica-5d587dae', 1772420417409, 1772420477409, 1772420417430, 'done', '3 admitted', '{"admitted":3}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (8, 'digest', 'replica-65294552', 1772420480544, 1772420540544, 1772420480618, 'done', '2 admitted, 1 rejected, 2 parked; parked: bot: not sent yet: Discord answered 500 (500: Internal Server Error); webhook: parked: Discord answered 500 (500: Internal Server Error); it may or may not have been posted; sent to timeline (2 items)', '{"admitted":2,"rejected":1,"parked":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (9, 'stories:digest', 'replica-65294552', 1772420480619, 1772420540619, 1772420480625, 'done', '6 added', '{"admitted":0,"added":6,"refreshed":0,"removed":0,"waiting":0,"failed":0,"reads":0,"writes":0}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (10, 'summaries', 'replica-fd6f7c6d', 1772420480661, 1772420540661, 1772420480670, 'done', '1 admitted, 1 deferred; deferred: not_found: 404', '{"admitted":1,"deferred":1}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (11, 'digest', 'replica-49ef8f0b', 1772420606712, 1772420666712, NULL, NULL, NULL, '{}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (12, 'summaries', 'replica-3ff850c6', 1772420609896, 1772420669896, NULL, NULL, NULL, '{}', NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('runs', 12);
CREATE INDEX idx_runs_pipeline ON runs (pipeline, id);
COMMIT;
PRAGMA user_version = 2;
