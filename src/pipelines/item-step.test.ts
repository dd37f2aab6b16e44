import { describe, expect, it } from 'vitest';
import { LEASE_MS, POLICY, present, sighting } from '../ledger/contract/subject.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ClaimLostError, whileClaimed } from './item-step.ts';

async function setup() {
  const clock = new ManualClock();
  const { ledger } = openMemoryLedger({ clock, policy: POLICY });
  await ledger.admit([sighting('a')], {});
  const claim = present(await ledger.claimNext({ owner: 'me', leaseMs: LEASE_MS }));
  const fault = { error: null as Error | null, silent: false };
  const renew: Ledger['renew'] = async (claim, leaseMs) => {
    if (fault.silent) return new Promise(() => {});
    if (fault.error !== null) throw fault.error;
    return ledger.renew(claim, leaseMs);
  };
  const reported: string[] = [];
  const deps = {
    pipeline: 'p',
    clock,
    leaseMs: LEASE_MS,
    ledger: Object.assign(Object.create(ledger) as Ledger, { renew }),
    events: {
      loopFailed: ({ loop, detail }: { loop: string; detail: string }) => reported.push(`${loop}: ${detail}`),
    },
  };
  const work = (ms: number) =>
    whileClaimed(claim, deps, new AbortController().signal, async (signal) =>
      clock.sleep(ms, signal).then(
        () => 'done',
        () => `stopped: ${String(signal.reason)}`,
      ),
    );
  return { clock, ledger, reported, fault, work };
}

describe('working on a claimed item', () => {
  it('D8 a slow worker keeps its lease, also across a short outage of the store', async () => {
    const { clock, reported, fault, work } = await setup();
    const working = work(3 * LEASE_MS);
    await clock.advance(LEASE_MS);
    fault.error = new Error('the store is away');
    await clock.advance(LEASE_MS / 2);
    expect(new Set(reported)).toEqual(new Set(['lease: the store is away']));
    fault.error = null;
    await clock.advance(2 * LEASE_MS);
    const { result, claim } = await working;
    expect(result).toBe('done');
    expect(claim?.until).toBeGreaterThan(clock.now());
  });

  it('D8 a renewal that hangs is retried before the lease expires', async () => {
    const { clock, reported, fault, work } = await setup();
    const working = work(3 * LEASE_MS);
    fault.silent = true;
    await clock.advance(LEASE_MS / 2);
    expect(reported).toEqual(['lease: the store does not answer']);
    fault.silent = false;
    await clock.advance(3 * LEASE_MS);
    const { result, claim } = await working;
    expect(result).toBe('done');
    expect(claim?.until).toBeGreaterThan(clock.now() - LEASE_MS);
  });

  it('X21 a worker that could not renew before its lease expired stops without a claim', async () => {
    const { clock, fault, work } = await setup();
    fault.error = new Error('the store is away');
    const working = work(3 * LEASE_MS);
    await clock.advance(2 * LEASE_MS);
    const { result, claim } = await working;
    expect(result).toBe(`stopped: ${String(new ClaimLostError())}`);
    expect(claim).toBeNull();
  });

  it('A16 a fatal error stops the work', async () => {
    const { clock, fault, work } = await setup();
    fault.error = Object.assign(new Error('the role is missing'), { stops: 'program' });
    const working = work(3 * LEASE_MS);
    working.catch(() => {});
    await clock.advance(LEASE_MS);
    await expect(working).rejects.toThrow('the role is missing');
  });
});
