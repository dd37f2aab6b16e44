import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';
import { CircuitBreaker, jitteredBackoff } from './retry.ts';

const policy = { baseMs: 1000, capMs: 60_000 };

describe('jitteredBackoff', () => {
  it('X5 doubles up to the cap, half of it by chance', () => {
    expect([0, 1, 2, 3, 7, 50].map((failures) => jitteredBackoff(failures, policy, 0))).toEqual([
      0, 500, 1000, 2000, 30_000, 30_000,
    ]);
    expect([1, 2, 3].map((failures) => jitteredBackoff(failures, policy, 0.5))).toEqual([750, 1500, 3000]);
  });

  it('X5 never passes the cap and never shrinks with more failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, random) => {
          const wait = jitteredBackoff(n, policy, random);
          expect(wait).toBeLessThanOrEqual(policy.capMs);
          expect(jitteredBackoff(n + 1, policy, random)).toBeGreaterThanOrEqual(wait);
        },
      ),
    );
  });
});

describe('CircuitBreaker', () => {
  it('X5 opens after failures in a row, lets one probe through, and waits longer when the probe fails', async () => {
    const clock = new ManualClock();
    const breaker = new CircuitBreaker(
      clock,
      { breakerFailures: 3, breakerMs: 10_000, breakerMaxMs: 60_000 },
      () => 0.999_999,
    );
    const fail = (): void => {
      expect(breaker.admit().admitted).toBe(true);
      breaker.failed();
    };
    for (let n = 0; n < 2; n++) fail();
    breaker.succeeded();
    for (let n = 0; n < 3; n++) fail();
    expect(breaker.admit()).toEqual({ admitted: false, until: clock.monotonic() + 10_000 });

    await clock.advance(10_000);
    expect(breaker.admit().admitted).toBe(true);
    expect(breaker.admit().admitted, 'one probe at a time').toBe(false);
    breaker.abandoned();
    expect(breaker.check().admitted).toBe(true);
    fail();
    expect(breaker.openUntil).toBe(clock.monotonic() + 20_000);

    await clock.advance(20_000);
    expect(breaker.admit().admitted).toBe(true);
    breaker.succeeded();
    expect(breaker.admit()).toEqual({ admitted: true });
    expect(breaker.admit()).toEqual({ admitted: true });
  });
});
