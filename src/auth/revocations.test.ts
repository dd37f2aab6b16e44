import { describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { type RevocationList, Revocations } from './revocations.ts';

it('a revocation calls every listener once, except unsubscribed ones', async () => {
  const revocations = new Revocations({ clock: new ManualClock() });
  const calls: string[] = [];
  revocations.onRevoked('a', () => calls.push('first'));
  revocations.onRevoked('a', () => calls.push('second'));
  revocations.onRevoked('a', () => calls.push('unsubscribed'))();
  revocations.onRevoked('b', () => calls.push('other'));
  revocations.notifyRevoked('a');
  revocations.notifyRevoked('a');
  expect(calls).toEqual(['first', 'second']);
  expect(revocations.listenerCount).toBe(1);
  await revocations[Symbol.asyncDispose]();
});

it('a revocation in another replica is found by polling, and an unavailable store revokes nothing', async () => {
  const clock = new ManualClock();
  let answer = async (): Promise<boolean> => Promise.reject(new Error('unavailable'));
  const revocations = new Revocations({ clock, isValid: () => answer() });
  let calls = 0;
  revocations.onRevoked('a', () => {
    calls += 1;
  });
  await clock.advance(MINUTE);
  expect(calls).toBe(0);
  answer = async () => false;
  await clock.advance(MINUTE);
  await expect.poll(() => calls).toBe(1);
  await revocations[Symbol.asyncDispose]();
});

describe('with a list that replicas share', () => {
  /** Two replicas and their shared list. */
  function replicas() {
    const clock = new ManualClock();
    const list = new Map<string, number>();
    const state = { isUnavailable: false };
    const shared: RevocationList = {
      exchange: async (ids, since) => {
        if (state.isUnavailable) throw new Error('unavailable');
        for (const id of ids) if (!list.has(id)) list.set(id, clock.now());
        const added = [...list].filter(([, at]) => at >= since).map(([id, at]) => ({ id, at }));
        return { size: list.size, added };
      },
    };
    const make = () => {
      const revocations = new Revocations({ clock, shared, isShareable: (id) => id !== 'session' });
      onTestFinished(() => revocations[Symbol.asyncDispose]());
      return revocations;
    };
    return { clock, list, state, make };
  }

  it('C23 a revocation reaches every replica within five seconds, and stays known', async () => {
    const { clock, make } = replicas();
    const [one, other] = [make(), make()];
    const calls: string[] = [];
    other.onRevoked('a', () => calls.push('a'));
    other.onRevoked('session', () => calls.push('session'));
    expect(await other.isRevoked('a')).toBe(false);
    one.notifyRevoked('a');
    one.notifyRevoked('session');
    await clock.advance(5 * SECOND);
    await expect.poll(() => calls).toEqual(['a']);
    expect(await other.isRevoked('a')).toBe(true);
    expect(await make().isRevoked('a')).toBe(true);
  });

  it('C23 a list that was unavailable or lost is filled again by the replicas', async () => {
    const { clock, list, state, make } = replicas();
    const one = make();
    await one.isRevoked('a');
    state.isUnavailable = true;
    one.notifyRevoked('a');
    await clock.advance(5 * SECOND);
    expect(list.size).toBe(0);
    expect(await one.isRevoked('a')).toBe(true);
    await expect(make().isRevoked('a')).rejects.toThrow('unavailable');
    state.isUnavailable = false;
    await clock.advance(5 * SECOND);
    await expect.poll(() => [...list.keys()]).toEqual(['a']);
    list.clear();
    await clock.advance(5 * SECOND);
    await expect.poll(() => [...list.keys()]).toEqual(['a']);
  });

  it('C23 a revocation is sent before the process ends', async () => {
    const { list, make } = replicas();
    const brief = make();
    brief.notifyRevoked('a');
    await brief[Symbol.asyncDispose]();
    expect([...list.keys()]).toEqual(['a']);
  });
});
