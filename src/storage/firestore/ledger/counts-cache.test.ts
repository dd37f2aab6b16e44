import { describe, expect, it } from 'vitest';
import type { LedgerCounts } from '../../../ledger/ledger.ts';
import { ManualClock } from '../../../time/manual-clock.ts';
import { CountsCache, type CountsTtl } from './list.ts';

function counting(countsFor?: CountsTtl) {
  const clock = new ManualClock();
  const cache = new CountsCache(clock, countsFor);
  let counted = 0;
  const count = async (): Promise<number> =>
    (await cache.get(async () => ({ leased: ++counted }) as LedgerCounts)).leased;
  return { clock, cache, count };
}

describe('the last count of a ledger', () => {
  it('A19 is cached for minutes where nothing changed, for seconds where this process changed something', async () => {
    const { clock, cache, count } = counting({ changed: 30_000, unchanged: 600_000 });
    expect(await count()).toBe(1);
    await clock.advance(599_999);
    expect(await count()).toBe(1);
    await cache.invalidateAfter(Promise.resolve());
    expect(await count()).toBe(2);
    await clock.advance(29_999);
    await expect(cache.invalidateAfter(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await count()).toBe(2);
    await clock.advance(1);
    expect(await count()).toBe(3);
    await clock.advance(30_000);
    expect(await count()).toBe(3);
  });

  it('is not cached by default', async () => {
    const { count } = counting();
    expect([await count(), await count()]).toEqual([1, 2]);
  });
});
