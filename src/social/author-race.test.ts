import { expect, it } from 'vitest';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { systemClock } from '../time/clock.ts';
import { findOrCreateAuthor } from './user-accounts.ts';

it('X21 two replicas that start at the same moment agree on the author of a pipeline', async () => {
  const social = SqliteSocialStore.open({ path: ':memory:', clock: systemClock });
  try {
    const both = await Promise.all([
      findOrCreateAuthor('daily', 'The Daily', { users: social, retry: null }),
      findOrCreateAuthor('daily', 'The Daily', { users: social, retry: null }),
    ]);
    expect(both[0].id).toBe(both[1].id);
    expect(await social.listUsers()).toHaveLength(1);
  } finally {
    await social[Symbol.asyncDispose]();
  }
});
