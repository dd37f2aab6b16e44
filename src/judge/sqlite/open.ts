import { Connection } from '../../sqlite/connection.ts';
import { openDatabase } from '../../sqlite/database.ts';
import type { JudgeMemory } from '../judge-memory.ts';
import { createSqliteBudgetStore } from './budget-store.ts';
import { createSqliteJudgeTroubles } from './judge-troubles.ts';
import { JUDGE_MIGRATIONS } from './migrations.ts';
import { createSqliteVerdictCache } from './verdict-cache.ts';

/** Opens the judge's memory in a file. Several processes may share it. */
export function openSqliteJudgeMemory(path: string): JudgeMemory {
  const database = openDatabase(path, { name: 'the memory of the judges', migrations: JUDGE_MIGRATIONS });
  const connection = new Connection(database, path);
  return {
    budgets: createSqliteBudgetStore(connection),
    verdicts: createSqliteVerdictCache(connection),
    troubles: createSqliteJudgeTroubles(connection),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
