import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteLeaseStore } from '../storage/sqlite/lease-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { Lease, LeaseStore } from './lease.ts';
import { runWhileLeader } from './lease.ts';

/** Copies that share one store and one time; each says when it acts. */
function copies() {
  const clock = new ManualClock();
  const store = new SqliteLeaseStore(':memory:', clock);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const acting = new Map<string, Lease>();
  const begin = (owner: string, leases: LeaseStore = store) => {
    const stop = new AbortController();
    let turns = 0;
    const parts = {
      leases,
      clock,
      name: 'scheduler',
      owner,
      log: silentLogger,
      onTurn: () => void turns++,
    };
    const loop = runWhileLeader(parts, stop.signal, async (lease, signal) => {
      acting.set(owner, lease);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      acting.delete(owner);
    });
    return {
      turns: () => turns,
      end: async () => {
        stop.abort();
        await loop;
      },
    };
  };
  return { clock, store, acting, begin, who: () => [...acting.keys()] };
}

/** A store that can be cut off, as a network does it. */
function cuttable(store: LeaseStore) {
  const state = { cut: false };
  const trouble = new Error('unavailable');
  const through =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (state.cut) throw trouble;
      return call(...args);
    };
  const leases: LeaseStore = {
    timing: store.timing,
    acquire: through(store.acquire.bind(store)),
    renew: through(store.renew.bind(store)),
    release: through(store.release.bind(store)),
    holder: store.holder.bind(store),
    async [Symbol.asyncDispose]() {},
  };
  return { leases, state };
}

describe('acting while leased', () => {
  it('C24 one copy acts, and hands over at once when it stops', async () => {
    const { clock, begin, who } = copies();
    const a = begin('a');
    const b = begin('b');
    await clock.advance(60_000);
    expect(who()).toEqual(['a']);
    await a.end();
    expect(who()).toEqual([]);
    await clock.advance(5_000);
    expect(who()).toEqual(['b']);
    await b.end();
  });

  it('C24 X21 a copy that is cut off stops acting before another begins, which is within the lease’s time', async () => {
    const { clock, store, begin, who, acting } = copies();
    const { leases, state } = cuttable(store);
    const a = begin('a', leases);
    const b = begin('b');
    await clock.advance(1);
    const first = acting.get('a')?.token ?? 0;
    state.cut = true;
    for (let second = 0; second < 45; second++) {
      await clock.advance(1_000);
      expect(who().length).toBeLessThanOrEqual(1);
    }
    expect(who()).toEqual(['b']);
    expect(acting.get('b')?.token).toBeGreaterThan(first);
    state.cut = false;
    await clock.advance(60_000);
    expect(who()).toEqual(['b']);
    expect(a.turns()).toBeGreaterThan(5);
    await b.end();
    await clock.advance(5_000);
    expect(who()).toEqual(['a']);
    await a.end();
  });

  it('A16 an error that stops the program ends the loop', async () => {
    const { begin, store } = copies();
    const { leases } = cuttable(store);
    const broken = {
      ...leases,
      acquire: () => Promise.reject(Object.assign(new Error('no permission'), { stops: 'program' })),
    };
    const copy = begin('a', broken);
    await expect(copy.end()).rejects.toThrow('no permission');
  });
});
