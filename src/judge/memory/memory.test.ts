import { budgetStoreContract } from '../contract/budget-store-contract.ts';
import { judgeTroublesContract } from '../contract/judge-troubles-contract.ts';
import { verdictCacheContract } from '../contract/verdict-cache-contract.ts';
import { createMemoryBudgetStore } from './budget-store.ts';
import { createMemoryJudgeTroubles } from './judge-troubles.ts';
import { createMemoryVerdictCache } from './verdict-cache.ts';

budgetStoreContract('memory', async () => ({
  open: async () => createMemoryBudgetStore(),
  shared: false,
  async [Symbol.asyncDispose]() {},
}));

verdictCacheContract('memory', async () => {
  const cache = createMemoryVerdictCache();
  return { cache, [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose]() };
});

judgeTroublesContract('memory', async () => ({
  troubles: createMemoryJudgeTroubles(),
  async [Symbol.asyncDispose]() {},
}));
