import type { BudgetStore } from './budget-store.ts';
import type { InterestsHistory } from './interests-history.ts';
import type { JudgeTroubles } from './judge-troubles.ts';
import type { VerdictCache } from './verdict-cache.ts';

/** What judges share between runs and between processes: what was spent, what was said, what people were interested in, and what went wrong last. */
export interface JudgeMemory extends AsyncDisposable {
  readonly budgets: BudgetStore;
  readonly verdicts: VerdictCache & InterestsHistory;
  readonly troubles: JudgeTroubles;
}
