import { expect, it } from 'vitest';
import { SqliteSocialStore } from '../social/sqlite/sqlite-social-store.ts';
import { systemClock } from '../time/clock.ts';
import { authorOf } from './publishers.ts';

it('X21 two copies that start at the same moment agree on the author of a pipeline', async () => {
  const social = SqliteSocialStore.open({ path: ':memory:', clock: systemClock });
  try {
    const both = await Promise.all([
      authorOf('desk', 'The desk', social),
      authorOf('desk', 'The desk', social),
    ]);
    expect(both[0].id).toBe(both[1].id);
    expect(await social.listUsers()).toHaveLength(1);
  } finally {
    await social[Symbol.asyncDispose]();
  }
});
