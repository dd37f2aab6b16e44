import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Migration } from '../database.ts';
import { adoptRows } from './adopt.ts';

/** The table of the summary bot, verbatim (B1, B2). A file that the bot created is adopted unchanged. */
export const v1Items: Migration = {
  version: 1,
  about: 'Creates the table of items',
  sql: `
CREATE TABLE IF NOT EXISTS items (
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
CREATE UNIQUE INDEX IF NOT EXISTS idx_items_url ON items (url);
CREATE INDEX IF NOT EXISTS idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX IF NOT EXISTS idx_items_status_published_at ON items (status, published_at);
`,
};

/**
 * What `items` has no column for. `standings` is the full status and the claim; it is small, because every claim
 * rewrites it. `turn` is set while an item is claimable, and orders the queue; `wake_at` is set while it is not (leased,
 * which is `held`, or waiting), and is when that ends; terminal items have neither, but `settled_at`. `handed_at` is 0
 * until the item is handed over to a separate queue, and NULL where the ledger itself is the queue. Rows of other programs
 * get their status in step 9.
 */
export const v2Standings: Migration = {
  version: 2,
  about: 'Adds the states, history and verdicts of items',
  sql: `
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
  held INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  token INTEGER NOT NULL DEFAULT 0,
  claimed_until INTEGER,
  attempt TEXT,
  steps INTEGER NOT NULL DEFAULT 0,
  last_step TEXT,
  handed_at INTEGER
);
CREATE INDEX idx_standings_settled ON standings (state, settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL;
CREATE INDEX idx_standings_asleep ON standings (held, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX idx_standings_attempt ON standings (attempt) WHERE attempt IS NOT NULL;
CREATE INDEX idx_standings_handed_at ON standings (handed_at, turn) WHERE handed_at IS NOT NULL AND turn IS NOT NULL;

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
`,
};

/** The outbox, in the file of the items, so that a state and a message change atomically. */
export const v3Outbox: Migration = {
  version: 3,
  about: 'Adds the outbox',
  sql: `
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
`,
};

/** Swept items are still known (X20). */
export const v4Tombstones: Migration = {
  version: 4,
  about: 'Adds tombstones of swept items',
  sql: `
CREATE TABLE tombstones (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  swept_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_tombstones_swept_at ON tombstones (swept_at);
`,
};

/** Finds the messages of one destination without reading the others. */
export const v5Destinations: Migration = {
  version: 5,
  about: 'Adds an index of messages by destination',
  converts: ['deliveries'],
  sql: `
CREATE INDEX idx_deliveries_destination ON deliveries (destination, state, id);
`,
};

/** Waiting items are in the contract's own index: the index of turns has only the states in which many items can be asleep. */
export const v6TurnIndex: Migration = {
  version: 6,
  about: 'Replaces the index of the queue by a smaller one',
  converts: ['standings'],
  sql: `
DROP INDEX idx_standings_turn;
CREATE INDEX idx_standings_turn ON standings (state, turn) WHERE turn IS NOT NULL AND state <> 'waiting';
`,
};

/**
 * Claims are in a table of their own, with one row per item in progress: a claim writes one small page. A claimed item keeps
 * its place in the queue, and readers of the queue skip it. The row of an expired lease remains until the item is claimed
 * again.
 */
export const v7Claims: Migration = {
  version: 7,
  about: 'Moves claims into a table of their own',
  converts: ['standings'],
  sql: `
CREATE TABLE claims (
  item_id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL,
  attempt TEXT
);
CREATE INDEX idx_claims_attempt ON claims (attempt) WHERE attempt IS NOT NULL;
INSERT INTO claims (item_id, owner, token, claimed_until, attempt)
  SELECT item_id, owner, token, claimed_until, attempt FROM standings WHERE held = 1;
UPDATE standings SET wake_at = due_at,
  turn = CASE WHEN due_at IS NOT NULL THEN NULL WHEN state = 'accepted' THEN published ELSE checked_at END
  WHERE held = 1;
DROP INDEX idx_standings_attempt;
DROP INDEX idx_standings_asleep;
ALTER TABLE standings DROP COLUMN held;
ALTER TABLE standings DROP COLUMN owner;
ALTER TABLE standings DROP COLUMN claimed_until;
ALTER TABLE standings DROP COLUMN attempt;
CREATE INDEX idx_standings_asleep ON standings (wake_at) WHERE wake_at IS NOT NULL;
`,
};

