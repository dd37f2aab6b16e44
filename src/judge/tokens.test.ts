import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToTokens, estimateTokens, partsByTokens } from './text-length.ts';

describe('cutting by tokens', () => {
  it('estimates Japanese by the character and English by the word', () => {
    expect(estimateTokens('保育士の配置基準')).toBe(8);
    expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBeLessThan(16);
  });

  it('ends where a sentence ends', () => {
    const { text, cut } = cutToTokens('最初の文である。次の文である。最後の文である。', 17);
    expect(cut).toBe(true);
    expect(text).toBe('最初の文である。\n次の文である。');
  });

  it('never makes a part that is too large, and loses nothing when all parts fit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: 8, max: 60 }),
        (text, most) => {
          const parts = partsByTokens(text, most, 10_000);
          for (const part of parts) expect(estimateTokens(part)).toBeLessThanOrEqual(most + 1);
          expect(parts.join('').replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
        },
      ),
      { numRuns: 150 },
    );
  });
});
