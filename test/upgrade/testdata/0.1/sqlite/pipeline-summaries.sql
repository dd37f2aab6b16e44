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
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (2, 'https://news.example/notice-before', 'TypeScript: notice-before', '2025-11-22 03:00:04.000+00:00', 3, NULL, 0, '2025-11-22 03:00:09.700+00:00', '2025-11-22 03:00:09.700+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (3, 'https://news.example/slow-notice', 'TypeScript: slow-notice', '2026-03-02 03:00:17.000+00:00', 1, 3, 1, '2026-03-02 03:00:18.267+00:00', '2026-03-02 03:00:18.282+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (4, 'https://news.example/notice-two', 'TypeScript: notice-two', '2026-03-02 03:00:16.000+00:00', 3, 0, 0, '2026-03-02 03:00:18.267+00:00', '2026-03-02 03:00:18.377+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (5, 'https://news.example/notice-one', 'TypeScript: notice-one', '2026-03-02 03:00:15.000+00:00', 3, 0, 0, '2026-03-02 03:00:18.267+00:00', '2026-03-02 03:00:18.383+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (6, 'https://news.example/gone-notice', 'TypeScript: gone-notice', '2026-03-02 03:01:21.000+00:00', 1, 3, 1, '2026-03-02 03:01:22.283+00:00', '2026-03-02 03:01:22.318+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (7, 'https://news.example/notice-five', 'TypeScript: notice-five', '2026-03-02 03:03:31.000+00:00', 2, NULL, 0, '2026-03-02 03:03:32.043+00:00', '2026-03-02 03:03:32.107+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (8, 'https://news.example/notice-four', 'TypeScript: notice-four', '2026-03-02 03:03:30.000+00:00', 2, NULL, 0, '2026-03-02 03:03:32.043+00:00', '2026-03-02 03:03:32.147+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (9, 'https://news.example/notice-three', 'TypeScript: notice-three', '2026-03-02 03:03:29.000+00:00', 0, NULL, 0, '2026-03-02 03:03:32.043+00:00', '2026-03-02 03:03:32.043+00:00');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (2, 'baseline', 'first_contact', NULL, NULL, 1763780409700, 1763780404000, 1763780409700, NULL, NULL, 0, 0, NULL, NULL, 'https://news.example/notice-before');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (3, 'deferred', 'download_failed', 'server_error: 503', 1772421018282, 1772420418282, 1772420417000, NULL, NULL, 1772421018282, 1, 1, NULL, NULL, 'https://news.example/slow-notice');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (4, 'published', 'none', 'mastodon, timeline', NULL, 1772420418377, 1772420416000, 1772420418377, NULL, NULL, 3, 5, NULL, NULL, 'https://news.example/notice-two');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (5, 'published', 'none', 'mastodon, timeline', NULL, 1772420418383, 1772420415000, 1772420418383, NULL, NULL, 3, 5, NULL, NULL, 'https://news.example/notice-one');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (6, 'deferred', 'download_failed', 'not_found: 404', 1772421082318, 1772420482318, 1772420481000, NULL, NULL, 1772421082318, 1, 1, NULL, NULL, 'https://news.example/gone-notice');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (7, 'accepted', 'none', 'being posted', 1772424212107, 1772420612107, 1772420611000, NULL, NULL, 1772424212107, 2, 3, NULL, NULL, 'https://news.example/notice-five');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (8, 'accepted', 'none', 'being posted', 1772424212147, 1772420612147, 1772420610000, NULL, NULL, 1772424212147, 2, 3, NULL, NULL, 'https://news.example/notice-four');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (9, 'waiting', 'none', NULL, NULL, 1772420612043, 1772420609000, NULL, 1772420612043, NULL, 0, 0, NULL, NULL, 'https://news.example/notice-three');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (2, 0, 'notices', 1763780409700, '{"sourceName":"notices","foreignId":"https://news.example/notice-before"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (3, 0, 'notices', 1772420418267, '{"sourceName":"notices","foreignId":"https://news.example/slow-notice"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (4, 0, 'notices', 1772420418267, '{"sourceName":"notices","foreignId":"https://news.example/notice-two"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (5, 0, 'notices', 1772420418267, '{"sourceName":"notices","foreignId":"https://news.example/notice-one"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (6, 0, 'notices', 1772420482283, '{"sourceName":"notices","foreignId":"https://news.example/gone-notice"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (7, 0, 'notices', 1772420612043, '{"sourceName":"notices","foreignId":"https://news.example/notice-five"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (8, 0, 'notices', 1772420612043, '{"sourceName":"notices","foreignId":"https://news.example/notice-four"}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (9, 0, 'notices', 1772420612043, '{"sourceName":"notices","foreignId":"https://news.example/notice-three"}');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (3, 1, 1772420418282, 'defer', 'waiting', 'deferred', 'download_failed', 'server_error: 503', 'replica-3e2159c1', NULL, '1 defer mm8lcrfu');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 1, 1772420418284, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-3e2159c1', NULL, '1 accept mm8lcrfw');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 2, 1772420418332, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-3e2159c1', NULL, '2 postpone mm8lcrh8');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 3, 1772420418359, 'deliver', NULL, NULL, 'none', NULL, 'replica-3e2159c1', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-4b2c-741f-ac10-867f4b34d04a"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 4, 1772420418373, 'deliver', NULL, NULL, 'none', NULL, 'replica-3e2159c1', '{"destination":"mastodon","outcome":"sent","remoteId":"116157344538361856"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (4, 5, 1772420418377, 'publish', 'accepted', 'published', 'none', 'mastodon, timeline', 'replica-3e2159c1', '{"message:mastodon":"116157344538361856","message:timeline":"019cac7d-4b2c-741f-ac10-867f4b34d04a"}', '3 publish mm8lcrih');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 1, 1772420418342, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-3e2159c1', NULL, '1 accept mm8lcrhi');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 2, 1772420418345, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-3e2159c1', NULL, '2 postpone mm8lcrhl');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 3, 1772420418364, 'deliver', NULL, NULL, 'none', NULL, 'replica-3e2159c1', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-4b3a-7465-b1c5-2b155f2fccb5"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 4, 1772420418379, 'deliver', NULL, NULL, 'none', NULL, 'replica-3e2159c1', '{"destination":"mastodon","outcome":"sent","remoteId":"116157344538689536"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (5, 5, 1772420418383, 'publish', 'accepted', 'published', 'none', 'mastodon, timeline', 'replica-3e2159c1', '{"message:mastodon":"116157344538689536","message:timeline":"019cac7d-4b3a-7465-b1c5-2b155f2fccb5"}', '3 publish mm8lcrin');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (6, 1, 1772420482318, 'defer', 'waiting', 'deferred', 'download_failed', 'not_found: 404', 'replica-44ce1ab9', NULL, '1 defer mm8le4um');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 1, 1772420612074, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-b1f3fa51', NULL, '1 accept mm8lgwyy');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 2, 1772420612107, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-b1f3fa51', NULL, '2 postpone mm8lgwzv');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (7, 3, 1772420612170, 'deliver', NULL, NULL, 'none', NULL, 'replica-b1f3fa51', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-4033-74f1-b667-367651ec0374"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 1, 1772420612125, 'accept', 'waiting', 'accepted', 'none', '10 sentences of content.', 'replica-b1f3fa51', NULL, '1 accept mm8lgx0d');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 2, 1772420612147, 'postpone', 'accepted', 'accepted', 'none', 'being posted', 'replica-b1f3fa51', NULL, '2 postpone mm8lgx0z');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (8, 3, 1772420612175, 'deliver', NULL, NULL, 'none', NULL, 'replica-b1f3fa51', '{"destination":"timeline","outcome":"sent","remoteId":"019cac80-404b-72e0-898f-beb4b02e3386"}', NULL);
INSERT INTO "verdicts" (item_id, nth, body) VALUES (4, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"c58066dc7340904620afd3d0993e03f2b0738345d3b2d830b3fce2e640569af1","madeAt":1772420418284,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (4, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"c58066dc7340904620afd3d0993e03f2b0738345d3b2d830b3fce2e640569af1","madeAt":1772420418293,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (5, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"271a09e604a64d8d292d9b0cfc0831d7edbf275f54b40997c1c9bb1ac5d6920f","madeAt":1772420418342,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (5, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"271a09e604a64d8d292d9b0cfc0831d7edbf275f54b40997c1c9bb1ac5d6920f","madeAt":1772420418344,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (7, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"d0f91ab2f3c9560b54738eb5a178747bafa9787bf26359f831986a7399c7080f","madeAt":1772420612074,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (7, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"d0f91ab2f3c9560b54738eb5a178747bafa9787bf26359f831986a7399c7080f","madeAt":1772420612086,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (8, 1, '{"score":null,"topics":[],"summary":null,"reason":"10 sentences of content.","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"fe5973e9358eab000784f912fb338a6b3a69a2f58c8950dede139632226bc77f","madeAt":1772420612125,"provisional":false}');
INSERT INTO "verdicts" (item_id, nth, body) VALUES (8, 2, '{"score":null,"topics":[],"summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","reason":"summarised","judge":"local","model":"local-1","promptVersion":"local-1","interestsVersion":"","textHash":"fe5973e9358eab000784f912fb338a6b3a69a2f58c8950dede139632226bc77f","madeAt":1772420612140,"provisional":false}');
INSERT INTO "tallies" (state, reason, n) VALUES ('accepted', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('baseline', 'first_contact', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('deferred', 'download_failed', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('published', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('tombstone', 'none', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('waiting', 'none', 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (3, '1C-H_wV0hAz4rnxP7xpGrUlw', 'mastodon', '{"status":"TypeScript: notice-two\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-two","visibility":"public","link":"https://news.example/notice-two","values":{"title":"TypeScript: notice-two","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-two","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'sent', 0, '116157344538361856', 'http://mastodon.sim/@kawaraban/116157344538361856', NULL, 1, 1772420418333, 1772420418359, 1772420418373, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (4, 'E0fz_kn6VotWoPWXTkp5CoBx', 'timeline', '{"title":"TypeScript: notice-two","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-two","itemKey":"https://news.example/notice-two","pipeline":"summaries"}', 'sent', 0, '019cac7d-4b2c-741f-ac10-867f4b34d04a', NULL, NULL, 1, 1772420418333, 1772420418335, 1772420418359, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (5, 'ZCXSHPTRg-mOsYHhaoe8UdAC', 'mastodon', '{"status":"TypeScript: notice-one\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-one","visibility":"public","link":"https://news.example/notice-one","values":{"title":"TypeScript: notice-one","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-one","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'sent', 0, '116157344538689536', 'http://mastodon.sim/@kawaraban/116157344538689536', NULL, 1, 1772420418358, 1772420418374, 1772420418379, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (6, 'nMfyCDI6cWkTQ-J6Zj_gQG34', 'timeline', '{"title":"TypeScript: notice-one","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-one","itemKey":"https://news.example/notice-one","pipeline":"summaries"}', 'sent', 0, '019cac7d-4b3a-7465-b1c5-2b155f2fccb5', NULL, NULL, 1, 1772420418358, 1772420418359, 1772420418364, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (7, 'jJJNGSSAzU_8RRYA6C5jHKwg', 'mastodon', '{"status":"TypeScript: notice-five\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-five","visibility":"public","link":"https://news.example/notice-five","values":{"title":"TypeScript: notice-five","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-five","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'sending', 1, NULL, NULL, NULL, 1, 1772420612107, 1772420612129, 1772420612129, NULL, 'replica-b1f3fa51', 1, 1772420732118, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (8, '_W-8yJPJT7Bg9JInMLL7F3gP', 'timeline', '{"title":"TypeScript: notice-five","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-five","itemKey":"https://news.example/notice-five","pipeline":"summaries"}', 'sent', 0, '019cac80-4033-74f1-b667-367651ec0374', NULL, NULL, 1, 1772420612107, 1772420612129, 1772420612170, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (9, 'cq0LdtTIWHdXNBiUWzGUmO2m', 'mastodon', '{"status":"TypeScript: notice-four\n\nThe TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.\n\nhttps://news.example/notice-four","visibility":"public","link":"https://news.example/notice-four","values":{"title":"TypeScript: notice-four","summary":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-four","source":"notices","also":"","score":"","topics":"","author":"","date":"2026-03-02","pipeline":"summaries"}}', 'intended', 1, NULL, NULL, NULL, 0, 1772420612165, NULL, 1772420612165, NULL, NULL, 0, NULL, NULL);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (10, 'uKD4CcM0saIuw28xSYpCnLaj', 'timeline', '{"title":"TypeScript: notice-four","text":"The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.","url":"https://news.example/notice-four","itemKey":"https://news.example/notice-four","pipeline":"summaries"}', 'sent', 0, '019cac80-404b-72e0-898f-beb4b02e3386', NULL, NULL, 1, 1772420612165, 1772420612170, 1772420612175, NULL, NULL, 1, NULL, 1);
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
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://news.example/notice-old', 'published', 1772420410642);
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
