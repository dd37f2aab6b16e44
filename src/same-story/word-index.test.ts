import { describe, expect, it } from 'vitest';
import { wordHash } from './word.ts';
import { WordIndex } from './word-index.ts';

const MOST = 5;

describe('the index of words', () => {
  it('X3 finds what a comparison with every item finds, however many words there are', () => {
    const index = new WordIndex();
    const items: number[][] = [];
    // No word is in more items than are looked at for one.
    for (let n = 0; n < 4_000; n++) {
      const words = [`w${n >> 2}`, `v${((n * 7) % 4_000) >> 3}`, `u${n}`].map(wordHash);
      items.push(words);
      index.add(n, words);
    }
    for (let n = 0; n < 4_000; n += 37) {
      const words = items[n] ?? [];
      const found = index.nearest(words, () => 1, MOST);
      const shares = items.map((other) => words.filter((word) => other.includes(word)).length);
      // What shares less than 0.4 of the best one is left out.
      const best = shares
        .toSorted((a, b) => b - a)
        .slice(0, MOST)
        .filter((share) => share >= 3 * 0.4);
      expect(found.map((number) => shares[number])).toEqual(best);
      expect(found[0]).toBe(n);
      expect(index.share(n)).toBe(3);
    }
  });

  it('X3 looks at the newest of those that have a word, and at none for a common word', () => {
    const index = new WordIndex();
    const [rare, common] = [wordHash('ferry'), wordHash('news')];
    for (let n = 0; n < 100; n++) index.add(n, [rare, common]);
    const found = index.nearest([rare], () => 1, 100);
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, n) => 84 + n));
    expect(index.nearest([common], () => 0.1, 100)).toEqual([]);
    expect(index.nearest([wordHash('unknown')], () => 1, 100)).toEqual([]);
  });
});
