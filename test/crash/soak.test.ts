import { describe, expect, it } from 'vitest';
import { planOf } from './plan.ts';
import { soak } from './soak.ts';

/** Another mix: `CRASH_SEED=7 npx vitest run test/crash`. */
const seed = Number(process.env.CRASH_SEED ?? 1);
/** The same on every machine; a slow one plays fewer of them. */
const RUNS = 120;
const LIMIT = 25_000;

describe('crashes, lost replies, silence, limits, wrong clocks and stopped workers together', () => {
  it('X2 X18 X21 D7 D8 nothing is posted twice and nothing is lost', { timeout: 180_000 }, async () => {
    const violations: string[] = [];
    const report = await soak({
      seed,
      runs: RUNS,
      limitMs: LIMIT,
      onViolation: (words) => violations.push(words),
    });
    expect(violations).toEqual([]);
    expect(report).toMatchObject({ twice: 0, lost: 0, odd: 0 });
    expect(report.items).toBeGreaterThan(0);
    expect([...report.parked.keys()]).not.toContain('');
  });

  it('X2 the same seed gives the same plans', () => {
    expect(planOf(3, 14)).toEqual(planOf(3, 14));
    expect(planOf(3, 14)).not.toEqual(planOf(3, 15));
  });
});
