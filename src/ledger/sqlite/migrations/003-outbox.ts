import type { Migration } from '../../../sqlite/database.ts';

/** What is to be said, in the file of the items, so that a state and an intent change together. */
export const outbox: Migration = {
  version: 3,
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
