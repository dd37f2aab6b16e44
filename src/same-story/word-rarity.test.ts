import { describe, expect, it } from 'vitest';
import { meaningOf } from './word-meaning.ts';
import { isForeign, rarityOf } from './word-rarity.ts';

describe('how rare a word is', () => {
  it('Q13 a rare word says more than a frequent one, in any form', () => {
    const rarity = (word: string) => rarityOf(meaningOf(word));
    expect(rarity('government')).toBeLessThan(0.5);
    expect(rarity('elephant')).toBeGreaterThan(0.8);
    expect(rarity('companies')).toBe(rarity('company'));
    expect(rarity('stopped')).toBe(rarity('stop'));
    expect(rarity('torvik')).toBeGreaterThan(1);
    for (const name of ['un', 'mit', 'la', 'dan', 'san', 'dell', 'met'])
      expect(rarity(name)).toBeGreaterThan(0.3);
  });

  it.each([
    ['polizei sucht nach unfall auf der a7 nach zeugen', true],
    ['un incendie dans un immeuble de marseille', true],
    ['суд отказался на год перенести дело', true],
    ['un officials meet in geneva', false],
    ['dan tan of dell moves to san diego', false],
    ['東京で地震', false],
  ])('Q13 "%s" is in another language: %s', (title, expected) => {
    expect(isForeign(title)).toBe(expected);
  });
});
