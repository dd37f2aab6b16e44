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
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (4, 'https://news.example/slow-one', 'TypeScript: slow-one', '2026-03-02 03:00:14.000+00:00', 1, 3, 1, '2026-03-02 03:00:17.930+00:00', '2026-03-02 03:00:17.948+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (5, 'https://news.example/off-one', 'Weather: off-one', '2026-03-02 03:00:13.000+00:00', 3, 1, 0, '2026-03-02 03:00:17.930+00:00', '2026-03-02 03:00:18.042+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (6, 'https://news.example/two', 'TypeScript: two', '2026-03-02 03:00:12.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.930+00:00', '2026-03-02 03:00:18.152+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (7, 'https://news.example/one', 'TypeScript: one', '2026-03-02 03:00:11.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.930+00:00', '2026-03-02 03:00:18.152+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (8, 'https://news.example/off-old', 'Weather: off-old', '2025-11-22 03:00:03.000+00:00', 3, 1, 0, '2026-03-02 03:00:17.930+00:00', '2026-03-02 03:01:22.012+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (9, 'https://news.example/four', 'TypeScript: four', '2026-03-02 03:01:20.000+00:00', 3, 5, 0, '2026-03-02 03:01:21.944+00:00', '2026-03-02 03:01:22.103+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (10, 'https://news.example/three', 'TypeScript: three', '2026-03-02 03:01:19.000+00:00', 3, 5, 0, '2026-03-02 03:01:21.944+00:00', '2026-03-02 03:01:22.103+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (11, 'https://news.example/off-two', 'Weather: off-two', '2026-03-02 03:03:28.000+00:00', 3, 1, 0, '2026-03-02 03:03:28.624+00:00', '2026-03-02 03:03:28.700+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (12, 'https://news.example/seven', 'TypeScript: seven', '2026-03-02 03:03:27.000+00:00', 2, NULL, 0, '2026-03-02 03:03:28.624+00:00', '2026-03-02 03:03:28.703+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (13, 'https://news.example/six', 'TypeScript: six', '2026-03-02 03:03:26.000+00:00', 2, NULL, 0, '2026-03-02 03:03:28.624+00:00', '2026-03-02 03:03:28.708+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (14, 'https://news.example/five', 'TypeScript: five', '2026-03-02 03:03:25.000+00:00', 2, NULL, 0, '2026-03-02 03:03:28.624+00:00', '2026-03-02 03:03:28.716+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (15, 'https://news.example/waits-two', 'TypeScript: waits-two', '2026-03-02 03:03:24.000+00:00', 0, NULL, 0, '2026-03-02 03:03:28.624+00:00', '2026-03-02 03:03:28.624+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (16, 'https://news.example/waits-one', 'TypeScript: waits-one', '2026-03-02 03:03:23.000+00:00', 0, NULL, 0, '2026-03-02 03:03:28.624+00:00', '2026-03-02 03:03:28.624+00:00');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (4, 'deferred', 'download_failed', 'server_error: 503', 1772421017948, 1772420417948, 1772420414000, NULL, NULL, 1772421017948, 1, 1, NULL, NULL, 'https://news.example/slow-one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (5, 'rejected', 'no_topic_match', 'It matches none of the interests.', NULL, 1772420418042, 1772420413000, 1772420418042, NULL, NULL, 1, 1, NULL, NULL, 'https://news.example/off-one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (6, 'published', 'none', 'bot, webhook, timeline', NULL, 1772420418152, 1772420412000, 1772420418152, NULL, NULL, 2, 5, NULL, NULL, 'https://news.example/two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (7, 'published', 'none', 'bot, webhook, timeline', NULL, 1772420418152, 1772420411000, 1772420418152, NULL, NULL, 2, 5, NULL, NULL, 'https://news.example/one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (8, 'rejected', 'no_topic_match', 'It matches none of the interests.', NULL, 1772420482012, 1763780403000, 1772420482012, NULL, NULL, 1, 1, NULL, NULL, 'https://news.example/off-old');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (9, 'parked', 'delivery_unknown', 'webhook: Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', NULL, 1772420482103, 1772420480000, 1772420482103, NULL, NULL, 2, 5, NULL, NULL, 'https://news.example/four');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (10, 'parked', 'delivery_unknown', 'webhook: Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', NULL, 1772420482103, 1772420479000, 1772420482103, NULL, NULL, 2, 5, NULL, NULL, 'https://news.example/three');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (11, 'rejected', 'no_topic_match', 'It matches none of the interests.', NULL, 1772420608700, 1772420608000, 1772420608700, NULL, NULL, 1, 1, NULL, NULL, 'https://news.example/off-two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (12, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420608703, 1772420607000, NULL, 1772420607000, NULL, 1, 2, NULL, NULL, 'https://news.example/seven');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (13, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420608708, 1772420606000, NULL, 1772420606000, NULL, 1, 2, NULL, NULL, 'https://news.example/six');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (14, 'accepted', 'none', 'It is about TypeScript.', NULL, 1772420608716, 1772420605000, NULL, 1772420605000, NULL, 1, 1, NULL, NULL, 'https://news.example/five');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (15, 'waiting', 'none', NULL, NULL, 1772420608624, 1772420604000, NULL, 1772420608624, NULL, 0, 0, NULL, NULL, 'https://news.example/waits-two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (16, 'waiting', 'none', NULL, NULL, 1772420608624, 1772420603000, NULL, 1772420608624, NULL, 0, 0, NULL, NULL, 'https://news.example/waits-one');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (4, 0, 'articles', 1772420417930, '{"sourceName":"articles","foreignId":"https://news.example/slow-one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (5, 0, 'articles', 1772420417930, '{"sourceName":"articles","foreignId":"https://news.example/off-one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (6, 0, 'articles', 1772420417930, '{"sourceName":"articles","foreignId":"https://news.example/two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (7, 0, 'articles', 1772420417930, '{"sourceName":"articles","foreignId":"https://news.example/one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (8, 0, 'articles', 1772420417930, '{"sourceName":"articles","foreignId":"https://news.example/off-old"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (9, 0, 'articles', 1772420481944, '{"sourceName":"articles","foreignId":"https://news.example/four"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (10, 0, 'articles', 1772420481944, '{"sourceName":"articles","foreignId":"https://news.example/three"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (11, 0, 'articles', 1772420608624, '{"sourceName":"articles","foreignId":"https://news.example/off-two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (12, 0, 'articles', 1772420608624, '{"sourceName":"articles","foreignId":"https://news.example/seven"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (13, 0, 'articles', 1772420608624, '{"sourceName":"articles","foreignId":"https://news.example/six"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (14, 0, 'articles', 1772420608624, '{"sourceName":"articles","foreignId":"https://news.example/five"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (15, 0, 'articles', 1772420608624, '{"sourceName":"articles","foreignId":"https://news.example/waits-two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (16, 0, 'articles', 1772420608624, '{"sourceName":"articles","foreignId":"https://news.example/waits-one"}');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 1, 1772420417948, 'defer', 'waiting', 'deferred', 'download_failed', 'server_error: 503', 'replica-b11e4d88', NULL, '1 defer mm8lcr6k');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 1, 1772420418042, 'reject', 'waiting', 'rejected', 'no_topic_match', 'It matches none of the interests.', 'replica-b11e4d88', NULL, '1 reject mm8lcr96');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 1, 1772420418055, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-b11e4d88', NULL, '1 accept mm8lcr9j');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 2, 1772420418136, 'deliver', NULL, NULL, 'none', NULL, 'replica-b11e4d88', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-4a39-7365-9d13-d89c21e0cf46"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 3, 1772420418146, 'deliver', NULL, NULL, 'none', NULL, 'replica-b11e4d88', '{"destination":"bot","outcome":"sent","remoteId":"1477863090430148608"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 4, 1772420418148, 'deliver', NULL, NULL, 'none', NULL, 'replica-b11e4d88', '{"destination":"webhook","outcome":"sent","remoteId":"1477863090463703040"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 5, 1772420418152, 'publish', 'accepted', 'published', 'none', 'bot, webhook, timeline', 'replica-b11e4d88', '{"message:bot":"1477863090430148608","message:webhook":"1477863090463703040","message:timeline":"019cac7d-4a39-7365-9d13-d89c21e0cf46"}', '2 publish mm8lcrc8');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 1, 1772420418075, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-b11e4d88', NULL, '1 accept mm8lcra3');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 2, 1772420418140, 'deliver', NULL, NULL, 'none', NULL, 'replica-b11e4d88', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-4a5a-758e-b9af-56f55dd5d8ae"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 3, 1772420418146, 'deliver', NULL, NULL, 'none', NULL, 'replica-b11e4d88', '{"destination":"bot","outcome":"sent","remoteId":"1477863090430148608"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 4, 1772420418148, 'deliver', NULL, NULL, 'none', NULL, 'replica-b11e4d88', '{"destination":"webhook","outcome":"sent","remoteId":"1477863090463703040"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 5, 1772420418152, 'publish', 'accepted', 'published', 'none', 'bot, webhook, timeline', 'replica-b11e4d88', '{"message:bot":"1477863090430148608","message:webhook":"1477863090463703040","message:timeline":"019cac7d-4a5a-758e-b9af-56f55dd5d8ae"}', '2 publish mm8lcrc8');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 1, 1772420482012, 'reject', 'waiting', 'rejected', 'no_topic_match', 'It matches none of the interests.', 'replica-9e006447', NULL, '1 reject mm8le4m4');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 1, 1772420482015, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-9e006447', NULL, '1 accept mm8le4m7');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 2, 1772420482042, 'deliver', NULL, NULL, 'none', NULL, 'replica-9e006447', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7e-43f5-7761-a19d-7077ef49443b"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 3, 1772420482082, 'deliver', NULL, NULL, 'none', 'Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', 'replica-9e006447', '{"destination":"webhook","outcome":"parked"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 4, 1772420482091, 'deliver', NULL, NULL, 'none', NULL, 'replica-9e006447', '{"destination":"bot","outcome":"sent","remoteId":"1477863358504894464"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (9, 5, 1772420482103, 'park', 'accepted', 'parked', 'delivery_unknown', 'webhook: Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', 'replica-9e006447', '{"message:bot":"1477863358504894464","message:timeline":"019cac7e-43f5-7761-a19d-7077ef49443b"}', '2 park mm8le4on');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 1, 1772420482022, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-9e006447', NULL, '1 accept mm8le4me');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 2, 1772420482053, 'deliver', NULL, NULL, 'none', NULL, 'replica-9e006447', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7e-43fc-73f6-86ae-16880caf7440"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 3, 1772420482082, 'deliver', NULL, NULL, 'none', 'Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', 'replica-9e006447', '{"destination":"webhook","outcome":"parked"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 4, 1772420482091, 'deliver', NULL, NULL, 'none', NULL, 'replica-9e006447', '{"destination":"bot","outcome":"sent","remoteId":"1477863358504894464"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (10, 5, 1772420482103, 'park', 'accepted', 'parked', 'delivery_unknown', 'webhook: Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', 'replica-9e006447', '{"message:bot":"1477863358504894464","message:timeline":"019cac7e-43fc-73f6-86ae-16880caf7440"}', '2 park mm8le4on');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (11, 1, 1772420608700, 'reject', 'waiting', 'rejected', 'no_topic_match', 'It matches none of the interests.', 'replica-daa749b2', NULL, '1 reject mm8lgud8');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (12, 1, 1772420608703, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-daa749b2', NULL, '1 accept mm8lgudb');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (12, 2, 1772420608758, 'deliver', NULL, NULL, 'none', NULL, 'replica-daa749b2', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-32d5-7352-971a-95807e87e9e9"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (13, 1, 1772420608708, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-daa749b2', NULL, '1 accept mm8lgudg');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (13, 2, 1772420608777, 'deliver', NULL, NULL, 'none', NULL, 'replica-daa749b2', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-32f8-7172-8938-bf2e4e7ea084"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (14, 1, 1772420608716, 'accept', 'waiting', 'accepted', 'none', 'It is about TypeScript.', 'replica-daa749b2', NULL, '1 accept mm8lgudo');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (5, 1, '{"score":8,"topics":[],"summary":"About off-one. The day on the coast is mild. Clouds clear early. A light wind blows. The sea is calm. Rain returns on Thursday. Gardens can be planted now. Nights stay cool. Hills see fog.","reason":"It matches none of the interests.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"ece59d5be131467fc282996734a37ae01d796e7d261c796be0bf3fc985f3ecce","madeAt":1772420418042,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (6, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"13cbf4195ceebf669663478e294b351ecd8aededed29d0ca8ebd84e64222da1e","madeAt":1772420418055,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (7, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"e0e61342b48bce15aed150cc63c7f6f004ad2550abca7670cf02989de67194f3","madeAt":1772420418075,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (8, 1, '{"score":8,"topics":[],"summary":"About off-old. The day on the coast is mild. Clouds clear early. A light wind blows. The sea is calm. Rain returns on Thursday. Gardens can be planted now. Nights stay cool. Hills see fog.","reason":"It matches none of the interests.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"ead2a7afecea6d9b611cbed66832119541ee18a2d47d05ef4016e1d7f41b1d0d","madeAt":1772420482012,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (9, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"91b451ee943aa07983cc3ae3d3207156ec7570c2ba441efcd8a5332b7b99c7d2","madeAt":1772420482015,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (10, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"cb6f1e2922cb5e9bc5df4e2418e16964bda8c78b7bb57602d977991497393891","madeAt":1772420482021,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (11, 1, '{"score":8,"topics":[],"summary":"About off-two. The day on the coast is mild. Clouds clear early. A light wind blows. The sea is calm. Rain returns on Thursday. Gardens can be planted now. Nights stay cool. Hills see fog.","reason":"It matches none of the interests.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"4acce6a00058a59a6b7f9e42a54361caa5821b6344719c3e335493135a6221d6","madeAt":1772420608700,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (12, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"4b2bc1cd3d964e5635d164487b208cd957aa4f652707e50d46fead6f1c13cc10","madeAt":1772420608703,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (13, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"eb18f3d2b96856fd00146f012081dbd44d174631ad78ab937fb285861126df17","madeAt":1772420608708,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (14, 1, '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript.","judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","interestsVersion":"25101046546eb6a3","textHash":"91052937753ece27f11352074481f0487ca68a0d6c404b98721c3f161d0d1b82","madeAt":1772420608716,"provisional":false}');
INSERT INTO "tallies" (state, reason, n) VALUES ('accepted', 'none', 3);
INSERT INTO "tallies" (state, reason, n) VALUES ('deferred', 'download_failed', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('parked', 'delivery_unknown', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('published', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('rejected', 'no_topic_match', 3);
INSERT INTO "tallies" (state, reason, n) VALUES ('tombstone', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('waiting', 'none', 2);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (5, 'ZTuUH9J3yDZbgxoxfXUYiCIa', 'bot', '{"content":"","embeds":[{"title":"TypeScript: two","url":"https://news.example/two","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: one","url":"https://news.example/one","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sent', 0, '1477863090430148608', NULL, NULL, 1, 1772420418077, 1772420418087, 1772420418146, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (6, 'VNrJUx6gpxegh-NmT3V8kHmO', 'webhook', '{"content":"","embeds":[{"title":"TypeScript: two","url":"https://news.example/two","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: one","url":"https://news.example/one","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sent', 0, '1477863090463703040', NULL, NULL, 1, 1772420418077, 1772420418094, 1772420418148, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (7, 'i6D-EKf45y2ba2OZKoctnJ9o', 'timeline', '{"title":"TypeScript: two","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/two","itemKey":"https://news.example/two","pipeline":"digest"}', 'sent', 0, '019cac7d-4a39-7365-9d13-d89c21e0cf46', NULL, NULL, 1, 1772420418077, 1772420418094, 1772420418136, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (8, 'T2n9FXTKUtzn226X73QsAnTg', 'timeline', '{"title":"TypeScript: one","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/one","itemKey":"https://news.example/one","pipeline":"digest"}', 'sent', 0, '019cac7d-4a5a-758e-b9af-56f55dd5d8ae', NULL, NULL, 1, 1772420418077, 1772420418136, 1772420418140, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (9, 'tJc07T8cCySBajGFF5KigZzA', 'bot', '{"content":"","embeds":[{"title":"TypeScript: four","url":"https://news.example/four","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: three","url":"https://news.example/three","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sent', 0, '1477863358504894464', NULL, NULL, 1, 1772420482024, 1772420482026, 1772420482091, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (10, 'V3Vmmo-oQ35rszF9ltPk2F05', 'webhook', '{"content":"","embeds":[{"title":"TypeScript: four","url":"https://news.example/four","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: three","url":"https://news.example/three","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'parked', 0, NULL, NULL, 'Discord could not be reached (reset): 127.0.0.1: broke the connection; it may or may not have been posted', 1, 1772420482024, 1772420482026, 1772420482082, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (11, 'vSAJvWUPY9aVXdSsvdp9Ya9q', 'timeline', '{"title":"TypeScript: four","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/four","itemKey":"https://news.example/four","pipeline":"digest"}', 'sent', 0, '019cac7e-43f5-7761-a19d-7077ef49443b', NULL, NULL, 1, 1772420482024, 1772420482026, 1772420482042, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (12, 'pidLsGyLLpXWVo4__yc2fJSh', 'timeline', '{"title":"TypeScript: three","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/three","itemKey":"https://news.example/three","pipeline":"digest"}', 'sent', 0, '019cac7e-43fc-73f6-86ae-16880caf7440', NULL, NULL, 1, 1772420482024, 1772420482042, 1772420482053, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (13, 'kNFop6VrMeolIbwiaQvz5RDh', 'bot', '{"content":"","embeds":[{"title":"TypeScript: seven","url":"https://news.example/seven","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: six","url":"https://news.example/six","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sending', 1, NULL, NULL, NULL, 1, 1772420608718, 1772420608719, 1772420608719, NULL, 'replica-daa749b2', 1, 1772420728719, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (14, 'bxE8U6O-yP6JYnULQpdRQMyf', 'webhook', '{"content":"","embeds":[{"title":"TypeScript: seven","url":"https://news.example/seven","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."},{"title":"TypeScript: six","url":"https://news.example/six","color":13057580,"fields":[{"name":"Relevance","value":"94 / 100","inline":true},{"name":"Topics","value":"TypeScript","inline":true}],"footer":{"text":"articles"},"description":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once."}],"allowed_mentions":{"parse":[]}}', 'sending', 1, NULL, NULL, NULL, 1, 1772420608718, 1772420608719, 1772420608719, NULL, 'replica-daa749b2', 1, 1772420728719, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (15, 'QMwj--Qll3rxJPmrt_9_c0zF', 'timeline', '{"title":"TypeScript: seven","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/seven","itemKey":"https://news.example/seven","pipeline":"digest"}', 'sent', 0, '019cac80-32d5-7352-971a-95807e87e9e9', NULL, NULL, 1, 1772420608718, 1772420608719, 1772420608758, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (16, 'R5fE7NAKK9fnODCSW6zXMnwP', 'timeline', '{"title":"TypeScript: six","text":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","url":"https://news.example/six","itemKey":"https://news.example/six","pipeline":"digest"}', 'sent', 0, '019cac80-32f8-7172-8938-bf2e4e7ea084', NULL, NULL, 1, 1772420608718, 1772420608758, 1772420608777, NULL, NULL, 1, NULL, 1);
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
INSERT INTO "delivery_tallies" (state, n) VALUES ('intended', 0);
INSERT INTO "delivery_tallies" (state, n) VALUES ('parked', 1);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sending', 2);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sent', 9);
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://news.example/old-1', 'published', 1772420410638);
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://news.example/old-2', 'published', 1772420410638);
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
