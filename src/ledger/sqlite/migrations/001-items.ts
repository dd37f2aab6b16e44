import type { Migration } from '../../../sqlite/database.ts';

/** The table of the summary bot, to the letter (B1, B2). A file that the bot made itself is taken over as it is. */
export const items: Migration = {
  version: 1,
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
