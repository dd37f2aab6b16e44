import type { QueryForm } from '../../firestore/query.ts';

export const VERDICTS = 'judge_verdicts';
export const INTERESTS = 'judge_interests';
export const TROUBLES = 'judge_troubles';

/** Every query that the judges' memory makes. */
export const JUDGE_QUERIES = {
  /** Verdicts on one text by one model and prompt, the newest first. */
  latest: {
    collection: VERDICTS,
    where: [['asked', '==']],
    orderBy: [['made_at', 'desc']],
  },
  oldVerdicts: {
    collection: VERDICTS,
    where: [['made_at', '<']],
    orderBy: [['made_at', 'asc']],
  },
} as const satisfies Record<string, QueryForm>;
