import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteLeaseStore } from '../storage/sqlite/lease-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { Lease, LeaseStore } from './lease.ts';
import { runWhileLeader } from './lease.ts';

/** Replicas that share one store and one clock; each records when it is the leader. */
function replicas() {
  const clock = new ManualClock();
  const store = new SqliteLeaseStore(':memory:', clock);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const leaders = new Map<string, Lease>();
  const begin = (owner: string, leases: LeaseStore = store) => {
    const stop = new AbortController();
    let iterations = 0;
    const deps = {
      leases,
      clock,
      name: 'scheduler',
      owner,
      log: silentLogger,
      onIteration: () => void iterations++,
    };
    const loop = runWhileLeader(deps, stop.signal, async (lease, signal) => {
      leaders.set(owner, lease);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      leaders.delete(owner);
    });
    return {
      iterations: () => iterations,
      end: async () => {
        stop.abort();
        await loop;
      },
    };
  };
  return { clock, store, leaders, begin, who: () => [...leaders.keys()] };
}

/** A store with a simulated network partition. */
function cuttable(store: LeaseStore) {
  const state = { cut: false };
  const failure = new Error('unavailable');
  const through =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (state.cut) throw failure;
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

describe('running as the leader', () => {
  it('C24 one replica is the leader, and hands over at once when it stops', async () => {
    const { clock, begin, who } = replicas();
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

  it('C24 X21 a partitioned leader stops before another begins, within the time of a lease', async () => {
    const { clock, store, begin, who, leaders } = replicas();
    const { leases, state } = cuttable(store);
    const a = begin('a', leases);
    const b = begin('b');
    await clock.advance(1);
    const first = leaders.get('a')?.token ?? 0;
    state.cut = true;
    for (let second = 0; second < 45; second++) {
      await clock.advance(1_000);
      expect(who().length).toBeLessThanOrEqual(1);
    }
    expect(who()).toEqual(['b']);
    expect(leaders.get('b')?.token).toBeGreaterThan(first);
    state.cut = false;
    await clock.advance(60_000);
    expect(who()).toEqual(['b']);
    expect(a.iterations()).toBeGreaterThan(5);
    await b.end();
    await clock.advance(5_000);
    expect(who()).toEqual(['a']);
    await a.end();
  });

  it('A16 an error that stops the program ends the loop', async () => {
    const { begin, store } = replicas();
    const { leases } = cuttable(store);
    const broken = {
      ...leases,
      acquire: () => Promise.reject(Object.assign(new Error('no permission'), { stops: 'program' })),
    };
    const replica = begin('a', broken);
    await expect(replica.end()).rejects.toThrow('no permission');
  });
});
