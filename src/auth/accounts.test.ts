import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryReactionStore } from '../storage/memory/reaction-store.ts';
import { SqliteAccountStore } from '../storage/sqlite/account-store.ts';
import { SqliteEntryStore } from '../storage/sqlite/reader/entry-store.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { Accounts } from './accounts.ts';
import { Passwords, SignInThrottle } from './passwords.ts';
import { Revocations } from './revocations.ts';
import { Sessions } from './sessions.ts';

const WEAK = { n: 2 ** 10, r: 8, p: 1 };
const PASSWORD = 'correct horse battery';
let clock: ManualClock;
let store: SqliteAccountStore;
let social: SqliteSocialStore;
let entries: SqliteEntryStore;
let sessions: Sessions;
let accounts: Accounts;
let revocations: Revocations;

function open(passwords = new Passwords(WEAK)): Accounts {
  const isReserved = (name: string): boolean => name === 'morning';
  return new Accounts({
    store,
    sessions,
    passwords,
    throttle: new SignInThrottle(clock),
    social,
    entries,
    reactions: new MemoryReactionStore(),
    clock,
    isReserved,
  });
}

beforeEach(() => {
  clock = new ManualClock();
  store = new SqliteAccountStore(':memory:');
  entries = new SqliteEntryStore(':memory:');
  social = SqliteSocialStore.open({ path: ':memory:', clock });
  revocations = new Revocations({ clock });
  sessions = new Sessions({ store, clock, revocations, lifetimeMs: 30 * DAY });
  accounts = open();
});
afterEach(async () => {
  for (const part of [revocations, store, social, entries]) await part[Symbol.asyncDispose]();
});

async function owner(): Promise<string> {
  const link = await accounts.ownerLink();
  const answer = await accounts.redeemLink(
    link?.token ?? '',
    { name: 'Hana', password: PASSWORD },
    'Firefox',
  );
  if (!answer.ok) throw new Error(answer.why);
  return answer.opened.token;
}
const signIn = (password: string, address = '192.0.2.1', name = 'hana') =>
  accounts.signIn(name, password, address, 'Firefox');

describe('the first start', () => {
  it('adds one owner by the newest link, once', async () => {
    const first = await accounts.ownerLink();
    const second = await accounts.ownerLink();
    const who = { name: 'Hana', password: PASSWORD };
    expect(await accounts.redeemLink(first?.token ?? '', who, '')).toEqual({ ok: false, why: 'link' });
    const daily = await social.addUser({ name: 'daily', displayName: 'Daily', kind: 'pipeline' });
    await social.addUser({ name: 'wire', displayName: 'Wire', kind: 'source' });
    const answer = await accounts.redeemLink(second?.token ?? '', who, '');
    expect(answer).toMatchObject({ ok: true, opened: { identity: { name: 'Hana', role: 'owner' } } });
    expect(await accounts.redeemLink(second?.token ?? '', { ...who, name: 'Evil' }, '')).toMatchObject({
      why: 'link',
    });
    expect(await accounts.ownerLink()).toBeNull();
    const user = await social.findUser('Hana');
    expect(await social.getFollowingList(user?.id ?? '')).toEqual([daily.id]);
  });

  it('expires its link after a day', async () => {
    const link = await accounts.ownerLink();
    await clock.advance(DAY);
    clock.jump(DAY);
    expect(await accounts.inspectLink(link?.token ?? '')).toBeNull();
  });

  it.each([
    [{ name: 'Hana', password: 'short' }, 'password'],
    [{ name: 'Hana', password: 'aaaaaaaaaaaaaaa' }, 'password'],
    [{ name: 'Hana', password: 'hana1234567' }, 'password'],
    [{ name: '', password: PASSWORD }, 'name'],
    [{ name: 'two words', password: PASSWORD }, 'name'],
    [{ name: '<b>', password: PASSWORD }, 'name'],
  ])('refuses %j, and the link stays valid', async (who, field) => {
    const link = await accounts.ownerLink();
    expect(await accounts.redeemLink(link?.token ?? '', who, '')).toMatchObject({ why: 'field', field });
    const good = await accounts.redeemLink(link?.token ?? '', { name: 'Hana', password: PASSWORD }, '');
    expect(good.ok).toBe(true);
  });

  it('stores no usable credential', async () => {
    const token = await owner();
    const link = await accounts.invite();
    const [account] = await accounts.list();
    const kept = JSON.stringify([account, await store.sessionsOf(account?.userId ?? '', 0)]);
    for (const secret of [token, link.token, PASSWORD]) expect(kept).not.toContain(secret);
    expect(account?.passwordHash).toMatch(/^scrypt\$1024\$8\$1\$/);
  });
});

describe('signing in', () => {
  it('ignores the letter case of the name, but not of the password', async () => {
    await owner();
    expect(await signIn(PASSWORD)).toMatchObject({ ok: true });
    expect(await signIn('correct horse batterY')).toEqual({ ok: false, why: 'wrong' });
    expect(await signIn(PASSWORD, '192.0.2.1', 'unknown')).toEqual({ ok: false, why: 'wrong' });
  });

  it('delays repeated failures from one address, and no other address', async () => {
    await owner();
    for (let i = 0; i < 6; i++) expect(await signIn('wrong words')).toMatchObject({ why: 'wrong' });
    expect(await signIn(PASSWORD)).toEqual({ ok: false, why: 'wait', waitMs: 2 * SECOND });
    expect(await signIn(PASSWORD, '198.51.100.7')).toMatchObject({ ok: true });
    await clock.advance(2 * SECOND);
    expect(await signIn('wrong words')).toMatchObject({ why: 'wrong' });
    expect(await signIn(PASSWORD)).toEqual({ ok: false, why: 'wait', waitMs: 4 * SECOND });
    await clock.advance(4 * SECOND);
    expect(await signIn(PASSWORD)).toMatchObject({ ok: true });
  });

  it('rehashes the password when the cost has grown', async () => {
    await owner();
    accounts = open(new Passwords({ n: 2 ** 11, r: 8, p: 1 }));
    expect(await signIn(PASSWORD)).toMatchObject({ ok: true });
    expect((await accounts.list())[0]?.passwordHash).toMatch(/^scrypt\$2048/);
    expect(await signIn(PASSWORD)).toMatchObject({ ok: true });
  });
});