/** Sources that ever had an item: read at each poll, and kept after all their items are swept. */
export const v8SeenSources: Migration = {
  version: 8,
  about: 'Records the sources that ever had an item',
  converts: ['sightings'],
  sql: `
CREATE TABLE met_sources (source_id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO met_sources (source_id) SELECT DISTINCT source_id FROM sightings;
CREATE TRIGGER sightings_met AFTER INSERT ON sightings
BEGIN
  INSERT OR IGNORE INTO met_sources (source_id) VALUES (new.source_id);
END;
`,
};

/**
 * The column `url` of `items` has the feed's own URL, by which the summary bot itself recognises an item. The ledger's key
 * is in `standings`; `aliases` has further keys of the same item. Rows of earlier versions, which have the key in `url`,
 * get the URL of their feed where no other row has it.
 *
 * `changed_rows` lists the rows of `items` that another program inserted or changed: triggers write it for every
 * program, and the ledger removes its own changes in the same transaction. A row stays listed with a `problem` while its
 * values are unusable. Deleting a row deletes its dependent rows, except its messages.
 */
export const v9OwnUrls: Migration = {
  version: 9,
  about: 'Gives items the address of their feed, and takes over rows of other programs',
  converts: ['items'],
  sql: `
ALTER TABLE standings ADD COLUMN key TEXT;
UPDATE standings SET key = (SELECT url FROM items WHERE id = item_id);
DELETE FROM standings WHERE key IS NULL;
DELETE FROM claims WHERE item_id NOT IN (SELECT item_id FROM standings);
CREATE UNIQUE INDEX idx_standings_key ON standings (key);
DELETE FROM tallies WHERE state <> 'tombstone';
INSERT INTO tallies (state, reason, n) SELECT state, reason, count(*) FROM standings GROUP BY state, reason;

CREATE TABLE aliases (
  key TEXT PRIMARY KEY,
  item_id INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_aliases_item ON aliases (item_id);

UPDATE items SET reason = NULL
  WHERE reason = 0 AND (status IN (0, 2) OR id IN (SELECT item_id FROM standings WHERE state = 'baseline'));
UPDATE OR IGNORE items SET url = (SELECT facts ->> '$.url' FROM sightings WHERE item_id = id AND nth = 0)
  WHERE id IN (SELECT item_id FROM sightings WHERE nth = 0 AND facts ->> '$.url' LIKE 'http%');

CREATE TABLE changed_rows (
  item_id INTEGER PRIMARY KEY,
  problem TEXT
);
CREATE INDEX idx_changed_rows_unread ON changed_rows (item_id) WHERE problem IS NULL;
INSERT INTO changed_rows (item_id) SELECT id FROM items WHERE id NOT IN (SELECT item_id FROM standings);

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
`,
  after(db: DatabaseSync) {
    const made = new Map<string, StatementSync>();
    const prepare = (sql: string): StatementSync => {
      const statement = made.get(sql) ?? db.prepare(sql);
      made.set(sql, statement);
      return statement;
    };
    while (adoptRows({ prepare }) > 0);
  },
};

/** Append only: a released step is never edited or removed. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  v1Items,
  v2Standings,
  v3Outbox,
  v4Tombstones,
  v5Destinations,
  v6TurnIndex,
  v7Claims,
  v8SeenSources,
  v9OwnUrls,
];
