import { budgetStoreContract } from '../contract/budget-store-contract.ts';
import { verdictCacheContract } from '../contract/verdict-cache-contract.ts';
import { createMemoryBudgetStore } from './budget-store.ts';
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
