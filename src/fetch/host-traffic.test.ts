import { describe, expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { HostThrottle, type TrafficPolicy } from './host-traffic.ts';

const policy: TrafficPolicy = {
  perHost: 2,
  spacingMs: 1000,
  breakerFailures: 3,
  breakerMs: 10_000,
  breakerMaxMs: 40_000,
};

function setUp(changes: Partial<TrafficPolicy> = {}): { clock: ManualClock; traffic: HostThrottle } {
  const clock = new ManualClock();
  return { clock, traffic: new HostThrottle(clock, { ...policy, ...changes }, () => 0) };
}

describe('HostTraffic', () => {
  it('X5 spaces the starts of requests to a host, and other hosts do not wait', async () => {
    const { clock, traffic } = setUp({ perHost: 10 });
    const starts: string[] = [];
    const start = async (host: string): Promise<void> => {
      await traffic.enter(host);
      starts.push(`${host} ${clock.monotonic()}`);
    };
    const all = [start('a'), start('a'), start('a'), start('b')];
    await clock.advance(5000);
    await Promise.all(all);
    expect(starts.toSorted()).toEqual(['a 0', 'a 1000', 'a 2000', 'b 0']);
  });

  it('X5 limits concurrency, in the order of arrival', async () => {
    const { clock, traffic } = setUp({ spacingMs: 0 });
    const inside: number[] = [];
    const all = [1, 2, 3, 4].map(async (n) => {
      await traffic.enter('a');
      inside.push(n);
    });
    await clock.advance(0);
    expect(inside).toEqual([1, 2]);
    traffic.leave('a', 'fine');
    await clock.advance(0);
    expect(inside).toEqual([1, 2, 3]);
    traffic.leave('a', 'failed');
    await Promise.all(all);
    expect(inside).toEqual([1, 2, 3, 4]);
  });

  it('X5 a request that is aborted in the queue takes no slot', async () => {
    const { traffic } = setUp({ perHost: 1, spacingMs: 0 });
    await traffic.enter('a');
    const giveUp = new AbortController();
    const second = traffic.enter('a', giveUp.signal);
    const third = traffic.enter('a');
    giveUp.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    traffic.leave('a', 'fine');
    expect(await third).toEqual({ granted: true });
  });

  it('X5 a request that is aborted while waiting for the spacing releases its slot', async () => {
    const { clock, traffic } = setUp({ perHost: 1 });
    await traffic.enter('a');
    traffic.leave('a', 'fine');
    const giveUp = new AbortController();
    const second = traffic.enter('a', giveUp.signal);
    await clock.advance(10);
    giveUp.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    const third = traffic.enter('a');
    await clock.advance(3000);
    expect(await third).toEqual({ granted: true });
  });

  it('X5 suspends a host after a rate limit, also for requests already in the queue', async () => {
    const { clock, traffic } = setUp({ perHost: 1, spacingMs: 0 });
    await traffic.enter('a');
    const waiting = traffic.enter('a');
    traffic.suspend('a', 60_000);
    traffic.leave('a', 'fine');
    expect(await waiting).toEqual({ granted: false, why: 'asked_to_wait', until: 60_000 });
    expect(await traffic.enter('b')).toEqual({ granted: true });
    await clock.advance(60_000);
    expect(await traffic.enter('a')).toEqual({ granted: true });
  });

  it('X5 a breaker opens after consecutive failures, allows one probe, and stays open longer each time', async () => {
    const { clock, traffic } = setUp({ spacingMs: 0 });
    const tryIt = async (result: 'fine' | 'failed' | 'unknown'): Promise<boolean> => {
      const admission = await traffic.enter('a');
      if (admission.granted) traffic.leave('a', result);
      return admission.granted;
    };
    expect([
      await tryIt('failed'),
      await tryIt('fine'),
      await tryIt('failed'),
      await tryIt('failed'),
    ]).toEqual([true, true, true, true]);
    expect(await tryIt('failed')).toBe(true);
    expect(await tryIt('failed')).toBe(false);
    await clock.advance(5000);
    const probe = traffic.enter('a');
    expect(await probe).toEqual({ granted: true });
    expect(await traffic.enter('a')).toMatchObject({ granted: false, why: 'keeps_failing' });
    traffic.leave('a', 'failed');
    await clock.advance(5000);
    expect(await tryIt('fine')).toBe(false);
    await clock.advance(5000);
    // Our own network was down: the probe is inconclusive.
    expect(await tryIt('unknown')).toBe(true);
    expect(await tryIt('fine')).toBe(true);
    expect(await tryIt('fine')).toBe(true);
  });

  it('X5 each host has a breaker of its own, also while another is half-open', async () => {
    const { clock, traffic } = setUp({ spacingMs: 0 });
    const fail = async (host: string): Promise<void> => {
      await traffic.enter(host);
      traffic.leave(host, 'failed');
    };
    for (let n = 0; n < 3; n++) await fail('broken');
    await fail('shaky');
    await fail('shaky');
    expect(await traffic.enter('broken')).toMatchObject({ granted: false, why: 'keeps_failing' });
    expect(await traffic.enter('shaky')).toEqual({ granted: true });
    await clock.advance(10_000);
    expect(await traffic.enter('broken')).toEqual({ granted: true });
    expect(await traffic.enter('broken')).toMatchObject({ granted: false, why: 'keeps_failing' });
    traffic.leave('shaky', 'fine');
    expect(await traffic.enter('broken')).toMatchObject({ granted: false, why: 'keeps_failing' });
    await fail('shaky');
    expect(await traffic.enter('shaky')).toEqual({ granted: true });
  });

  it('evicts idle hosts and keeps suspended ones', async () => {
    const { traffic } = setUp({ spacingMs: 0 });
    traffic.suspend('tired', 1000);
    for (let n = 0; n < 5000; n++) {
      await traffic.enter(`host-${n}`);
      traffic.leave(`host-${n}`, 'fine');
    }
    expect(await traffic.enter('tired')).toMatchObject({ granted: false });
  });
});
