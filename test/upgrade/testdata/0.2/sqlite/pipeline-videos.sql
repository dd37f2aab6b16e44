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
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (2, 'https://www.youtube.com/watch?v=AVrDkQ95SYA', 'A field guide to schema migrations without downtime, by Jun Okafor', '2026-02-06 00:00:00.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.425+00:00', '2026-03-02 03:00:17.436+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (3, 'https://www.youtube.com/watch?v=AVrDkQ95SGA', 'Why our key-value store lost a write: an incident report from Halden Works', '2026-01-07 00:00:00.000+00:00', 3, 0, 0, '2026-03-02 03:00:17.425+00:00', '2026-03-02 03:00:17.458+00:00');
INSERT INTO "items" (id, url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (4, 'https://www.youtube.com/watch?v=AVrDkQ95S7w', 'Prompt injection: hidden text on a web page steers an AI assistant', '2025-12-08 00:00:00.000+00:00', 0, NULL, 0, '2026-03-02 03:00:17.425+00:00', '2026-03-02 03:00:17.425+00:00');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (2, 'published', 'none', NULL, NULL, 1772420417436, 1770336000000, 1772420417436, NULL, NULL, 1, 3, NULL, NULL, 'https://www.youtube.com/watch?v=AVrDkQ95SYA');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (3, 'published', 'none', NULL, NULL, 1772420417458, 1767744000000, 1772420417458, NULL, NULL, 1, 1, NULL, NULL, 'https://www.youtube.com/watch?v=AVrDkQ95SGA');
INSERT INTO "standings" (item_id, state, reason, detail, due_at, checked_at, published, settled_at, turn, wake_at, token, steps, last_step, handed_at, key) VALUES (4, 'waiting', 'none', NULL, NULL, 1772420417425, 1765152000000, NULL, 1772420417425, NULL, 0, 0, NULL, NULL, 'https://www.youtube.com/watch?v=AVrDkQ95S7w');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (2, 0, 'channel', 1772420417425, '{"sourceName":"channel","foreignId":"AVrDkQ95SYA","author":"Data Talks","excerpt":"Adding a column is easy; renaming one while old and new versions of a program run side by side is not. Jun Okafor describes a sequence of expand, backfill and contract steps that Larkfield has used for 390 schema migrations. Each migration is numbered, runs inside a transaction where the database allows it, and refuses to start on a newer schema. Transactions that stay open while a program waits for the network hold locks that everybody else needs. Most surprises in production come from a query planner that expected ten rows and met a million. Backups that nobody has ever restored are hopes, as every database administrator knows. Numbers like these depend on the data, so engineers are advised to measure their own queries first.","video":{"videoId":"AVrDkQ95SYA","channelId":"UCsimulatedDataTalks000A","channelTitle":"Data Talks","description":"Adding a column is easy; renaming one while old and new versions of a program run side by side is not. Jun Okafor describes a sequence of expand, backfill and contract steps that Larkfield has used for 390 schema migrations. Each migration is numbered, runs inside a transaction where the database allows it, and refuses to start on a newer schema. Transactions that stay open while a program waits for the network hold locks that everybody else needs. Most surprises in production come from a query planner that expected ten rows and met a million. Backups that nobody has ever restored are hopes, as every database administrator knows. Numbers like these depend on the data, so engineers are advised to measure their own queries first."}}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (3, 0, 'channel', 1772420417425, '{"sourceName":"channel","foreignId":"AVrDkQ95SGA","author":"Data Talks","excerpt":"A storage engine that acknowledged before flushing to disk lost 19 writes when a rack in Greyhaven lost power. The report follows one transaction from the client through the log to the page cache, where it stayed. Since then the database waits for the flush by default, and a test pulls the plug 885 times before each release. Transactions that stay open while a program waits for the network hold locks that everybody else needs. SQL has outlived every technology that was going to replace it, and schemas outlive the programs around them. Most surprises in production come from a query planner that expected ten rows and met a million. Backups that nobody has ever restored are hopes, as every database administrator knows.","video":{"videoId":"AVrDkQ95SGA","channelId":"UCsimulatedDataTalks000A","channelTitle":"Data Talks","description":"A storage engine that acknowledged before flushing to disk lost 19 writes when a rack in Greyhaven lost power. The report follows one transaction from the client through the log to the page cache, where it stayed. Since then the database waits for the flush by default, and a test pulls the plug 885 times before each release. Transactions that stay open while a program waits for the network hold locks that everybody else needs. SQL has outlived every technology that was going to replace it, and schemas outlive the programs around them. Most surprises in production come from a query planner that expected ten rows and met a million. Backups that nobody has ever restored are hopes, as every database administrator knows."}}');
INSERT INTO "sightings" (item_id, nth, source_id, seen_at, facts) VALUES (4, 0, 'channel', 1772420417425, '{"sourceName":"channel","foreignId":"AVrDkQ95S7w","author":"Data Talks","excerpt":"White letters on a white page were enough to make an AI assistant send a calendar to a stranger, Jun Okafor showed. The language model cannot tell the text it was given to summarise from an instruction. The proposed defence is old-fashioned: a model that reads untrusted text gets no tools. The cost of inference is now dominated by memory bandwidth rather than by arithmetic. Critics of artificial intelligence point out that most evaluations are carried out by the makers themselves. Researchers advise to keep a person in the loop wherever an AI decision cannot be undone. Results in machine learning are hard to compare, because training data is rarely published.","video":{"videoId":"AVrDkQ95S7w","channelId":"UCsimulatedDataTalks000A","channelTitle":"Data Talks","description":"White letters on a white page were enough to make an AI assistant send a calendar to a stranger, Jun Okafor showed. The language model cannot tell the text it was given to summarise from an instruction. The proposed defence is old-fashioned: a model that reads untrusted text gets no tools. The cost of inference is now dominated by memory bandwidth rather than by arithmetic. Critics of artificial intelligence point out that most evaluations are carried out by the makers themselves. Researchers advise to keep a person in the loop wherever an AI decision cannot be undone. Results in machine learning are hard to compare, because training data is rarely published."}}');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (2, 1, 1772420417436, 'publish', 'waiting', 'published', 'none', NULL, 'replica-5d587dae', '{"output":""}', '1 publish mm8lcqsc');
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (2, 2, 1772420417445, 'deliver', NULL, NULL, 'none', NULL, 'replica-5d587dae', '{"destination":"timeline","outcome":"sent","remoteId":"019cac7d-47a3-752e-9c74-98f2aeb8f594"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (2, 3, 1772420417448, 'deliver', NULL, NULL, 'none', NULL, 'replica-5d587dae', '{"destination":"bot","outcome":"sent","remoteId":"1477863087573827584"}', NULL);
INSERT INTO "history" (item_id, nth, at, event, from_state, to_state, reason, detail, who, notes, step) VALUES (3, 1, 1772420417458, 'publish', 'waiting', 'published', 'none', NULL, 'replica-5d587dae', '{"output":""}', '1 publish mm8lcqsy');
INSERT INTO "tallies" (state, reason, n) VALUES ('published', 'none', 2);
INSERT INTO "tallies" (state, reason, n) VALUES ('tombstone', 'none', 1);
INSERT INTO "tallies" (state, reason, n) VALUES ('waiting', 'none', 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (3, 'pdtdVRhFjyoxs1dOwlQxL8mU', 'bot', '{"content":"","embeds":[{"title":"A field guide to schema migrations without downtime, by Jun Okafor","url":"https://www.youtube.com/watch?v=AVrDkQ95SYA","color":13057580,"fields":[{"name":"Relevance","value":"not scored","inline":true}],"footer":{"text":"channel"},"description":"Most surprises in production come from a query planner that expected ten… Backups that nobody has ever restored are hopes… Numbers like these depend on the data, so engineers are advised to measure…"}],"allowed_mentions":{"parse":[]}}', 'sent', 0, '1477863087573827584', NULL, NULL, 1, 1772420417436, 1772420417439, 1772420417448, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (4, 'F7uW0QAp7DLzkbmZP39xF0su', 'timeline', '{"title":"A field guide to schema migrations without downtime, by Jun Okafor","text":"Most surprises in production come from a query planner that expected ten… Backups that nobody has ever restored are hopes… Numbers like these depend on the data, so engineers are advised to measure…","url":"https://www.youtube.com/watch?v=AVrDkQ95SYA","itemKey":"https://www.youtube.com/watch?v=AVrDkQ95SYA","pipeline":"videos"}', 'sent', 0, '019cac7d-47a3-752e-9c74-98f2aeb8f594', NULL, NULL, 1, 1772420417436, 1772420417439, 1772420417445, NULL, NULL, 1, NULL, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (5, '_fhopBEpWEOXH61Xp6Jm8BfD', 'bot', '{"content":"","embeds":[{"title":"Why our key-value store lost a write: an incident report from Halden Works","url":"https://www.youtube.com/watch?v=AVrDkQ95SGA","color":13057580,"fields":[{"name":"Relevance","value":"not scored","inline":true}],"footer":{"text":"channel"},"description":"The report follows one transaction from the client through the log to the… Most surprises in production come from a query planner that expected ten… Backups that nobody has ever restored are hopes…"}],"allowed_mentions":{"parse":[]}}', 'sending', 1, NULL, NULL, NULL, 1, 1772420417458, 1772420417460, 1772420417460, NULL, 'replica-5d587dae', 1, 1772420537459, 1);
INSERT INTO "deliveries" (id, key, destination, body, state, is_open, remote_id, remote_url, detail, attempts, created_at, first_tried_at, updated_at, due_at, owner, token, held_until, marked_token) VALUES (6, 'hOOh7QckzA2qIOpzgCHY3wCx', 'timeline', '{"title":"Why our key-value store lost a write: an incident report from Halden Works","text":"The report follows one transaction from the client through the log to the… Most surprises in production come from a query planner that expected ten… Backups that nobody has ever restored are hopes…","url":"https://www.youtube.com/watch?v=AVrDkQ95SGA","itemKey":"https://www.youtube.com/watch?v=AVrDkQ95SGA","pipeline":"videos"}', 'sending', 1, NULL, NULL, NULL, 1, 1772420417458, 1772420417460, 1772420417460, NULL, 'replica-5d587dae', 1, 1772420537459, 1);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://www.youtube.com/watch?v=AVrDkQ95SYA', 3, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://www.youtube.com/watch?v=AVrDkQ95SYA', 4, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://www.youtube.com/watch?v=AVrDkQ95SGA', 5, 0);
INSERT INTO "delivery_items" (item_key, delivery_id, nth) VALUES ('https://www.youtube.com/watch?v=AVrDkQ95SGA', 6, 0);
INSERT INTO "delivery_tallies" (state, n) VALUES ('intended', 0);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sending', 2);
INSERT INTO "delivery_tallies" (state, n) VALUES ('sent', 2);
INSERT INTO "tombstones" (key, state, swept_at) VALUES ('https://www.youtube.com/watch?v=AVrDkQ95Spw', 'published', 1772420410063);
INSERT INTO "met_sources" (source_id) VALUES ('channel');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('items', 4);
INSERT INTO sqlite_sequence VALUES ('deliveries', 6);
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
