import { Connection } from '../../sqlite/connection.ts';
import { openDatabase } from '../../sqlite/database.ts';
import type { BudgetStore } from '../budget-store.ts';
import type { InterestsHistory } from '../interests-history.ts';
import type { VerdictCache } from '../verdict-cache.ts';
import { createSqliteBudgetStore } from './budget-store.ts';
import { JUDGE_MIGRATIONS } from './migrations.ts';
import { createSqliteVerdictCache } from './verdict-cache.ts';

/** What judges share between runs and between processes: what was spent, what was said, and what people were interested in. */
export interface JudgeMemory extends AsyncDisposable {
  readonly budgets: BudgetStore;
  readonly verdicts: VerdictCache & InterestsHistory;
}

/** Opens the judge's memory in a file. Several processes may share it. */
export function openSqliteJudgeMemory(path: string): JudgeMemory {
  const database = openDatabase(path, { name: 'the memory of the judges', migrations: JUDGE_MIGRATIONS });
  const connection = new Connection(database, path);
  return {
    budgets: createSqliteBudgetStore(connection),
    verdicts: createSqliteVerdictCache(connection),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
