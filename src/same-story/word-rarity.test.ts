import { describe, expect, it } from 'vitest';
import { meaningOf } from './word-meaning.ts';
import { rarityOf } from './word-rarity.ts';

describe('how rare a word is', () => {
  it('Q13 a rare word says more than a frequent one, in any form', () => {
    const rarity = (word: string) => rarityOf(meaningOf(word));
    expect(rarity('government')).toBeLessThan(0.5);
    expect(rarity('elephant')).toBeGreaterThan(0.8);
    expect(rarity('companies')).toBe(rarity('company'));
    expect(rarity('stopped')).toBe(rarity('stop'));
    expect(rarity('torvik')).toBeGreaterThan(1);
    for (const word of ['nach', 'einer', 'dans', 'entre', 'для']) expect(rarity(word)).toBeLessThan(0.1);
  });
});
