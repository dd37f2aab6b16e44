import { describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { type RevocationList, Revocations } from './revocations.ts';

it('a revocation is heard once by everybody who watches, and by nobody who stopped', async () => {
  const revocations = new Revocations({ clock: new ManualClock() });
  const heard: string[] = [];
  revocations.onRevoked('a', () => heard.push('first'));
  revocations.onRevoked('a', () => heard.push('second'));
  revocations.onRevoked('a', () => heard.push('gone'))();
  revocations.onRevoked('b', () => heard.push('other'));
  revocations.notifyRevoked('a');
  revocations.notifyRevoked('a');
  expect(heard).toEqual(['first', 'second']);
  expect(revocations.listenerCount).toBe(1);
  await revocations[Symbol.asyncDispose]();
});

it('a revocation in another replica is found out, and a store that is away ends nobody', async () => {
  const clock = new ManualClock();
  let answer = async (): Promise<boolean> => Promise.reject(new Error('away'));
  const revocations = new Revocations({ clock, isValid: () => answer() });
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

describe('with a list that replicas share', () => {
  /** Two replicas and their shared list. */
  function replicas() {
    const clock = new ManualClock();
    const list = new Map<string, number>();
    const state = { isAway: false };
    const shared: RevocationList = {
      exchange: async (ids, since) => {
        if (state.isAway) throw new Error('away');
        for (const id of ids) if (!list.has(id)) list.set(id, clock.now());
        const news = [...list].filter(([, at]) => at >= since).map(([id, at]) => ({ id, at }));
        return { size: list.size, added: news };
      },
    };
    const make = () => {
      const revocations = new Revocations({ clock, shared, isShareable: (id) => id !== 'session' });
      onTestFinished(() => revocations[Symbol.asyncDispose]());
      return revocations;
    };
    return { clock, list, state, make };
  }

  it('C23 a revocation is heard by every replica within five seconds, and known from then on', async () => {
    const { clock, make } = replicas();
    const [one, other] = [make(), make()];
    const heard: string[] = [];
    other.onRevoked('a', () => heard.push('a'));
    other.onRevoked('session', () => heard.push('session'));
    expect(await other.isRevoked('a')).toBe(false);
    one.notifyRevoked('a');
    one.notifyRevoked('session');
    await clock.advance(5 * SECOND);
    await expect.poll(() => heard).toEqual(['a']);
    expect(await other.isRevoked('a')).toBe(true);
    expect(await make().isRevoked('a')).toBe(true);
  });

  it('C23 a list that was away or lost is filled again by those who know', async () => {
    const { clock, list, state, make } = replicas();
    const one = make();
    await one.isRevoked('a');
    state.isAway = true;
    one.notifyRevoked('a');
    await clock.advance(5 * SECOND);
    expect(list.size).toBe(0);
    expect(await one.isRevoked('a')).toBe(true);
    await expect(make().isRevoked('a')).rejects.toThrow('away');
    state.isAway = false;
    await clock.advance(5 * SECOND);
    await expect.poll(() => [...list.keys()]).toEqual(['a']);
    list.clear();
    await clock.advance(5 * SECOND);
    await expect.poll(() => [...list.keys()]).toEqual(['a']);
  });

  it('C23 a program that ends at once has said what it revoked', async () => {
    const { list, make } = replicas();
    const brief = make();
    brief.notifyRevoked('a');
    await brief[Symbol.asyncDispose]();
    expect([...list.keys()]).toEqual(['a']);
  });
});
