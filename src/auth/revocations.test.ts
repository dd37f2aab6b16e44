import { expect, it } from 'vitest';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { Revocations } from './revocations.ts';

it('a revocation is heard once by everybody who watches, and by nobody who stopped', async () => {
  const revocations = new Revocations({ clock: new ManualClock() });
  const heard: string[] = [];
  revocations.onRevoked('a', () => heard.push('first'));
  revocations.onRevoked('a', () => heard.push('second'));
  revocations.onRevoked('a', () => heard.push('gone'))();
  revocations.onRevoked('b', () => heard.push('other'));
  revocations.revoked('a');
  revocations.revoked('a');
  expect(heard).toEqual(['first', 'second']);
  expect(revocations.watched).toBe(1);
  await revocations[Symbol.asyncDispose]();
});

it('a revocation in another copy is found out, and a store that is away ends nobody', async () => {
  const clock = new ManualClock();
  let answer = async (): Promise<boolean> => Promise.reject(new Error('away'));
  const revocations = new Revocations({ clock, stillCounts: () => answer() });
  let heard = 0;
  revocations.onRevoked('a', () => {
    heard += 1;
  });
  await clock.advance(MINUTE);
  expect(heard).toBe(0);
  answer = async () => false;
  await clock.advance(MINUTE);
  await expect.poll(() => heard).toBe(1);
  await revocations[Symbol.asyncDispose]();
});
