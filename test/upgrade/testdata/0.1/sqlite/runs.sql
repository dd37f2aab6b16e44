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
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (1, 'digest', 'replica-6e89f1eb', 1763780407524, 1763780467524, 1763780409645, 'done', '3 admitted, 1 rejected, 2 published', '{"admitted":3,"rejected":1,"published":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (2, 'summaries', 'replica-6e89f1eb', 1763780409669, 1763780469669, 1763780409954, 'done', '1 admitted, 1 published', '{"admitted":1,"published":1}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (3, 'videos', 'replica-6e89f1eb', 1763780409954, 1763780469954, 1763780410092, 'done', '1 admitted', '{"admitted":1}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (4, 'retention', 'replica-b901bc0d', 1772420410637, 1772420470637, 1772420410655, 'done', 'removed 2 published of digest, 1 rejected of digest, 1 published of summaries, 1 published of videos, 3 verdicts', '{"admitted":0}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (5, 'digest', 'replica-b11e4d88', 1772420417813, 1772420477813, 1772420418163, 'done', '5 admitted, 1 deferred, 1 rejected, 2 published; deferred: server_error: 503', '{"admitted":5,"deferred":1,"rejected":1,"published":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (6, 'summaries', 'replica-3e2159c1', 1772420418257, 1772420478257, 1772420418384, 'done', '3 admitted, 1 deferred, 2 published; deferred: server_error: 503', '{"admitted":3,"deferred":1,"published":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (7, 'videos', 'replica-8ee37cfd', 1772420418447, 1772420478447, 1772420418473, 'done', '3 admitted', '{"admitted":3}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (8, 'digest', 'replica-9e006447', 1772420481897, 1772420541897, 1772420482106, 'done', '2 admitted, 1 rejected, 2 parked; parked: webhook: Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted (2 items)', '{"admitted":2,"rejected":1,"parked":2}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (9, 'summaries', 'replica-44ce1ab9', 1772420482268, 1772420542268, 1772420482319, 'done', '1 admitted, 1 deferred; deferred: not_found: 404', '{"admitted":1,"deferred":1}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (10, 'stories:digest', 'replica-daa749b2', 1772420608476, 1772420668476, 1772420608525, 'done', '6 added', '{"admitted":0,"added":6,"refreshed":0,"removed":0,"waiting":0,"failed":0,"reads":0,"writes":0}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (11, 'digest', 'replica-daa749b2', 1772420608552, 1772420668552, NULL, NULL, NULL, '{}', NULL);
INSERT INTO "runs" (id, pipeline, owner, started_at, lease_until, ended_at, outcome, summary, counts, fence) VALUES (12, 'summaries', 'replica-b1f3fa51', 1772420612027, 1772420672027, NULL, NULL, NULL, '{}', NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('runs', 12);
CREATE INDEX idx_runs_pipeline ON runs (pipeline, id);
COMMIT;
PRAGMA user_version = 2;
