CREATE TABLE aliases (
  key TEXT PRIMARY KEY,
  item_id INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_aliases_item ON aliases (item_id);
CREATE TABLE changed_rows (
  item_id INTEGER PRIMARY KEY,
  problem TEXT
);
CREATE INDEX idx_changed_rows_unread ON changed_rows (item_id) WHERE problem IS NULL;
CREATE TABLE claims (
  item_id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL,
  attempt TEXT
);
CREATE INDEX idx_claims_attempt ON claims (attempt) WHERE attempt IS NOT NULL;
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
CREATE INDEX idx_deliveries_destination ON deliveries (destination, state, id);
CREATE INDEX idx_deliveries_line ON deliveries (destination, id) WHERE is_open = 1;
CREATE INDEX idx_deliveries_state ON deliveries (state, id);
CREATE TABLE delivery_items (
  item_key TEXT NOT NULL,
  delivery_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  PRIMARY KEY (item_key, delivery_id)
) WITHOUT ROWID;
CREATE INDEX idx_delivery_items_delivery ON delivery_items (delivery_id, nth);
CREATE TABLE delivery_tallies (
  state TEXT PRIMARY KEY,
  n INTEGER NOT NULL
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
CREATE TRIGGER items_inserted AFTER INSERT ON items
BEGIN
  INSERT INTO changed_rows (item_id) SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM changed_rows WHERE item_id = new.id);
END;
CREATE TRIGGER items_updated AFTER UPDATE ON items
BEGIN
  INSERT INTO changed_rows (item_id) SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM changed_rows WHERE item_id = new.id);
  UPDATE changed_rows SET problem = NULL WHERE item_id = new.id AND problem IS NOT NULL;
END;
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
CREATE INDEX idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX idx_items_status_published_at ON items (status, published_at);
CREATE UNIQUE INDEX idx_items_url ON items (url);
CREATE TABLE met_sources (source_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER sightings_met AFTER INSERT ON sightings
BEGIN
  INSERT OR IGNORE INTO met_sources (source_id) VALUES (new.source_id);
END;
CREATE TABLE sightings (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  source_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;
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
CREATE INDEX idx_standings_asleep ON standings (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX idx_standings_handed_at ON standings (handed_at, turn) WHERE handed_at IS NOT NULL AND turn IS NOT NULL;
CREATE UNIQUE INDEX idx_standings_key ON standings (key);
CREATE INDEX idx_standings_settled ON standings (state, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL AND state <> 'waiting';
CREATE TABLE tallies (
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (state, reason)
) WITHOUT ROWID;
CREATE TABLE tombstones (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  swept_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_tombstones_swept_at ON tombstones (swept_at);
CREATE TABLE verdicts (
  item_id INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (item_id, nth)
) WITHOUT ROWID;
