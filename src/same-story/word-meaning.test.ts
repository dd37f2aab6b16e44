import { describe, expect, it } from 'vitest';
import { meaningOf, onePhrase, SYNONYM_GROUPS } from './word-meaning.ts';

/** How a word or phrase of the table stands in a title. */
function inTitle(entry: string): string {
  return meaningOf(onePhrase(entry.replace('=', '')));
}

describe('synonyms in English', () => {
  it('X3 no word is in two groups, nor twice in one', () => {
    const entries = SYNONYM_GROUPS.flat();
    expect(entries.filter((entry, at) => entries.indexOf(entry) !== at)).toEqual([]);
    // Nor in another form, which would give it the meaning of the later group.
    const wrong = SYNONYM_GROUPS.flatMap(([first = '', ...others]) =>
      others.filter((other) => inTitle(other) !== meaningOf(first)),
    );
    expect(wrong).toEqual([]);
  });

  it('X3 the first word of a group is one word, which keeps its meaning', () => {
    for (const [first = '', ...others] of SYNONYM_GROUPS) {
      expect(first).toMatch(/^[a-z]+$/);
      expect(others, first).not.toEqual([]);
      const meaning = meaningOf(first);
      for (const other of others) expect(inTitle(other), other).toBe(meaning);
      expect(onePhrase(`they ${first} it`)).toBe(`they ${first} it`);
    }
  });

  it.each([
    ['Airport staff walked out', 'airport staff strike'],
    ['Walkers laid-off 40', 'walkers layoff 40'],
    ['Central banks and prime ministers', 'central banks and premier'],
    ['Federal Reserve leaves rates', 'fed leaves rates'],
    ['to walk out of step', 'to strike of step'],
    ['steps down the road and up', 'quit the road and up'],
    ['Food and Drug Administration warns', 'fda warns'],
    ['They put it off', 'they put it off'],
  ])('X3 of %j, a phrase becomes one word', (title, text) => {
    expect(onePhrase(title.toLowerCase())).toBe(text);
  });

  it.each([
    ['colour', 'color'],
    ['neighbours', 'neighbor'],
    ['organised', 'organize'],
    ['nationalisation', 'nationalization'],
    ['analysed', 'analyze'],
    ['denied', 'denies'],
    ['fled', 'flee'],
    ['rose', 'rises'],
    ['struck', 'striking'],
    ['lost', 'loses'],
    ['approves', 'approval'],
    ['backs', 'endorse'],
    ['jet', 'planes'],
  ])('X3 %j and %j are one word', (one, other) => {
    expect(meaningOf(one)).toBe(meaningOf(other));
  });

  it.each([
    ['charged', 'convicted'],
    ['convicted', 'jailed'],
    ['announced', 'cancelled'],
    ['rises', 'falls'],
    ['premiere', 'premier'],
    ['plan', 'plane'],
    ['care', 'car'],
    ['back', 'backs'],
    ['wine', 'win'],
  ])('X3 %j and %j are two', (one, other) => {
    expect(meaningOf(one)).not.toBe(meaningOf(other));
  });
});
