import { expect, it } from 'vitest';
import { SqliteAccountStore } from '../storage/sqlite/account-store.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { FeedAddresses } from './feed-addresses.ts';

async function open(): Promise<{ feeds: FeedAddresses; store: SqliteAccountStore }> {
  const store = new SqliteAccountStore(':memory:');
  const account = { passwordHash: 'x', createdAt: 1, passwordChangedAt: 1 };
  await store.addAccount({ ...account, userId: 'ann', name: 'ann', role: 'reader' });
  await store.addAccount({ ...account, userId: 'ben', name: 'ben', role: 'owner' });
  return { feeds: feedsOf(store), store };
}

function feedsOf(store: SqliteAccountStore, key = 1): FeedAddresses {
  return new FeedAddresses({ key: new Uint8Array(32).fill(key), store, clock: new ManualClock() });
}

it('R13 an address names person and list, and cannot be made up or changed', async () => {
  const { feeds, store } = await open();
  await using _ = store;
  const list = { view: 'unread', folder: 'Tech/Rust', text: '日本' } as const;
  const secret = (await feeds.secretOf('ann', list)) ?? '';
  expect(await feeds.resolve(secret)).toEqual({ person: 'ann', list });
  // The same list has the same address, in every replica.
  expect(await feedsOf(store).secretOf('ann', list)).toBe(secret);
  expect(await feeds.secretOf('ann', { view: 'unread' })).not.toBe(secret);
  expect(await feeds.secretOf('ben', list)).not.toBe(secret);

  const [content = '', signature = ''] = secret.split('.');
  const forged = Buffer.from(JSON.stringify(['ben', 'all', null, null, null])).toString('base64url');
  const unknown = Buffer.from(JSON.stringify(['eve', 'all', null, null, null])).toString('base64url');
  for (const wrong of [
    '',
    content,
    `${content}.`,
    `${forged}.${signature}`,
    `${unknown}.${signature}`,
    `${content}.${signature.slice(1)}`,
    `${content}.${signature}.x`,
    `${Buffer.from('{').toString('base64url')}.${signature}`,
    `${Buffer.from('["ann","no such view"]').toString('base64url')}.${signature}`,
    'x'.repeat(3000),
  ])
    expect(await feeds.resolve(wrong), wrong).toBeNull();
  expect(await feedsOf(store, 2).resolve(secret)).toBeNull();
});

it('R13 a reset replaces all addresses of one person, and of no one else', async () => {
  const { feeds, store } = await open();
  await using _ = store;
  const before = await Promise.all([
    feeds.secretOf('ann', { view: 'all' }),
    feeds.secretOf('ann', { view: 'starred' }),
  ]);
  const other = await feeds.secretOf('ben', { view: 'all' });
  await feeds.reset('ann');
  await feeds.reset('ann');
  for (const secret of before) expect(await feeds.resolve(secret ?? '')).toBeNull();
  expect(await feeds.resolve(other ?? '')).toMatchObject({ person: 'ben' });
  const after = await feeds.secretOf('ann', { view: 'all' });
  expect(await feeds.resolve(after ?? '')).toMatchObject({ person: 'ann' });
});

it('R13 only people with an account have feeds', async () => {
  const { feeds, store } = await open();
  await using _ = store;
  expect(await feeds.secretOf('eve', { view: 'all' })).toBeNull();
  await feeds.reset('eve');
  const secret = (await feeds.secretOf('ann', { view: 'all' })) ?? '';
  await store.removeAccount('ann');
  expect(await feeds.resolve(secret)).toBeNull();
});
