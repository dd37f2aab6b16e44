import type { FirestoreConnection } from '../../firestore/connection.ts';
import { createFirestoreJudgeBudgets } from '../../storage/firestore/judge-budgets.ts';
import type { JudgeMemory } from '../judge-memory.ts';
import { createFirestoreJudgeTroubles } from './judge-troubles.ts';
import { createFirestoreVerdictCache } from './verdict-cache.ts';

/**
 * The judges' memory on Firestore, shared by all workers. The connection is shared by all parts; whoever made it closes it,
 * after this.
 */
export function openFirestoreJudgeMemory(connection: FirestoreConnection): JudgeMemory {
  const budgets = createFirestoreJudgeBudgets(connection);
  const verdicts = createFirestoreVerdictCache(connection);
  return {
    budgets,
    verdicts,
    troubles: createFirestoreJudgeTroubles(connection),
    [Symbol.asyncDispose]: () => budgets[Symbol.asyncDispose](),
  };
}
