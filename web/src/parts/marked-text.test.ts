import { expect, it } from 'vitest';
import { patternFor } from './marked-text.tsx';

it.each([
  ['the', 'They say the weather', 'They say [the] weather'],
  ['well-known', 'A well-known, Well known one', 'A [well-known], [Well known] one'],
  ['"night ferry" -fog', 'the night ferry in fog', 'the [night ferry] in fog'],
  ['(a+ [b', 'a plan b', '[a] plan [b]'],
  ['型検査', 'TypeScriptの型検査を', 'TypeScriptの[型検査]を'],
  ['typescript', 'TypeScriptの型検査', '[TypeScript]の型検査'],
])('R12 %j is marked in %j', (query, text, marked) => {
  const parts = text.split(patternFor(query) ?? /(?!)/);
  expect(parts.map((part, i) => (i % 2 === 1 ? `[${part}]` : part)).join('')).toBe(marked);
});

it('R12 a search without words marks nothing', () => {
  expect(patternFor('-- "!" -fog')).toBeNull();
});
