import type { Migration } from '../../../sqlite/database.ts';

/** What one destination was told is found without looking at the others. */
export const destinations: Migration = {
  version: 5,
  sql: `
CREATE INDEX idx_deliveries_destination ON deliveries (destination, state, id);
`,
};
