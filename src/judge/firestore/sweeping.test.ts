import { describe, expect, it } from 'vitest';
import type { FirestoreConnection } from '../../firestore/connection.ts';
import { createFirestoreBudgetStore } from './budget-store.ts';
import { createFirestoreVerdictCache } from './verdict-cache.ts';

describe('a sweep of the judges’ memory', () => {
  const page = Array.from({ length: 100 }, (_, n) => ({ id: `${n}` }));

  it('A16 gives up where others change the same verdicts each time', async () => {
    let commits = 0;
    const connection = {
      query: async () => page,
      commit: async () => {
        commits += 1;
        return 'conflict';
      },
    } as unknown as FirestoreConnection;
    const sweep = createFirestoreVerdictCache(connection).sweep(0);
    await expect(sweep).rejects.toMatchObject({ name: 'FirestoreContentionError' });
    expect(commits).toBe(60);
  });

  it('X9 ends where a page of budgets has nothing to forget', async () => {
    let pages = 0;
    const connection = {
      query: async () => {
        if (++pages > 10) throw new Error('the same page again');
        return page;
      },
      mutate: async () => 0,
    } as unknown as FirestoreConnection;
    expect(await createFirestoreBudgetStore(connection).sweep(0)).toBe(0);
  });
});
