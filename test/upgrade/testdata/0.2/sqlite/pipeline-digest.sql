PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  published_at TIMESTAMP NOT NULL,
  status INTEGER NOT NULL,
  reason INTEGER NULL,
  retry_count INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  last_checked_at TIMESTAMP NOT NULL
);
CREATE TABLE standings (
  item_id INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT,
  due_at INTEGER,
  checked_at INTEGER NOT NULL,
  published INTEGER NOT NULL,
  settled_at INTEGER,
  turn INTEGER,
  wake_at INTEGER,
  token INTEGER NOT NULL DEFAULT 0,
  steps INTEGER NOT NULL DEFAULT 0,
  last_step TEXT,
  handed_at INTEGER
, key TEXT);
CREATE TABLE sightings (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  source_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;
CREATE TABLE history (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT,
  reason TEXT NOT NULL,
  detail TEXT,
  who TEXT,
  notes TEXT,
  step TEXT,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;
CREATE TABLE verdicts (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;
CREATE TABLE tallies (
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (state, reason)
) WITHOUT ROWID;
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  destination TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  remote_id TEXT,
  remote_url TEXT,
  detail TEXT,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_tried_at INTEGER,
  updated_at INTEGER NOT NULL,
  due_at INTEGER,
  owner TEXT,
  token INTEGER NOT NULL DEFAULT 0,
  held_until INTEGER,
  marked_token INTEGER
);
CREATE TABLE delivery_items (
  item_key TEXT NOT NULL,
  delivery_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  PRIMARY KEY (item_key, delivery_id)
) WITHOUT ROWID;
CREATE TABLE delivery_tallies (
  state TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tombstones (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  swept_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE claims (
  item_id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL,
  attempt TEXT
);
CREATE TABLE met_sources (source_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE aliases (
  key TEXT PRIMARY KEY,
  item_id INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE changed_rows (
  item_id INTEGER PRIMARY KEY,
  problem TEXT
);
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (4, 'https://news.example/slow-one', 'TypeScript: slow-one', '2026-03-02 03:00:13.000+00:00', 1, 3, 1, '2026-03-02 03:00:17.125+00:00', '2026-03-02 03:00:17.131+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (5, 'https://news.example/off-one', 'Weather: off-one', '2026-03-02 03:00:12.000+00:00', 3, 1, 0, '2026-03-02 03:00:17.125+00:00', '2026-03-02 03:00:17.161+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (6, 'https://news.example/two', 'TypeScript: two', '2026-03-02 03:00:11.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.125+00:00', '2026-03-02 03:00:17.202+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (7, 'https://news.example/one', 'TypeScript: one', '2026-03-02 03:00:10.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.125+00:00', '2026-03-02 03:00:17.204+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (8, 'https://news.example/off-old', 'Weather: off-old', '2025-11-22 03:00:02.000+00:00', 3, 1, 0, '2026-03-02 03:00:17.125+00:00', '2026-03-02 03:01:20.581+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (9, 'https://news.example/four', 'TypeScript: four', '2026-03-02 03:01:18.000+00:00', 2, NULL, 0, '2026-03-02 03:01:20.552+00:00', '2026-03-02 03:01:20.584+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (10, 'https://news.example/three', 'TypeScript: three', '2026-03-02 03:01:17.000+00:00', 2, NULL, 0, '2026-03-02 03:01:20.552+00:00', '2026-03-02 03:01:20.592+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (11, 'https://news.example/off-two', 'Weather: off-two', '2026-03-02 03:03:25.000+00:00', 3, 1, 0, '2026-03-02 03:03:26.726+00:00', '2026-03-02 03:03:26.758+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (12, 'https://news.example/seven', 'TypeScript: seven', '2026-03-02 03:03:24.000+00:00', 2, NULL, 0, '2026-03-02 03:03:26.726+00:00', '2026-03-02 03:03:26.761+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (13, 'https://news.example/six', 'TypeScript: six', '2026-03-02 03:03:23.000+00:00', 2, NULL, 0, '2026-03-02 03:03:26.726+00:00', '2026-03-02 03:03:26.773+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (14, 'https://news.example/five', 'TypeScript: five', '2026-03-02 03:03:22.000+00:00', 2, NULL, 0, '2026-03-02 03:03:26.726+00:00', '2026-03-02 03:03:26.777+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (15, 'https://news.example/waits-two', 'TypeScript: waits-two', '2026-03-02 03:03:21.000+00:00', 0, NULL, 0, '2026-03-02 03:03:26.726+00:00', '2026-03-02 03:03:26.726+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (16, 'https://news.example/waits-one', 'TypeScript: waits-one', '2026-03-02 03:03:20.000+00:00', 0, NULL, 0, '2026-03-02 03:03:26.726+00:00', '2026-03-02 03:03:26.726+00:00');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (4, 'deferred', 'download_failed', 'server_error: 503', 1772421017131, 1772420417131, 1772420413000, NULL, NULL, 1772421017131, 1, 1, NULL, NULL, 'https://news.example/slow-one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (5, 'rejected', 'no_topic_match', 'It matches none of the interests.', NULL, 1772420417161, 1772420412000, 1772420417161, NULL, NULL, 1, 1, NULL, NULL, 'https://news.example/off-one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (6, 'published', 'none', 'bot, webhook, timeline', NULL, 1772420417202, 1772420411000, 1772420417202, NULL, NULL, 2, 5, NULL, NULL, 'https://news.example/two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (7, 'published', 'none', 'bot, webhook, timeline', NULL, 1772420417204, 1772420410000, 1772420417204, NULL, NULL, 2, 5, NULL, NULL, 'https://news.example/one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (8, 'rejected', 'no_topic_match', 'It matches none of the interests.', NULL, 1772420480581, 1763780402000, 1772420480581, NULL, NULL, 1, 1, NULL, NULL, 'https://news.example/off-old');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (9, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420480584, 1772420478000, NULL, 1772420478000, NULL, 1, 4, NULL, NULL, 'https://news.example/four');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (10, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420480592, 1772420477000, NULL, 1772420477000, NULL, 1, 4, NULL, NULL, 'https://news.example/three');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (11, 'rejected', 'no_topic_match', 'It matches none of the interests.', NULL, 1772420606758, 1772420605000, 1772420606758, NULL, NULL, 1, 1, NULL, NULL, 'https://news.example/off-two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (12, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420606761, 1772420604000, NULL, 1772420604000, NULL, 1, 2, NULL, NULL, 'https://news.example/seven');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (13, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420606773, 1772420603000, NULL, 1772420603000, NULL, 1, 2, NULL, NULL, 'https://news.example/six');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (14, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420606777, 1772420602000, NULL, 1772420602000, NULL, 1, 1, NULL, NULL, 'https://news.example/five');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (15, 'waiting', 'none', NULL, NULL, 1772420606726, 1772420601000, NULL, 1772420606726, NULL, 0, 0, NULL, NULL, 'https://news.example/waits-two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (16, 'waiting', 'none', NULL, NULL, 1772420606726, 1772420600000, NULL, 1772420606726, NULL, 0, 0, NULL, NULL, 'https://news.example/waits-one');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (4, 0, 'articles', 1772420417125, '{"sourceName":"articles","foreignId":"https://news.example/slow-one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (5, 0, 'articles', 1772420417125, '{"sourceName":"articles","foreignId":"https://news.example/off-one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (6, 0, 'articles', 1772420417125, '{"sourceName":"articles","foreignId":"https://news.example/two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (7, 0, 'articles', 1772420417125, '{"sourceName":"articles","foreignId":"https://news.example/one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (8, 0, 'articles', 1772420417125, '{"sourceName":"articles","foreignId":"https://news.example/off-old"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (9, 0, 'articles', 1772420480552, '{"sourceName":"articles","foreignId":"https://news.example/four"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (10, 0, 'articles', 1772420480552, '{"sourceName":"articles","foreignId":"https://news.example/three"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (11, 0, 'articles', 1772420606726, '{"sourceName":"articles","foreignId":"https://news.example/off-two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (12, 0, 'articles', 1772420606726, '{"sourceName":"articles","foreignId":"https://news.example/seven"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (13, 0, 'articles', 1772420606726, '{"sourceName":"articles","foreignId":"https://news.example/six"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (14, 0, 'articles', 1772420606726, '{"sourceName":"articles","foreignId":"https://news.example/five"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (15, 0, 'articles', 1772420606726, '{"sourceName":"articles","foreignId":"https://news.example/waits-two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (16, 0, 'articles', 1772420606726, '{"sourceName":"articles","foreignId":"https://news.example/waits-one"}');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 1, 1772420417131, 'defer', 'waiting', 'deferred', 'download_failed', 'server_error: 503', 'replica-4b28ba72', NULL, '1 defer mm8lcqjv');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 1, 1772420417161, 'reject', 'waiting', 'rejected', 'no_topic_match', 'It matches none of the interests.', 'replica-4b28ba72', NULL, '1 reject mm8lcqkp');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 1, 1772420417164, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-4b28ba72', NULL, '1 accept mm8lcqks');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 2, 1772420417179, 'deliver', NULL, NULL, 'none', NULL, 'replica-4b28ba72', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-4699-7499-b62d-b5fc132453c5"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 3, 1772420417197, 'deliver', NULL, NULL, 'none', NULL, 'replica-4b28ba72', '{"destination":"bot","outcome":"sent","remoteId":"1477863086479114240"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 4, 1772420417198, 'deliver', NULL, NULL, 'none', NULL, 'replica-4b28ba72', '{"destination":"webhook","outcome":"sent","remoteId":"1477863086512668672"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 5, 1772420417202, 'publish', 'accepted', 'published', 'none', 'bot, webhook, timeline', 'replica-4b28ba72', '{"message:bot":"1477863086479114240","message:webhook":"1477863086512668672","message:timeline":"019cac7d-4699-7499-b62d-b5fc132453c5"}', '2 publish mm8lcqlu');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 1, 1772420417169, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-4b28ba72', NULL, '1 accept mm8lcqkx');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 2, 1772420417181, 'deliver', NULL, NULL, 'none', NULL, 'replica-4b28ba72', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-469c-7281-8744-7d178afaf352"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 3, 1772420417197, 'deliver', NULL, NULL, 'none', NULL, 'replica-4b28ba72', '{"destination":"bot","outcome":"sent","remoteId":"1477863086479114240"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 4, 1772420417198, 'deliver', NULL, NULL, 'none', NULL, 'replica-4b28ba72', '{"destination":"webhook","outcome":"sent","remoteId":"1477863086512668672"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 5, 1772420417204, 'publish', 'accepted', 'published', 'none', 'bot, webhook, timeline', 'replica-4b28ba72', '{"message:bot":"1477863086479114240","message:webhook":"1477863086512668672","message:timeline":"019cac7d-469c-7281-8744-7d178afaf352"}', '2 publish mm8lcqlw');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 1, 1772420480581, 'reject', 'waiting', 'rejected', 'no_topic_match', 'It matches none of the interests.', 'replica-65294552', NULL, '1 reject mm8le3id');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 1, 1772420480584, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-65294552', NULL, '1 accept mm8le3ig');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 2, 1772420480603, 'deliver', NULL, NULL, 'none', NULL, 'replica-65294552', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7e-3e5a-7477-86b4-1d966b5ef9fe"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 3, 1772420480611, 'deliver', NULL, NULL, 'none', 'Discord answered 500 (500: Internal Server Error)', 'replica-65294552', '{"destination":"bot","outcome":"unknown"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 4, 1772420480612, 'deliver', NULL, NULL, 'none', 'Discord answered 500 (500: Internal Server Error); it may or may not have been posted', 'replica-65294552', '{"destination":"webhook","outcome":"parked"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 1, 1772420480592, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-65294552', NULL, '1 accept mm8le3io');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 2, 1772420480604, 'deliver', NULL, NULL, 'none', NULL, 'replica-65294552', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7e-3e5c-75f8-bcb4-c0afc9acf687"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 3, 1772420480611, 'deliver', NULL, NULL, 'none', 'Discord answered 500 (500: Internal Server Error)', 'replica-65294552', '{"destination":"bot","outcome":"unknown"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 4, 1772420480612, 'deliver', NULL, NULL, 'none', 'Discord answered 500 (500: Internal Server Error); it may or may not have been posted', 'replica-65294552', '{"destination":"webhook","outcome":"parked"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (11, 1, 1772420606758, 'reject', 'waiting', 'rejected', 'no_topic_match', 'It matches none of the interests.', 'replica-49ef8f0b', NULL, '1 reject mm8lgsva');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (12, 1, 1772420606761, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-49ef8f0b', NULL, '1 accept mm8lgsvd');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (12, 2, 1772420606788, 'deliver', NULL, NULL, 'none', NULL, 'replica-49ef8f0b', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-2b43-7759-920b-d0d787e9f3e9"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (13, 1, 1772420606773, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-49ef8f0b', NULL, '1 accept mm8lgsvp');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (13, 2, 1772420606792, 'deliver', NULL, NULL, 'none', NULL, 'replica-49ef8f0b', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-2b45-704a-9708-878429310f9d"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (14, 1, 1772420606777, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-49ef8f0b', NULL, '1 accept mm8lgsvt');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (5, 1, '{"score":8,"topics":[],"summary":"Rain is expected in the north on Sunday, and the sea stays calm. Farmers welcome it after a dry month, since the wells are low.","reason":"It matches none of the interests.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"99ddc5be1e6484043ca3a06b6b4b275a773ce14c85f052139dd4e3d9ec5c981f","madeAt":1772420417161,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (6, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"13cbf4195ceebf669663478e294b351ecd8aededed29d0ca8ebd84e64222da1e","madeAt":1772420417164,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (7, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"e0e61342b48bce15aed150cc63c7f6f004ad2550abca7670cf02989de67194f3","madeAt":1772420417169,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (8, 1, '{"score":8,"topics":[],"summary":"Rain is expected in the north on Sunday, and the sea stays calm. Farmers welcome it after a dry month, since the wells are low.","reason":"It matches none of the interests.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"99ddc5be1e6484043ca3a06b6b4b275a773ce14c85f052139dd4e3d9ec5c981f","madeAt":1772420480581,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (9, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"91b451ee943aa07983cc3ae3d3207156ec7570c2ba441efcd8a5332b7b99c7d2","madeAt":1772420480584,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (10, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"cb6f1e2922cb5e9bc5df4e2418e16964bda8c78b7bb57602d977991497393891","madeAt":1772420480592,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (11, 1, '{"score":8,"topics":[],"summary":"Rain is expected in the north on Sunday, and the sea stays calm. Farmers welcome it after a dry month, since the wells are low.","reason":"It matches none of the interests.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"99ddc5be1e6484043ca3a06b6b4b275a773ce14c85f052139dd4e3d9ec5c981f","madeAt":1772420606757,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (12, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"4b2bc1cd3d964e5635d164487b208cd957aa4f652707e50d46fead6f1c13cc10","madeAt":1772420606761,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (13, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"eb18f3d2b96856fd00146f012081dbd44d174631ad78ab937fb285861126df17","madeAt":1772420606773,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (14, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"91052937753ece27f11352074481f0487ca68a0d6c404b98721c3f161d0d1b82","madeAt":1772420606777,"provisional":false}');
INSERT INTO "tallies" (state, reason, n) VALUES ('accepted', 'none', 5);
INSERT INTO "tallies" (state, reason, n) VALUES ('deferred', 'download_failed', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('published', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('rejected', 'no_topic_match', 3);
INSERT INTO "tallies" (state, reason, n) VALUES ('tombstone', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('waiting', 'none', 2);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (5, 'ZTuUH9J3yDZbgxoxfXUYiCIa', 'bot', '{"content":"","embeds":[{"title":"TypeScript: two","url":"https://news.example/two","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: one","url":"https://news.example/one","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sent', 0, '1477863086479114240', NULL, NULL, 1, 1772420417173, 1772420417175, 1772420417197, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (6, 'VNrJUx6gpxegh-NmT3V8kHmO', 'webhook', '{"content":"","embeds":[{"title":"TypeScript: two","url":"https://news.example/two","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: one","url":"https://news.example/one","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sent', 0, '1477863086512668672', NULL, NULL, 1, 1772420417173, 1772420417175, 1772420417198, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (7, 'i6D-EKf45y2ba2OZKoctnJ9o', 'timeline', '{"title":"TypeScript: two","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/two","itemKey":"https://news.example/two","pipeline":"digest"}', 'sent', 0, '019cac7d-4699-7499-b62d-b5fc132453c5', NULL, NULL, 1, 1772420417173, 1772420417175, 1772420417179, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (8, 'T2n9FXTKUtzn226X73QsAnTg', 'timeline', '{"title":"TypeScript: one","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/one","itemKey":"https://news.example/one","pipeline":"digest"}', 'sent', 0, '019cac7d-469c-7281-8744-7d178afaf352', NULL, NULL, 1, 1772420417173, 1772420417180, 1772420417181, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (9, 'tJc07T8cCySBajGFF5KigZzA', 'bot', '{"content":"","embeds":[{"title":"TypeScript: four","url":"https://news.example/four","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: three","url":"https://news.example/three","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sending', 1, NULL, NULL, 'Discord answered 500 (500: Internal Server Error)', 2, 1772420480596, 1772420480598, 1772420606798, NULL, 'replica-49ef8f0b', 2, 1772420726783, 2);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (10, 'V3Vmmo-oQ35rszF9ltPk2F05', 'webhook', '{"content":"","embeds":[{"title":"TypeScript: four","url":"https://news.example/four","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: three","url":"https://news.example/three","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'parked', 0, NULL, NULL, 'Discord answered 500 (500: Internal Server Error); it may or may not have been posted', 1, 1772420480596, 1772420480598, 1772420480612, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (11, 'vSAJvWUPY9aVXdSsvdp9Ya9q', 'timeline', '{"title":"TypeScript: four","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/four","itemKey":"https://news.example/four","pipeline":"digest"}', 'sent', 0, '019cac7e-3e5a-7477-86b4-1d966b5ef9fe', NULL, NULL, 1, 1772420480596, 1772420480598, 1772420480603, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (12, 'pidLsGyLLpXWVo4__yc2fJSh', 'timeline', '{"title":"TypeScript: three","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/three","itemKey":"https://news.example/three","pipeline":"digest"}', 'sent', 0, '019cac7e-3e5c-75f8-bcb4-c0afc9acf687', NULL, NULL, 1, 1772420480596, 1772420480603, 1772420480604, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (13, 'kNFop6VrMeolIbwiaQvz5RDh', 'bot', '{"content":"","embeds":[{"title":"TypeScript: seven","url":"https://news.example/seven","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: six","url":"https://news.example/six","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'intended', 1, NULL, NULL, NULL, 0, 1772420606782, NULL, 1772420606782, NULL, NULL, 0, NULL, NULL);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (14, 'bxE8U6O-yP6JYnULQpdRQMyf', 'webhook', '{"content":"","embeds":[{"title":"TypeScript: seven","url":"https://news.example/seven","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: six","url":"https://news.example/six","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sending', 1, NULL, NULL, NULL, 1, 1772420606782, 1772420606785, 1772420606785, NULL, 'replica-49ef8f0b', 1, 1772420726783, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (15, 'QMwj--Qll3rxJPmrt_9_c0zF', 'timeline', '{"title":"TypeScript: seven","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/seven","itemKey":"https://news.example/seven","pipeline":"digest"}', 'sent', 0, '019cac80-2b43-7759-920b-d0d787e9f3e9', NULL, NULL, 1, 1772420606782, 1772420606785, 1772420606788, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (16, 'R5fE7NAKK9fnODCSW6zXMnwP', 'timeline', '{"title":"TypeScript: six","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/six","itemKey":"https://news.example/six","pipeline":"digest"}', 'sent', 0, '019cac80-2b45-704a-9708-878429310f9d', NULL, NULL, 1, 1772420606782, 1772420606789, 1772420606792, NULL, NULL, 1, NULL, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/two', 5, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/one', 5, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/two', 6, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/one', 6, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/two', 7, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/one', 8, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/four', 9, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/three', 9, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/four', 10, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/three', 10, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/four', 11, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/three', 12, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/seven', 13, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/six', 13, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/seven', 14, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/six', 14, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/seven', 15, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/six', 16, 0);
INSERT INTO "delivery_tallies" (state, n) VALUES ('intended', 1);
INSERT INTO "delivery_tallies" (state, n) VALUES ('parked', 1);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sending', 2);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sent', 8);
INSERT INTO "delivery_tallies" (state, n) VALUES ('unknown', 0);
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://news.example/old-1', 'published', 1772420410059);
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://news.example/old-2', 'published', 1772420410059);
INSERT INTO "met_sources" (source_id) VALUES ('articles');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('items', 16);
INSERT INTO sqlite_sequence VALUES ('deliveries', 16);
CREATE UNIQUE INDEX idx_items_url ON items (url);
CREATE INDEX idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX idx_items_status_published_at ON items (status, published_at);
CREATE INDEX idx_standings_settled ON standings (state, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX idx_standings_handed_at ON standings (handed_at, turn) WHERE handed_at IS NOT NULL AND turn IS NOT NULL;
CREATE INDEX idx_deliveries_line ON deliveries (destination, id) WHERE is_open = 1;
CREATE INDEX idx_deliveries_state ON deliveries (state, id);
CREATE INDEX idx_delivery_items_delivery ON delivery_items (delivery_id, nth);
CREATE INDEX idx_tombstones_swept_at ON tombstones (swept_at);
CREATE INDEX idx_deliveries_destination ON deliveries (destination, state, id);
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL AND state <> 'waiting';
CREATE INDEX idx_claims_attempt ON claims (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX idx_standings_asleep ON standings (wake_at) WHERE wake_at IS NOT NULL;
CREATE TRIGGER sightings_met AFTER INSERT ON sightings
BEGIN
  INSERT OR IGNORE INTO met_sources (source_id) VALUES (new.source_id);
END;
CREATE UNIQUE INDEX idx_standings_key ON standings (key);
CREATE INDEX idx_aliases_item ON aliases (item_id);
CREATE INDEX idx_changed_rows_unread ON changed_rows (item_id) WHERE problem IS NULL;
CREATE TRIGGER items_inserted AFTER INSERT ON items
BEGIN
  INSERT INTO changed_rows (item_id) SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM changed_rows WHERE item_id = new.id);
END;
CREATE TRIGGER items_updated AFTER UPDATE ON items
BEGIN
  INSERT INTO changed_rows (item_id) SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM changed_rows WHERE item_id = new.id);
  UPDATE changed_rows SET problem = NULL WHERE item_id = new.id AND problem IS NOT NULL;
END;
CREATE TRIGGER items_deleted AFTER DELETE ON items
BEGIN
  UPDATE tallies SET n = n - 1
    WHERE (state, reason) = (SELECT s.state, s.reason FROM standings s WHERE s.item_id = old.id);
  DELETE FROM standings WHERE item_id = old.id;
  DELETE FROM claims WHERE item_id = old.id;
  DELETE FROM sightings WHERE item_id = old.id;
  DELETE FROM history WHERE item_id = old.id;
  DELETE FROM verdicts WHERE item_id = old.id;
  DELETE FROM aliases WHERE item_id = old.id;
  DELETE FROM changed_rows WHERE item_id = old.id;
END;
COMMIT;
PRAGMA user_version = 9;
