PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO items VALUES(1,'https://news.example/published','About https://news.example/published','2026-01-01 00:00:00.000+00:00',3,0,0,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.000+00:00');
INSERT INTO items VALUES(2,'https://news.example/waiting','About https://news.example/waiting','2026-01-01 00:00:00.001+00:00',0,0,0,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.001+00:00');
INSERT INTO items VALUES(3,'https://news.example/deferred','About https://news.example/deferred','2026-01-01 00:00:00.002+00:00',1,2,1,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.002+00:00');
INSERT INTO items VALUES(4,'https://news.example/accepted','About https://news.example/accepted','2026-01-01 00:00:00.003+00:00',2,0,0,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.003+00:00');
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
);
INSERT INTO standings VALUES(1,'published','none',NULL,NULL,1767225602000,1767225600000,1767225602000,NULL,NULL,1,1,NULL,NULL);
INSERT INTO standings VALUES(2,'waiting','none',NULL,NULL,1767225602001,1767225600001,NULL,1767225602001,NULL,1,0,NULL,NULL);
INSERT INTO standings VALUES(3,'deferred','not_ready',NULL,1767225660000,1767225602002,1767225600002,NULL,NULL,1767225660000,1,1,NULL,NULL);
INSERT INTO standings VALUES(4,'accepted','none',NULL,NULL,1767225602003,1767225600003,NULL,1767225600003,NULL,1,1,NULL,NULL);
CREATE TABLE sightings (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  source_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;
INSERT INTO sightings VALUES(1,0,'feed-1',1767225601000,'{"sourceName":"The first feed"}');
INSERT INTO sightings VALUES(2,0,'feed-1',1767225601000,'{"sourceName":"The first feed"}');
INSERT INTO sightings VALUES(3,0,'feed-1',1767225601000,'{"sourceName":"The first feed"}');
INSERT INTO sightings VALUES(4,0,'feed-1',1767225601000,'{"sourceName":"The first feed"}');
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
INSERT INTO history VALUES(1,1,1767225602000,'publish','waiting','published','none',NULL,'worker',NULL,NULL);
INSERT INTO history VALUES(3,1,1767225602002,'defer','waiting','deferred','not_ready',NULL,'worker',NULL,NULL);
INSERT INTO history VALUES(4,1,1767225602003,'accept','waiting','accepted','none',NULL,'worker',NULL,NULL);
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
INSERT INTO tallies VALUES('accepted','none',1);
INSERT INTO tallies VALUES('deferred','not_ready',1);
INSERT INTO tallies VALUES('published','none',1);
INSERT INTO tallies VALUES('tombstone','none',1);
INSERT INTO tallies VALUES('waiting','none',1);
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
INSERT INTO deliveries VALUES(1,'k','discord','hello','intended',1,NULL,NULL,NULL,0,1767225600000,NULL,1767225600000,NULL,NULL,0,NULL,NULL);
CREATE TABLE delivery_items (
  item_key TEXT NOT NULL,
  delivery_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  PRIMARY KEY (item_key, delivery_id)
) WITHOUT ROWID;
INSERT INTO delivery_items VALUES('https://news.example/accepted',1,0);
CREATE TABLE delivery_tallies (
  state TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO delivery_tallies VALUES('intended',1);
CREATE TABLE tombstones (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  swept_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO tombstones VALUES('https://news.example/gone','published',1767225600000);
CREATE TABLE claims (
  item_id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL,
  attempt TEXT
);
INSERT INTO claims VALUES(2,'dead',1,1767225900000,NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('items',4);
INSERT INTO sqlite_sequence VALUES('deliveries',1);
CREATE UNIQUE INDEX idx_items_url ON items (url);
CREATE INDEX idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX idx_items_status_published_at ON items (status, published_at);
CREATE INDEX idx_standings_settled ON standings (state, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL AND state <> 'waiting';
CREATE INDEX idx_standings_handed_at ON standings (handed_at, turn) WHERE handed_at IS NOT NULL AND turn IS NOT NULL;
CREATE INDEX idx_deliveries_line ON deliveries (destination, id) WHERE is_open = 1;
CREATE INDEX idx_deliveries_state ON deliveries (state, id);
CREATE INDEX idx_deliveries_destination ON deliveries (destination, state, id);
CREATE INDEX idx_delivery_items_delivery ON delivery_items (delivery_id, nth);
CREATE INDEX idx_tombstones_swept_at ON tombstones (swept_at);
CREATE INDEX idx_claims_attempt ON claims (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX idx_standings_asleep ON standings (wake_at) WHERE wake_at IS NOT NULL;
CREATE TABLE met_sources (source_id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO met_sources VALUES('feed-1');
CREATE TRIGGER sightings_met AFTER INSERT ON sightings
BEGIN
  INSERT OR IGNORE INTO met_sources (source_id) VALUES (new.source_id);
END;
COMMIT;
