import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CreateDropResponse, GetDropsByUserIDResponse } from '../../../proto/gen/avion/post.ts';
import {
  FollowResponse,
  GetFollowersListResponse,
  GetFollowingListResponse,
} from '../../../proto/gen/avion/user.ts';
import type { SocialStore } from '../../social/social-store.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import {
  type FaultyService,
  startFaultyService,
  UNAVAILABLE_ANSWER,
  unusedPort,
} from './faulty-service.fixture.ts';
import { openGrpcSocialStore } from './social-store.ts';

const FINE = { bytes: GetFollowingListResponse.encode({ userIds: ['ben'], nextPageToken: '' }).finish() };

let service: FaultyService;
let store: SocialStore;

beforeEach(async () => {
  service = await startFaultyService(() => FINE);
  store = openStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

function openStore(timeoutMs = 2000, address = service.address): SocialStore {
  return openGrpcSocialStore({
    users: address,
    posts: address,
    timeoutMs,
    token: () => 'secret-token',
    random: () => 0,
  });
}

const unavailable = (why: string) => ({ name: 'ServiceUnavailableError', why });

describe('a user service that is down', () => {
  it('is retried until it answers', async () => {
    service.answer = (_method, call) => (call < 3 ? UNAVAILABLE_ANSWER : FINE);
    expect(await store.getFollowingList('ann')).toEqual(['ben']);
    expect(service.calls).toHaveLength(3);
  });

  it('fails after three attempts, with an error that names it', async () => {
    service.answer = () => UNAVAILABLE_ANSWER;
    await expect(store.getFollowingList('ann')).rejects.toMatchObject({
      ...unavailable('down'),
      message: expect.stringMatching(/avion\.UserService does not answer/),
    });
    expect(service.calls).toHaveLength(3);
  });

  it('is not called for a while after five failures, then probed by one call', async () => {
    service.answer = () => UNAVAILABLE_ANSWER;
    for (let i = 0; i < 2; i++)
      await expect(store.getFollowingList('ann')).rejects.toMatchObject(
        unavailable(i === 0 ? 'down' : 'resting'),
      );
    const asked = service.calls.length;
    expect(asked).toBe(5);
    await expect(store.getFollowingList('ann')).rejects.toMatchObject(unavailable('resting'));
    expect(service.calls).toHaveLength(asked);
    service.answer = () => FINE;
    await expect.poll(() => store.getFollowingList('ann').catch(() => null)).toEqual(['ben']);
    expect(service.calls).toHaveLength(asked + 1);
  });

  it('C12 is retried every ten seconds at the latest, however long it was down', async () => {
    const clock = new ManualClock();
    await store[Symbol.asyncDispose]();
    const address = service.address;
    store = openGrpcSocialStore({
      users: address,
      posts: address,
      timeoutMs: 5000,
      clock,
      random: () => 0.99,
    });
    service.answer = () => UNAVAILABLE_ANSWER;
    for (let n = 0; n < 10; n++) {
      const before = service.calls.length;
      let answered = false;
      const asked = store.getFollowingList('ann').catch(() => {
        answered = true;
      });
      const isAnswered = async (): Promise<boolean> => {
        await clock.advance(100);
        return answered;
      };
      await expect.poll(isAnswered, { interval: 5 }).toBe(true);
      await asked;
      expect(service.calls.length).toBeGreaterThan(before);
      await clock.advance(10_000);
    }
  });

  it('is reconnected to after it did not listen at all', async () => {
    const port = await unusedPort();
    const early = openStore(2000, `127.0.0.1:${port}`);
    await expect(early.getFollowingList('ann')).rejects.toMatchObject(unavailable('down'));
    const late = await startFaultyService(() => FINE, port);
    await expect.poll(() => early.getFollowingList('ann').catch(() => null)).toEqual(['ben']);
    await early[Symbol.asyncDispose]();
    await late[Symbol.asyncDispose]();
  });
});

describe('a user service that is slow', () => {
  it('is cancelled at the timeout', async () => {
    await store[Symbol.asyncDispose]();
    store = openStore(100);
    service.answer = () => 'silence';
    await expect(store.getFollowingList('ann')).rejects.toMatchObject(unavailable('slow'));
    expect(service.calls).toHaveLength(1);
    await expect.poll(() => service.cancelled).toEqual(['GetFollowingList']);
  });

  it('is cancelled with the caller, which does not count as a failure', async () => {
    service.answer = () => 'silence';
    for (let i = 0; i < 6; i++) {
      const stop = new AbortController();
      const call = store.getFollowingList('ann', stop.signal);
      const refused = expect(call).rejects.not.toMatchObject({ name: 'ServiceUnavailableError' });
      await expect.poll(() => service.calls).toHaveLength(i + 1);
      stop.abort();
      await refused;
    }
    service.answer = () => FINE;
    expect(await store.getFollowingList('ann')).toEqual(['ben']);
  });
});

describe('a service that answers garbage', () => {
  const followers = (userIds: string[], nextPageToken = '') => ({
    bytes: GetFollowersListResponse.encode({ userIds, nextPageToken }).finish(),
  });
  const refs = (...times: number[]) => ({
    bytes: GetDropsByUserIDResponse.encode({
      drops: times.map((createdAt) => ({ id: `d${createdAt}`, userId: 'ben', visibility: 1, createdAt })),
    }).finish(),
  });

  it.each([
    [
      'bytes that are no message',
      { bytes: Buffer.from('0aff', 'hex') },
      () => store.getFollowersPage('ann', { limit: 1000 }),
    ],
    [
      'IDs that are none',
      followers(['ben', 'two words']),
      () => store.getFollowersPage('ann', { limit: 1000 }),
    ],
    ['an empty ID', followers(['']), () => store.getFollowersPage('ann', { limit: 1000 })],
    ['pages that lead nowhere', followers([], 'next'), () => store.getFollowersPage('ann', { limit: 1000 })],
    [
      'the same page for ever',
      followers(['ben'], 'next'),
      () => store.getFollowersPage('ann', { limit: 1000 }),
    ],
    [
      'followers below the page asked for',
      followers(['a']),
      () => store.getFollowersPage('ann', { limit: 9, after: 'b' }),
    ],
    ['drops in the wrong order', refs(1, 2), () => store.getDropsByUserId('ben', { limit: 9 })],
    ['more drops than asked for', refs(3, 2, 1), () => store.getDropsByUserId('ben', { limit: 2 })],
    [
      'drops above the page asked for',
      refs(9),
      () => store.getDropsByUserId('ben', { limit: 9, before: { createdAt: 5, id: 'x' } }),
    ],
    ['drops before 1970', refs(-1), () => store.getDropsByUserId('ben', { limit: 9 })],
    ['a user without a kind', { bytes: new Uint8Array() }, () => store.findUser('ann')],
    [
      'an error of its own',
      { status: status.INTERNAL },
      () => store.getFollowersPage('ann', { limit: 1000 }),
    ],
    [
      'a call that it does not know',
      { status: status.UNIMPLEMENTED },
      () => store.getFollowersPage('ann', { limit: 1000 }),
    ],
  ])('is rejected: %s', async (_what, answer, call) => {
    service.answer = () => answer;
    await expect(call()).rejects.toMatchObject(unavailable('garbage'));
    expect(service.calls.length).toBeLessThanOrEqual(2);
  });
});

it('C4 an optional method that is not implemented is called once, and the others stay in use', async () => {
  service.answer = (method) => (method === 'GetUser' ? { status: status.UNIMPLEMENTED } : FINE);
  for (let i = 0; i < 8; i++) {
    await expect(store.findUser('ann')).rejects.toMatchObject({
      ...unavailable('not_offered'),
      isTransient: false,
    });
    expect(await store.getFollowingList('ann')).toEqual(['ben']);
  }
  expect(service.calls.filter((method) => method === 'GetUser')).toHaveLength(1);
});

describe('writing', () => {
  it('that is not idempotent is not retried', async () => {
    service.answer = () => UNAVAILABLE_ANSWER;
    const user = { name: 'cat', displayName: 'Cat', kind: 'person' as const };
    await expect(store.addUser(user)).rejects.toMatchObject(unavailable('down'));
    expect(service.calls).toEqual(['CreateUser']);
  });

  it('a drop is retried with one key, and reported as created even if the reply was lost', async () => {
    const drop = { id: 'd', userId: 'ben', visibility: 1 as const, createdAt: 5, text: 'x' };
    const bytes = CreateDropResponse.encode({ drop, created: false }).finish();
    service.answer = (_method, call) => (call === 1 ? UNAVAILABLE_ANSWER : { bytes });
    const posted = await store.post({ userId: 'ben', visibility: 'public', text: 'x' });
    expect(posted).toMatchObject({ created: true, drop: { id: 'd' } });
    expect(service.calls).toEqual(['CreateDrop', 'CreateDrop']);
  });

  it('a follow whose reply was lost is reported as changed', async () => {
    const bytes = FollowResponse.encode({ changed: false }).finish();
    service.answer = (_method, call) => (call === 1 ? UNAVAILABLE_ANSWER : { bytes });
    expect(await store.follow('ann', 'ben')).toBe(true);
    expect(await store.follow('ann', 'ben')).toBe(false);
  });
});

describe('a token', () => {
  it('is sent, and never part of an error', async () => {
    await store.getFollowingList('ann');
    expect(service.last()?.get('authorization')).toEqual(['Bearer secret-token']);
    service.answer = () => ({ status: status.UNAUTHENTICATED, details: 'no' });
    const refused = await store.getFollowingList('ann').catch((error: unknown) => error);
    expect(refused).toMatchObject(unavailable('refused'));
    expect(String(refused)).not.toContain('secret-token');
  });
});
