import { describe, expect, it } from 'vitest';
import type { LedgerCounts } from '../../../ledger/ledger.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { CountsCache, type CountsTtl } from './list.ts';

function counting(countsFor?: CountsTtl) {
  const clock = new ManualClock();
  const remembered = new CountsCache(clock, countsFor);
  let counted = 0;
  const ask = async (): Promise<number> =>
    (await remembered.get(async () => ({ leased: ++counted }) as LedgerCounts)).leased;
  return { clock, remembered, ask };
}

describe('the last count of a ledger', () => {
  it('A19 is cached for minutes where nothing changed, for seconds where this process changed something', async () => {
    const { clock, remembered, ask } = counting({ changed: 30_000, unchanged: 600_000 });
    expect(await ask()).toBe(1);
    await clock.advance(599_999);
    expect(await ask()).toBe(1);
    await remembered.invalidateAfter(Promise.resolve());
    expect(await ask()).toBe(2);
    await clock.advance(29_999);
    await expect(remembered.invalidateAfter(Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await ask()).toBe(2);
    await clock.advance(1);
    expect(await ask()).toBe(3);
    await clock.advance(30_000);
    expect(await ask()).toBe(3);
  });

  it('is not cached by default', async () => {
    const { ask } = counting();
    expect([await ask(), await ask()]).toEqual([1, 2]);
  });
});
