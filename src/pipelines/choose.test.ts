import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../item/item.ts';
import { choose } from './choose.ts';

const usual = { minRelevanceScore: 70, maxArticles: 5, minArticles: 3 };

function scored(score: number | null, place: number): Item {
  return {
    key: `k${place}`,
    publishedAt: place,
    verdict: score === null ? null : { score },
  } as unknown as Item;
}

function scores(items: readonly Item[]): (number | null)[] {
  return items.map((item) => item.verdict?.score ?? null);
}

describe('the contents of a digest', () => {
  it('A4 are the items at or above the threshold, best first, at most maxArticles', () => {
    const { chosen, waiting } = choose([69, 70, 99, 71, 85, 100, 90].map(scored), usual);
    expect(scores(chosen)).toEqual([100, 99, 90, 85, 71]);
    expect(scores(waiting)).toEqual([70]);
  });

  it('A4 are empty if fewer than minArticles are good enough, and those wait', () => {
    const { chosen, waiting } = choose([80, 90, 20].map(scored), usual);
    expect(chosen).toEqual([]);
    expect(scores(waiting)).toEqual([90, 80]);
  });

  it('X18 leave out items without a score, whatever the threshold', () => {
    const { chosen, waiting } = choose([null, 5, null].map(scored), {
      ...usual,
      minRelevanceScore: 0,
      minArticles: 1,
    });
    expect(scores([...chosen, ...waiting])).toEqual([5]);
  });

  it('A4 of equal scores the newer comes first, and the order of the candidates does not matter', () => {
    const items = [80, 80, 80, 80].map(scored);
    expect(choose(items, usual).chosen.map(({ key }) => key)).toEqual(['k3', 'k2', 'k1', 'k0']);
    fc.assert(
      fc.property(fc.shuffledSubarray(items, { minLength: 4 }), (shuffled) => {
        expect(choose(shuffled, usual)).toEqual(choose(items, usual));
      }),
    );
  });

  it('A4 A5 every item that is good enough is either chosen or waiting', () => {
    const some = fc.array(fc.option(fc.integer({ min: 0, max: 100 })), { maxLength: 30 });
    const settings = fc.record({
      minRelevanceScore: fc.integer({ min: 0, max: 100 }),
      maxArticles: fc.integer({ min: 1, max: 10 }),
      minArticles: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(some, settings, (given, limits) => {
        const { chosen, waiting } = choose(given.map(scored), limits);
        const good = given.filter((score) => score !== null && score >= limits.minRelevanceScore);
        expect(chosen.length + waiting.length).toBe(good.length);
        expect(chosen.length === 0 || chosen.length >= Math.min(limits.minArticles, limits.maxArticles)).toBe(
          true,
        );
        expect(chosen.length).toBeLessThanOrEqual(limits.maxArticles);
        const worst = Math.min(...scores(chosen).map(Number));
        expect(chosen.length === 0 || scores(waiting).every((score) => Number(score) <= worst)).toBe(true);
      }),
    );
  });
});
