import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOff } from './back-off.ts';

const policy = { baseMs: 1000, capMs: 60_000 };

describe('backOff', () => {
  it('X5 doubles up to the cap, half of it by chance', () => {
    expect([0, 1, 2, 3, 7, 50].map((failures) => backOff(failures, policy, 0))).toEqual([
      0, 500, 1000, 2000, 30_000, 30_000,
    ]);
    expect([1, 2, 3].map((failures) => backOff(failures, policy, 0.5))).toEqual([750, 1500, 3000]);
  });

  it('X5 never passes the cap and never shrinks with more failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, random) => {
          const wait = backOff(n, policy, random);
          expect(wait).toBeLessThanOrEqual(policy.capMs);
          expect(backOff(n + 1, policy, random)).toBeGreaterThanOrEqual(wait);
        },
      ),
    );
  });
});
