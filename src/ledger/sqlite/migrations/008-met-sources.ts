import type { Migration } from '../../../sqlite/database.ts';

/** Which sources ever brought something: asked at each reading, and true also after all of it was swept. */
export const metSources: Migration = {
  version: 8,
  sql: `
CREATE TABLE met_sources (source_id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO met_sources (source_id) SELECT DISTINCT source_id FROM sightings;
CREATE TRIGGER sightings_met AFTER INSERT ON sightings
BEGIN
  INSERT OR IGNORE INTO met_sources (source_id) VALUES (new.source_id);
END;
`,
};
