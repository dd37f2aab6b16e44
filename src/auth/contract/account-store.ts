import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account, AccountStore, Link, Session } from '../account-store.ts';

const NOW = Date.UTC(2026, 0, 1);
const ann: Account = {
  userId: 'u-ann',
  name: 'Ann',
  role: 'owner',
  passwordHash: 'scrypt$1',
  createdAt: NOW,
  passwordChangedAt: NOW,
};
const ben: Account = { ...ann, userId: 'u-ben', name: 'ベン', role: 'reader' };
const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  userId: ann.userId,
  createdAt: NOW,
  seenAt: NOW,
  expiresAt: NOW + 1000,
  device: 'Firefox',
  ...more,
});
const link = (id: string, more: Partial<Link> = {}): Link => ({
  id,
  purpose: 'invite',
  role: 'reader',
  userId: null,
  createdAt: NOW,
  expiresAt: NOW + 1000,
  ...more,
});
const token = (id: string, createdAt = NOW) => ({
  id,
  userId: ann.userId,
  label: 'my script',
  scopes: ['read', 'write'] as const,
  createdAt,
  expiresAt: NOW + 1000,
  revokedAt: null,
});

/** Contract of every account store. */
export function describeAccountStore(name: string, open: () => Promise<AccountStore>): void {
  describe(`${name}: the contract of accounts`, () => {
    let store: AccountStore;
    beforeEach(async () => {
      store = await open();
      await store.addAccount(ann);
      await store.addAccount(ben);
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });

    it('finds an account by user and by name in any letter case, and lists them by name', async () => {
      expect(await store.findAccount({ userId: 'u-ann' })).toEqual(ann);
      expect(await store.findAccount({ name: 'aNN' })).toEqual(ann);
      expect(await store.findAccount({ name: 'ﾍﾞﾝ' })).toEqual(ben);
      expect(await store.findAccount({ name: 'cat' })).toBeNull();
      expect(await store.listAccounts()).toEqual([ann, ben]);
    });

    it('has one account for a name and for a user, also with concurrent calls', async () => {
      expect(await store.addAccount({ ...ann, userId: 'u-x', name: 'ANN' })).toBe('taken');
      expect(await store.addAccount({ ...ann, name: 'other' })).toBe('taken');
      const all = await Promise.all(
        ['u1', 'u2', 'u3'].map((userId) => store.addAccount({ ...ann, userId, name: 'cat' })),
      );
      expect(all.toSorted()).toEqual(['added', 'taken', 'taken']);
      expect(await store.listAccounts()).toHaveLength(3);
    });

    it('changes a password', async () => {
      expect(await store.setPassword(ann.userId, 'scrypt$2', NOW + 5)).toBe(true);
      expect(await store.findAccount({ name: 'ann' })).toEqual({
        ...ann,
        passwordHash: 'scrypt$2',
        passwordChangedAt: NOW + 5,
      });
      expect(await store.setPassword('unknown', 'x', NOW)).toBe(false);
    });

    it('stores sessions until they end; an ended one is never revived', async () => {
      await store.addSession(session('s1'));
      await store.addSession(session('s2', { seenAt: NOW + 1 }));
      await store.addSession(session('old', { expiresAt: NOW - 1 }));
      expect(await store.findSession('s1')).toEqual(session('s1'));
      expect((await store.sessionsOf(ann.userId, NOW)).map(({ id }) => id)).toEqual(['s2', 's1']);
      expect(await store.touchSession('s1', NOW + 9, NOW + 2000)).toBe(true);
      expect(await store.findSession('s1')).toMatchObject({ seenAt: NOW + 9, expiresAt: NOW + 2000 });
      expect(await store.endSession('s1')).toBe(true);
      expect(await store.endSession('s1')).toBe(false);
      expect(await store.touchSession('s1', NOW, NOW + 2000)).toBe(false);
      expect(await store.findSession('s1')).toBeNull();
    });

    it('ends all sessions of one person but one', async () => {
      for (const id of ['s1', 's2', 's3']) await store.addSession(session(id));
      await store.addSession(session('s4', { userId: ben.userId }));
      expect((await store.endSessions(ann.userId, 's2')).toSorted()).toEqual(['s1', 's3']);
      expect((await store.sessionsOf(ann.userId, NOW)).map(({ id }) => id)).toEqual(['s2']);
      expect(await store.endSessions(ann.userId)).toEqual(['s2']);
      expect(await store.findSession('s4')).not.toBeNull();
    });

    it('gives a link to one of several concurrent callers, before it expires', async () => {
      await store.addLink(link('l1', { purpose: 'reset', role: 'owner', userId: ann.userId }));
      expect(await store.findLink('l1')).toMatchObject({ purpose: 'reset', userId: ann.userId });
      const consumed = await Promise.all([1, 2, 3].map(() => store.consumeLink('l1', NOW)));
      expect(consumed.filter((one) => one !== null)).toEqual([
        link('l1', { purpose: 'reset', role: 'owner', userId: ann.userId }),
      ]);
      await store.addLink(link('l2'));
      expect(await store.consumeLink('l2', NOW + 1000)).toBeNull();
      expect(await store.consumeLink('none', NOW)).toBeNull();
    });

    it('revokes links of one purpose', async () => {
      await store.addLink(link('l1', { purpose: 'owner' }));
      await store.addLink(link('l2'));
      await store.revokeLinks('owner');
      expect(await store.findLink('l1')).toBeNull();
      expect(await store.findLink('l2')).not.toBeNull();
    });

    it('stores tokens; each is revoked once, by its own user only', async () => {
      await store.addToken(token('t1'));
      await store.addToken(token('t2', NOW + 1));
      expect(await store.findToken('t1')).toEqual(token('t1'));
      expect((await store.tokensOf(ann.userId)).map(({ id }) => id)).toEqual(['t2', 't1']);
      expect(await store.revokeToken(ben.userId, 't1', NOW)).toBe(false);
      expect(await store.revokeToken(ann.userId, 't1', NOW + 2)).toBe(true);
      expect(await store.revokeToken(ann.userId, 't1', NOW + 3)).toBe(false);
      expect(await store.findToken('t1')).toMatchObject({ revokedAt: NOW + 2 });
    });

    it('revokes all tokens of one person', async () => {
      await store.addToken(token('t1'));
      await store.addToken(token('t2', NOW + 1));
      await store.addToken({ ...token('t3'), userId: ben.userId });
      await store.revokeToken(ann.userId, 't1', NOW + 2);
      expect(await store.revokeTokens(ann.userId, NOW + 3)).toEqual(['t2']);
      expect(await store.findToken('t1')).toMatchObject({ revokedAt: NOW + 2 });
      expect(await store.findToken('t2')).toMatchObject({ revokedAt: NOW + 3 });
      expect(await store.findToken('t3')).toMatchObject({ revokedAt: null });
      expect(await store.revokeTokens('unknown', NOW)).toEqual([]);
    });

    it('keeps the mark with the latest time, in any order of arrival', async () => {
      const mark = (position: string, markedAt: number) => ({ timeline: 'home', position, markedAt });
      expect(await store.setMark(ann.userId, mark('b', 5))).toEqual(mark('b', 5));
      expect(await store.setMark(ann.userId, mark('z', 4))).toEqual(mark('b', 5));
      expect(await store.setMark(ann.userId, mark('a', 6))).toEqual(mark('a', 6));
      await store.setMark(ann.userId, { ...mark('c', 1), timeline: 'local' });
      expect(await store.marksOf(ann.userId)).toEqual([mark('a', 6), { ...mark('c', 1), timeline: 'local' }]);
      expect(await store.marksOf(ben.userId)).toEqual([]);
    });

    it('removes an account with its sessions, tokens and links', async () => {
      await store.addSession(session('s1'));
      await store.addToken(token('t1'));
      await store.addLink(link('l1', { purpose: 'reset', userId: ann.userId }));
      const cat: Account = { ...ann, userId: 'u-cat', name: 'Cat' };
      await store.addAccount(cat);
      const removed = await store.removeAccount(ann.userId);
      expect(removed).toEqual({ removed: true, ended: expect.arrayContaining(['s1', 't1']) });
      expect(await store.findAccount({ name: 'ann' })).toBeNull();
      expect(await store.findSession('s1')).toBeNull();
      expect(await store.findToken('t1')).toBeNull();
      expect(await store.findLink('l1')).toBeNull();
      expect(await store.addAccount({ ...ann, userId: 'u-new' })).toBe('added');
      expect(await store.removeAccount('unknown')).toEqual({ removed: false, why: 'unknown' });
    });

    it('keeps one owner, also when owners remove each other concurrently', async () => {
      expect(await store.removeAccount(ann.userId)).toEqual({ removed: false, why: 'last_owner' });
      const owners = [ann, ...['u-cat', 'u-dan'].map((userId) => ({ ...ann, userId, name: userId }))];
      for (const other of owners.slice(1)) await store.addAccount(other);
      const outcomes = await Promise.all(owners.map(({ userId }) => store.removeAccount(userId)));
      expect(outcomes.filter(({ removed }) => removed)).toHaveLength(2);
      expect(outcomes.filter(({ removed }) => !removed)).toEqual([{ removed: false, why: 'last_owner' }]);
      expect((await store.listAccounts()).map(({ role }) => role).toSorted()).toEqual(['owner', 'reader']);
    });

    it('sweeps what ended long ago', async () => {
      await store.addSession(session('s1'));
      await store.addSession(session('s2', { expiresAt: NOW + 5000 }));
      await store.addLink(link('l1'));
      await store.addToken(token('t1'));
      expect(await store.sweep(NOW + 2000)).toBe(3);
      expect(await store.findSession('s2')).not.toBeNull();
      expect(await store.findLink('l1')).toBeNull();
    });

    it('creates one signing key for all replicas', async () => {
      const keys = await Promise.all([1, 2].map((n) => store.signingKey(() => new Uint8Array(32).fill(n))));
      expect(keys[0]).toEqual(keys[1]);
      expect(keys[0]).toHaveLength(32);
    });
  });
}
