import { expect, it } from 'vitest';
import { type Collection, type Half, labelledItems } from '../../bench/grouping/corpus.ts';
import { PatternIndex } from './pattern-index.ts';
import { STEPS } from './story-steps.ts';

function titlesOf(half: Half, language: Collection): string[] {
  return labelledItems(half, language).map(({ title }) => title.toLowerCase());
}

it('Q13 the steps of a title are those that its patterns match', () => {
  const patterns = STEPS.flat().map(
    ([english, japanese]) => new RegExp(`${english.source}|${japanese.source}`),
  );
  const index = new PatternIndex([patterns]);
  for (const title of [...titlesOf('development', 'english'), ...titlesOf('development', 'japanese')]) {
    const found = index.match(title) ?? [];
    const numbers = patterns.keys().filter((number) => {
      return ((found[Math.floor(number / 32)] ?? 0) & (1 << (number % 32))) !== 0;
    });
    const matching = patterns.keys().filter((number) => patterns[number]?.test(title) === true);
    expect([...numbers], title).toEqual([...matching]);
  }
});
