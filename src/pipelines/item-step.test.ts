import { describe, expect, it } from 'vitest';
import { LEASE_MS, POLICY, present, sighting } from '../ledger/contract/subject.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ClaimLostError, whileClaimed } from './item-step.ts';

async function room() {
  const clock = new ManualClock();
  const { ledger } = openMemoryLedger({ clock, policy: POLICY });
  await ledger.admit([sighting('a')], {});
  const claim = present(await ledger.claimNext({ owner: 'me', leaseMs: LEASE_MS }));
  const trouble = { error: null as Error | null, silent: false };
  const renew: Ledger['renew'] = async (held, leaseMs) => {
    if (trouble.silent) return new Promise(() => {});
    if (trouble.error !== null) throw trouble.error;
    return ledger.renew(held, leaseMs);
  };
  const told: string[] = [];
  const parts = {
    pipeline: 'p',
    clock,
    leaseMs: LEASE_MS,
    ledger: Object.assign(Object.create(ledger) as Ledger, { renew }),
    events: {
      loopFailed: ({ loop, detail }: { loop: string; detail: string }) => told.push(`${loop}: ${detail}`),
    },
  };
  const work = (ms: number) =>
    whileClaimed(claim, parts, new AbortController().signal, async (signal) =>
      clock.sleep(ms, signal).then(
        () => 'done',
        () => `stopped: ${String(signal.reason)}`,
      ),
    );
  return { clock, ledger, told, trouble, work };
}

describe('holding an item while working on it', () => {
  it('D8 a slow but living worker keeps its lease, also when the store is away for a moment', async () => {
    const { clock, told, trouble, work } = await room();
    const working = work(3 * LEASE_MS);
    await clock.advance(LEASE_MS);
    trouble.error = new Error('the store is away');
    await clock.advance(LEASE_MS / 2);
    expect(new Set(told)).toEqual(new Set(['lease: the store is away']));
    trouble.error = null;
    await clock.advance(2 * LEASE_MS);
    const { result, claim } = await working;
    expect(result).toBe('done');
    expect(claim?.until).toBeGreaterThan(clock.now());
  });

  it('D8 a renewal to which the store gives no answer is tried again before the lease ends', async () => {
    const { clock, told, trouble, work } = await room();
    const working = work(3 * LEASE_MS);
    trouble.silent = true;
    await clock.advance(LEASE_MS / 2);
    expect(told).toEqual(['lease: the store gives no answer']);
    trouble.silent = false;
    await clock.advance(3 * LEASE_MS);
    const { result, claim } = await working;
    expect(result).toBe('done');
    expect(claim?.until).toBeGreaterThan(clock.now() - LEASE_MS);
  });

  it('X21 a worker that could not renew until its lease ran out stops, and holds nothing', async () => {
    const { clock, trouble, work } = await room();
    trouble.error = new Error('the store is away');
    const working = work(3 * LEASE_MS);
    await clock.advance(2 * LEASE_MS);
    const { result, claim } = await working;
    expect(result).toBe(`stopped: ${String(new ClaimLostError())}`);
    expect(claim).toBeNull();
  });

  it('A16 an error that stops the program stops the work too', async () => {
    const { clock, trouble, work } = await room();
    trouble.error = Object.assign(new Error('the role is missing'), { stops: 'program' });
    const working = work(3 * LEASE_MS);
    working.catch(() => {});
    await clock.advance(LEASE_MS);
    await expect(working).rejects.toThrow('the role is missing');
  });
});
