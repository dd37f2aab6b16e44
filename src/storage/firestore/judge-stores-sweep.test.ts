import { describe, expect, it } from 'vitest';
import type { FirestoreConnection } from './connection.ts';
import { createFirestoreVerdictCache } from './judge-stores.ts';

describe('a sweep of the judge stores', () => {
  const page = Array.from({ length: 100 }, (_, n) => ({ id: `${n}` }));

  it('A16 fails after repeated conflicts on the same verdicts', async () => {
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
});
