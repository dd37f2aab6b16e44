import { describe, expect, it } from 'vitest';
import { target as article, seeds as articles } from '../fuzz/article.ts';
import { target as textEncoding, seeds as texts } from '../fuzz/text-encoding.ts';
import { target as urlGuard, seeds as urls } from '../fuzz/url-guard.ts';
import { grow, randomFrom, shrink } from './fuzz-inputs.ts';

describe('inputs for fuzzing', () => {
  it('are the same for the same seed', () => {
    const inputs = (seed: number): string[] => {
      const random = randomFrom(seed);
      return Array.from({ length: 50 }, () => grow([Buffer.from('http://a/')], random).toString('base64'));
    };
    expect(inputs(7)).toEqual(inputs(7));
    expect(inputs(7)).not.toEqual(inputs(8));
  });

  it('shrink to what makes them fail', async () => {
    const found = await shrink(Buffer.from('something long with X in it'), async (input) =>
      input.includes('X'),
    );
    expect(found.toString()).toBe('X');
  });
});

describe('a short run of each target', () => {
  it.each([
    ['url-guard', urlGuard, urls, 3000],
    ['text-encoding', textEncoding, texts, 500],
    ['article', article, articles, 60],
  ] as const)('X6 %s holds', (_, target, seeds, runs) => {
    const random = randomFrom(20_260_101);
    const pool = seeds.map((seed) => Buffer.from(seed));
    for (let run = 0; run < runs; run++) target(grow(pool, random));
  });
});
