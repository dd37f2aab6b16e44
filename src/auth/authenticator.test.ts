import { expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { createCachingAuthenticator } from './authenticator.ts';
import type { Authentication, Identity } from './identity.ts';
import { Revocations } from './revocations.ts';

function stage(most?: number) {
  const clock = new ManualClock();
  const revocations = new Revocations({ clock });
  const asked: string[] = [];
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
        asked.push(authorization ?? 'nothing');
        return answer(authorization);
      },
    },
    { clock, revocations, ttlMs: 2000, ...(most === undefined ? {} : { maxEntries: most }) },
  );
  const ask = (authorization?: string) => authenticator.authenticate({ authorization });
  return { clock, revocations, asked, ask };
}

it('a token is looked at once in a while, and anything else every time', async () => {
  const { clock, asked, ask } = stage();
  const first = await ask('ann');
  expect(await ask('ann')).toEqual(first);
  await ask('bad');
  await ask('bad');
  await ask();
  expect(asked).toEqual(['ann', 'bad', 'bad', 'nothing']);
  await clock.advance(2000);
  await ask('ann');
  expect(asked).toHaveLength(5);
});

it('a token that expires meanwhile no longer counts', async () => {
  const { clock, asked, ask } = stage();
  await ask('ann');
  clock.jump(3000);
  await ask('ann');
  expect(asked).toEqual(['ann', 'ann']);
});

it('a revoked token is forgotten at once', async () => {
  const { revocations, asked, ask } = stage();
  await ask('ann');
  revocations.notifyRevoked('ann');
  await ask('ann');
  expect(asked).toEqual(['ann', 'ann']);
});

it('so many are remembered and no more, and nobody is watched for nothing', async () => {
  const { revocations, asked, ask } = stage(2);
  for (const name of ['a', 'b', 'c']) await ask(name);
  expect(revocations.listenerCount).toBe(2);
  await ask('c');
  await ask('a');
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
