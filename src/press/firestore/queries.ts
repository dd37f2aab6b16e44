import type { QueryForm } from '../../firestore/query.ts';

/** One document for each message that was to read differently. */
export const REVISIONS = 'press_revisions';
/** One document for each destination: today's count. */
export const DAY_COUNTS = 'press_day_counts';

export const PRESS_QUERIES: Readonly<Record<'wanted' | 'old', QueryForm>> = {
  wanted: { collection: REVISIONS, where: [['waits_at', '==']], orderBy: [] },
  old: { collection: REVISIONS, where: [['settled_at', '<']], orderBy: [] },
};
