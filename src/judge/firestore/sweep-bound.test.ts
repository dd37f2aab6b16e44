import { describe, expect, it } from 'vitest';
import type { FirestoreConnection } from '../../firestore/connection.ts';
import { createFirestoreBudgetStore } from './budget-store.ts';
import { createFirestoreVerdictCache } from './verdict-cache.ts';

/** A database in which a page of old documents never gets shorter. */
function endlessPages(commit: () => 'committed' | 'conflict') {
  let asked = 0;
  const page = (length: number) =>
    Array.from({ length }, (_, n) => ({ id: String(n), updateTime: undefined }));
  const connection = {
    async query(_form: unknown, { limit }: { limit: number }) {
      if (++asked > 1000) throw new Error('it never ends');
      return page(limit);
    },
    commit: async () => commit(),
    mutate: async () => 0,
  } as unknown as FirestoreConnection;
  return { connection, asked: () => asked };
}

describe('sweeping the judges’ memory on Firestore ends', () => {
  it('where others write all that is old at the same time', async () => {
    const { connection, asked } = endlessPages(() => 'conflict');
    expect(await createFirestoreVerdictCache(connection).sweep(1)).toBe(0);
    expect(asked()).toBeLessThan(100);
  });

  it('where a page of budgets has nothing to forget', async () => {
    const { connection, asked } = endlessPages(() => 'committed');
    expect(await createFirestoreBudgetStore(connection).sweep(1)).toBe(0);
    expect(asked()).toBeLessThan(100);
  });
});
