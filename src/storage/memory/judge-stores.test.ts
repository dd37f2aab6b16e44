import { budgetStoreContract } from '../../judge/contract/budget-store.ts';
import { judgeFailureStoreContract, verdictCacheContract } from '../../judge/contract/judge-stores.ts';
import {
  createMemoryBudgetStore,
  createMemoryJudgeFailureStore,
  createMemoryVerdictCache,
} from './judge-stores.ts';

budgetStoreContract('memory', async () => ({
  open: async () => createMemoryBudgetStore(),
  shared: false,
  async [Symbol.asyncDispose]() {},
}));

verdictCacheContract('memory', async () => {
  const cache = createMemoryVerdictCache();
  return { cache, [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose]() };
});

judgeFailureStoreContract('memory', async () => ({
  failures: createMemoryJudgeFailureStore(),
  async [Symbol.asyncDispose]() {},
}));
