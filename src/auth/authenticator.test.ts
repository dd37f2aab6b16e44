import { expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { createCachingAuthenticator } from './authenticator.ts';
import type { Authentication, Identity } from './identity.ts';
import { Revocations } from './revocations.ts';

function setUp(maxEntries?: number) {
  const clock = new ManualClock();
  const revocations = new Revocations({ clock });
  const lookups: string[] = [];
  const answer = (authorization = ''): Authentication => {
    if (authorization === 'bad') return { kind: 'refused', by: 'token', why: 'unknown', detail: 'no' };
    const identity: Identity = {
      userId: authorization,
      name: authorization,
      role: 'reader',
      scopes: new Set(['read']),
      expiresAt: clock.now() + 3000,
      credential: 'token',
      id: authorization,
    };
    return { kind: 'known', identity };
  };
  const authenticator = createCachingAuthenticator(
    {
      async authenticate({ authorization }) {
        lookups.push(authorization ?? 'nothing');
        return answer(authorization);
      },
    },
    { clock, revocations, ttlMs: 2000, ...(maxEntries !== undefined && { maxEntries }) },
  );
  const authenticate = (authorization?: string) => authenticator.authenticate({ authorization });
  return { clock, revocations, lookups, authenticate };
}

it('caches the identity of a token, and nothing else', async () => {
  const { clock, lookups, authenticate } = setUp();
  const first = await authenticate('ann');
  expect(await authenticate('ann')).toEqual(first);
  await authenticate('bad');
  await authenticate('bad');
  await authenticate();
  expect(lookups).toEqual(['ann', 'bad', 'bad', 'nothing']);
  await clock.advance(2000);
  await authenticate('ann');
  expect(lookups).toHaveLength(5);
});

it('does not serve an expired token from the cache', async () => {
  const { clock, lookups, authenticate } = setUp();
  await authenticate('ann');
  clock.jump(3000);
  await authenticate('ann');
  expect(lookups).toEqual(['ann', 'ann']);
});

it('evicts a revoked token at once', async () => {
  const { revocations, lookups, authenticate } = setUp();
  await authenticate('ann');
  revocations.notifyRevoked('ann');
  await authenticate('ann');
  expect(lookups).toEqual(['ann', 'ann']);
});

it('evicts the oldest tokens beyond the limit, with their listeners', async () => {
  const { revocations, lookups, authenticate } = setUp(2);
  for (const name of ['a', 'b', 'c']) await authenticate(name);
  expect(revocations.listenerCount).toBe(2);
  await authenticate('c');
  await authenticate('a');
  expect(lookups).toEqual(['a', 'b', 'c', 'a']);
});
