import { describe, expect, it, vi } from 'vitest';
import { ndcg, replay } from './simulated-readers.ts';

vi.setConfig({ testTimeout: 240_000 });

describe('the replay of simulated readers', () => {
  it('Q20 ranks lists and verdicts better after 30 days of reactions, in both languages', async () => {
    for (const language of ['en', 'ja'] as const) {
      const { list, verdicts, firstDay } = await replay({ language, readers: 2, seed: 7 });
      expect(list.learned, language).toBeGreaterThan(list.untrained + 0.1);
      expect(verdicts.learned, language).toBeGreaterThan(verdicts.untrained + 0.05);
      // Before the first reaction nothing differs.
      expect(firstDay.learned).toBe(firstDay.untrained);
    }
  });

  it('is the same for the same seed, and measures an ideal order as 1', async () => {
    const once = await replay({ language: 'en', readers: 1, seed: 3, days: 4 });
    expect(await replay({ language: 'en', readers: 1, seed: 3, days: 4 })).toEqual(once);
    expect(ndcg([3, 2, 1])).toBe(1);
    expect(ndcg([1, 2, 3])).toBeLessThan(1);
  });
});