describe('a session', () => {
  it('lasts as long as it is used, and ends when it is not', async () => {
    const token = await owner();
    for (let i = 0; i < 4; i++) {
      await clock.advance(20 * DAY);
      expect(await sessions.authenticate(token)).toMatchObject({ kind: 'known' });
    }
    await clock.advance(31 * DAY);
    expect(await sessions.authenticate(token)).toMatchObject({ kind: 'refused', why: 'expired' });
  });

  it('C23 ends at once with a changed password, except the one that changed it', async () => {
    const token = await owner();
    const other = await signIn(PASSWORD);
    const otherToken = other.ok ? other.opened.token : '';
    const here = await sessions.authenticate(token);
    const there = await sessions.authenticate(otherToken);
    if (here.kind !== 'known' || there.kind !== 'known') throw new Error('not signed in');
    let notified = 0;
    revocations.onRevoked(there.identity.id, () => {
      notified += 1;
    });
    const change = {
      current: 'wrong words',
      next: 'another good password',
      address: '',
      keep: here.identity.id,
    };
    expect(await accounts.changePassword(here.identity.userId, change)).toEqual({ ok: false, why: 'wrong' });
    const right = { ...change, current: PASSWORD };
    expect(await accounts.changePassword(here.identity.userId, { ...right, next: 'x' })).toMatchObject({
      why: 'password',
    });
    expect(await accounts.changePassword(here.identity.userId, right)).toEqual({ ok: true, ended: 1 });
    expect(notified).toBe(1);
    expect(await sessions.authenticate(token)).toMatchObject({ kind: 'known' });
    expect(await sessions.authenticate(otherToken)).toMatchObject({ kind: 'refused' });
    expect(await signIn(PASSWORD)).toMatchObject({ why: 'wrong' });
  });

  it.each(['', 'x', '../../etc', 'é'.repeat(43), 'A'.repeat(43)])(
    'refuses the invalid token %j',
    async (bad) => {
      expect(await sessions.authenticate(bad)).toMatchObject({ kind: 'refused' });
    },
  );
});

describe('other people', () => {
  it('join by an invitation as readers, and lose access when they are removed', async () => {
    await owner();
    const link = await accounts.invite();
    expect(await accounts.inspectLink(link.token)).toMatchObject({ link: { role: 'reader' }, name: null });
    const taken = await accounts.redeemLink(link.token, { name: 'HANA', password: PASSWORD }, '');
    expect(taken).toMatchObject({ why: 'field', field: 'name' });
    const answer = await accounts.redeemLink(link.token, { name: 'ben', password: PASSWORD }, '');
    if (!answer.ok) throw new Error('refused');
    expect(answer.opened.identity.role).toBe('reader');
    expect(await accounts.remove(answer.opened.identity.userId)).toBe('removed');
    expect(await sessions.authenticate(answer.opened.token)).toMatchObject({ kind: 'refused' });
    expect(await accounts.remove('unknown')).toBe('unknown');
    const [last] = await accounts.list();
    expect(await accounts.remove(last?.userId ?? '')).toBe('last_owner');
  });

  it('keep one owner when two owners remove each other concurrently', async () => {
    await owner();
    const { token } = await accounts.invite('owner');
    await accounts.redeemLink(token, { name: 'ben', password: PASSWORD }, '');
    const both = (await accounts.list()).map(({ userId }) => userId);
    const outcomes = await Promise.all(both.map((userId) => accounts.remove(userId)));
    expect(outcomes.toSorted()).toEqual(['last_owner', 'removed']);
    expect(await accounts.hasOwner()).toBe(true);
  });

  it('cannot take the name of a pipeline or source of the configuration', async () => {
    await owner();
    const { token } = await accounts.invite();
    for (const name of ['Morning', 'ＭＯＲＮＩＮＧ'])
      expect(await accounts.redeemLink(token, { name, password: PASSWORD }, '')).toMatchObject({
        why: 'field',
        field: 'name',
      });
    expect(await accounts.redeemLink(token, { name: 'morningstar', password: PASSWORD }, '')).toMatchObject({
      ok: true,
    });
  });

  it('get a new password by a link, which ends their sessions and works once', async () => {
    const token = await owner();
    const made = await accounts.resetLink();
    expect(made?.account.name).toBe('Hana');
    expect(await accounts.inspectLink(made?.link.token ?? '')).toMatchObject({ name: 'Hana' });
    const fresh = { password: 'a fresh long password' };
    expect(await accounts.redeemLink(made?.link.token ?? '', fresh, '')).toMatchObject({ ok: true });
    expect(await accounts.redeemLink(made?.link.token ?? '', fresh, '')).toEqual({ ok: false, why: 'link' });
    expect(await sessions.authenticate(token)).toMatchObject({ kind: 'refused' });
    expect(await signIn(fresh.password)).toMatchObject({ ok: true });
    expect(await accounts.resetLink('unknown')).toBeNull();
    const late = await accounts.resetLink('hana');
    await clock.advance(HOUR + MINUTE);
    expect(await accounts.redeemLink(late?.link.token ?? '', fresh, '')).toMatchObject({ why: 'link' });
  });
});
