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
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (2, 'https://news.example/notice-before', 'TypeScript: notice-before', '2025-11-22 03:00:03.000+00:00', 3, NULL, 0, '2025-11-22 03:00:05.854+00:00', '2025-11-22 03:00:05.854+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (3, 'https://news.example/slow-notice', 'TypeScript: slow-notice', '2026-03-02 03:00:16.000+00:00', 1, 3, 1, '2026-03-02 03:00:17.257+00:00', '2026-03-02 03:00:17.263+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (4, 'https://news.example/notice-two', 'TypeScript: notice-two', '2026-03-02 03:00:15.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.257+00:00', '2026-03-02 03:00:17.303+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (5, 'https://news.example/notice-one', 'TypeScript: notice-one', '2026-03-02 03:00:14.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.257+00:00', '2026-03-02 03:00:17.310+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (6, 'https://news.example/gone-notice', 'TypeScript: gone-notice', '2026-03-02 03:01:19.000+00:00', 1, 3, 1, '2026-03-02 03:01:20.663+00:00', '2026-03-02 03:01:20.669+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (7, 'https://news.example/notice-five', 'TypeScript: notice-five', '2026-03-02 03:03:28.000+00:00', 2, NULL, 0, '2026-03-02 03:03:29.901+00:00', '2026-03-02 03:03:29.920+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (8, 'https://news.example/notice-four', 'TypeScript: notice-four', '2026-03-02 03:03:27.000+00:00', 2, NULL, 0, '2026-03-02 03:03:29.901+00:00', '2026-03-02 03:03:29.928+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (9, 'https://news.example/notice-three', 'TypeScript: notice-three', '2026-03-02 03:03:26.000+00:00', 0, NULL, 0, '2026-03-02 03:03:29.901+00:00', '2026-03-02 03:03:29.901+00:00');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (2, 'baseline', 'first_contact', NULL, NULL, 1763780405854, 1763780403000, 1763780405854, NULL, NULL, 0, 0, NULL, NULL, 'https://news.example/notice-before');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (3, 'deferred', 'download_failed', 'server_error: 503', 1772421017263, 1772420417263, 1772420416000, NULL, NULL, 1772421017263, 1, 1, NULL, NULL, 'https://news.example/slow-notice');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (4, 'published', 'none', 'mastodon, timeline', NULL, 1772420417303, 1772420415000, 1772420417303, NULL, NULL, 3, 5, NULL, NULL, 'https://news.example/notice-two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (5, 'published', 'none', 'mastodon, timeline', NULL, 1772420417310, 1772420414000, 1772420417310, NULL, NULL, 3, 5, NULL, NULL, 'https://news.example/notice-one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (6, 'deferred', 'download_failed', 'not_found: 404', 1772421080669, 1772420480669, 1772420479000, NULL, NULL, 1772421080669, 1, 1, NULL, NULL, 'https://news.example/gone-notice');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (7, 'accepted', 'none', 'being posted', 1772424209920, 1772420609920, 1772420608000, NULL, NULL, 1772424209920, 2, 3, NULL, NULL, 'https://news.example/notice-five');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (8, 'accepted', 'none', 'being posted', 1772424209928, 1772420609928, 1772420607000, NULL, NULL, 1772424209928, 2, 3, NULL, NULL, 'https://news.example/notice-four');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (9, 'waiting', 'none', NULL, NULL, 1772420609901, 1772420606000, NULL, 1772420609901, NULL, 0, 0, NULL, NULL, 'https://news.example/notice-three');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (2, 0, 'notices', 1763780405854, '{"sourceName":"notices","foreignId":"https://news.example/notice-before"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (3, 0, 'notices', 1772420417257, '{"sourceName":"notices","foreignId":"https://news.example/slow-notice"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (4, 0, 'notices', 1772420417257, '{"sourceName":"notices","foreignId":"https://news.example/notice-two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (5, 0, 'notices', 1772420417257, '{"sourceName":"notices","foreignId":"https://news.example/notice-one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (6, 0, 'notices', 1772420480663, '{"sourceName":"notices","foreignId":"https://news.example/gone-notice"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (7, 0, 'notices', 1772420609901, '{"sourceName":"notices","foreignId":"https://news.example/notice-five"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (8, 0, 'notices', 1772420609901, '{"sourceName":"notices","foreignId":"https://news.example/notice-four"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (9, 0, 'notices', 1772420609901, '{"sourceName":"notices","foreignId":"https://news.example/notice-three"}');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (3, 1, 1772420417263, 'defer', 'waiting', 'deferred', 'download_failed', 'server_error: 503', 'replica-1fbfd1f8', NULL, '1 defer mm8lcqnj');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 1, 1772420417266, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-1fbfd1f8', NULL, '1 accept mm8lcqnm');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 2, 1772420417277, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-1fbfd1f8', NULL, '2 postpone mm8lcqnx');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 3, 1772420417291, 'deliver', NULL, NULL, 'none', NULL, 'replica-1fbfd1f8', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-4708-70d5-88de-149143723c51"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 4, 1772420417298, 'deliver', NULL, NULL, 'none', NULL, 'replica-1fbfd1f8', '{"destination":"mastodon","outcome":"sent","remoteId":"116157344467779584"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 5, 1772420417303, 'publish', 'accepted', 'published', 'none', 'mastodon, timeline', 'replica-1fbfd1f8', '{"message:mastodon":"116157344467779584","message:timeline":"019cac7d-4708-70d5-88de-149143723c51"}', '3 publish mm8lcqon');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 1, 1772420417280, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-1fbfd1f8', NULL, '1 accept mm8lcqo0');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 2, 1772420417284, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-1fbfd1f8', NULL, '2 postpone mm8lcqo4');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 3, 1772420417293, 'deliver', NULL, NULL, 'none', NULL, 'replica-1fbfd1f8', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-470c-77a9-9a6a-b3fc225374b4"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 4, 1772420417306, 'deliver', NULL, NULL, 'none', NULL, 'replica-1fbfd1f8', '{"destination":"mastodon","outcome":"sent","remoteId":"116157344468238336"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 5, 1772420417310, 'publish', 'accepted', 'published', 'none', 'mastodon, timeline', 'replica-1fbfd1f8', '{"message:mastodon":"116157344468238336","message:timeline":"019cac7d-470c-77a9-9a6a-b3fc225374b4"}', '3 publish mm8lcqou');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 1, 1772420480669, 'defer', 'waiting', 'deferred', 'download_failed', 'not_found: 404', 'replica-fd6f7c6d', NULL, '1 defer mm8le3kt');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 1, 1772420609911, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-3ff850c6', NULL, '1 accept mm8lgvav');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 2, 1772420609920, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-3ff850c6', NULL, '2 postpone mm8lgvb4');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 3, 1772420609934, 'deliver', NULL, NULL, 'none', NULL, 'replica-3ff850c6', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-378c-7531-a4ab-d27ab446c0a8"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 1, 1772420609925, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-3ff850c6', NULL, '1 accept mm8lgvb9');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 2, 1772420609928, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-3ff850c6', NULL, '2 postpone mm8lgvbc');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 3, 1772420609936, 'deliver', NULL, NULL, 'none', NULL, 'replica-3ff850c6', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-378f-7432-b951-f6bd8a9901e0"}', NULL);
INSERT INTO "verdicts" (item_id, nth, body) VALUES (4, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"c58066dc7340904620afd3d0993e03f2b0738345d3b2d830b3fce2e640569af1","madeAt":1772420417265,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (4, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"c58066dc7340904620afd3d0993e03f2b0738345d3b2d830b3fce2e640569af1","madeAt":1772420417268,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (5, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"271a09e604a64d8d292d9b0cfc0831d7edbf275f54b40997c1c9bb1ac5d6920f","madeAt":1772420417280,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (5, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"271a09e604a64d8d292d9b0cfc0831d7edbf275f54b40997c1c9bb1ac5d6920f","madeAt":1772420417282,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (7, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"d0f91ab2f3c9560b54738eb5a178747bafa9787bf26359f831986a7399c7080f","madeAt":1772420609911,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (7, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"d0f91ab2f3c9560b54738eb5a178747bafa9787bf26359f831986a7399c7080f","madeAt":1772420609913,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (8, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"fe5973e9358eab000784f912fb338a6b3a69a2f58c8950dede139632226bc77f","madeAt":1772420609924,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (8, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"fe5973e9358eab000784f912fb338a6b3a69a2f58c8950dede139632226bc77f","madeAt":1772420609927,"provisional":false}');
INSERT INTO "tallies" (state, reason, n) VALUES ('accepted', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('baseline', 'first_contact', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('deferred', 'download_failed', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('published', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('tombstone', 'none', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('waiting', 'none', 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (3, '1C-H_wV0hAz4rnxP7xpGrUlw', 'mastodon', '{"status":"TypeScript: notice-two\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-two","visibility":"public","link":"https://news.example/notice-two","values":{"title":"TypeScript: notice-two","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-two","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'sent', 0, '116157344467779584', 'http://mastodon.sim/@kawaraban/116157344467779584', NULL, 1, 1772420417277, 1772420417286, 1772420417298, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (4, 'E0fz_kn6VotWoPWXTkp5CoBx', 'timeline', '{"title":"TypeScript: notice-two","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-two","itemKey":"https://news.example/notice-two","pipeline":"summaries"}', 'sent', 0, '019cac7d-4708-70d5-88de-149143723c51', NULL, NULL, 1, 1772420417277, 1772420417280, 1772420417291, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (5, 'ZCXSHPTRg-mOsYHhaoe8UdAC', 'mastodon', '{"status":"TypeScript: notice-one\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-one","visibility":"public","link":"https://news.example/notice-one","values":{"title":"TypeScript: notice-one","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-one","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'sent', 0, '116157344468238336', 'http://mastodon.sim/@kawaraban/116157344468238336', NULL, 1, 1772420417284, 1772420417299, 1772420417306, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (6, 'nMfyCDI6cWkTQ-J6Zj_gQG34', 'timeline', '{"title":"TypeScript: notice-one","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-one","itemKey":"https://news.example/notice-one","pipeline":"summaries"}', 'sent', 0, '019cac7d-470c-77a9-9a6a-b3fc225374b4', NULL, NULL, 1, 1772420417284, 1772420417292, 1772420417293, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (7, 'jJJNGSSAzU_8RRYA6C5jHKwg', 'mastodon', '{"status":"TypeScript: notice-five\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-five","visibility":"public","link":"https://news.example/notice-five","values":{"title":"TypeScript: notice-five","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-five","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'sending', 1, NULL, NULL, NULL, 1, 1772420609920, 1772420609931, 1772420609931, NULL, 'replica-3ff850c6', 1, 1772420729921, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (8, '_W-8yJPJT7Bg9JInMLL7F3gP', 'timeline', '{"title":"TypeScript: notice-five","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-five","itemKey":"https://news.example/notice-five","pipeline":"summaries"}', 'sent', 0, '019cac80-378c-7531-a4ab-d27ab446c0a8', NULL, NULL, 1, 1772420609920, 1772420609924, 1772420609934, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (9, 'cq0LdtTIWHdXNBiUWzGUmO2m', 'mastodon', '{"status":"TypeScript: notice-four\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-four","visibility":"public","link":"https://news.example/notice-four","values":{"title":"TypeScript: notice-four","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-four","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'intended', 1, NULL, NULL, NULL, 0, 1772420609928, NULL, 1772420609928, NULL, NULL, 0, NULL, NULL);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (10, 'uKD4CcM0saIuw28xSYpCnLaj', 'timeline', '{"title":"TypeScript: notice-four","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-four","itemKey":"https://news.example/notice-four","pipeline":"summaries"}', 'sent', 0, '019cac80-378f-7432-b951-f6bd8a9901e0', NULL, NULL, 1, 1772420609928, 1772420609934, 1772420609936, NULL, NULL, 1, NULL, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-two', 3, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-two', 4, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-one', 5, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-one', 6, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-five', 7, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-five', 8, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-four', 9, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://news.example/notice-four', 10, 0);
INSERT INTO "delivery_tallies" (state, n) VALUES ('intended', 1);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sending', 1);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sent', 6);
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://news.example/notice-old', 'published', 1772420410062);
INSERT INTO "met_sources" (source_id) VALUES ('notices');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('items', 9);
INSERT INTO sqlite_sequence VALUES ('deliveries', 10);
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
