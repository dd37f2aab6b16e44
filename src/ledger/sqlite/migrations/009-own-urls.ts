import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Migration } from '../../../sqlite/database.ts';
import { adoptRows } from '../adopt.ts';

/**
 * The column `url` of `items` holds the feed's own URL, by which the summary bot itself recognises an item. The ledger's key
 * is in `standings`; `aliases` holds further keys of the same item. Rows of earlier versions, which have the key in `url`,
 * get the URL of their feed where no other row has it.
 *
 * `changed_rows` lists the rows of `items` that another program inserted or changed: triggers write it, whichever program
 * is at work, and the ledger takes its own changes off the list in the same transaction. A row stays listed with a `problem`
 * while its values cannot be used. What belongs to a row that is deleted is deleted with it; its messages stay.
 */
export const ownUrls: Migration = {
  version: 9,
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
