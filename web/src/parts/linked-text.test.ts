import { expect, it } from 'vitest';
import { partsOf } from './linked-text.tsx';

it.each([
  ['see https://a.example/x.', ['see ', '→https://a.example/x', '.']],
  ['(https://a.example/b(c)?d=e), and', ['(', '→https://a.example/b(c)?d=e', '), and']],
  ['「https://a.example/記事」を読む', ['「', '→https://a.example/記事', '」を読む']],
  ['javascript:alert(1) https://', ['javascript:alert(1) https://']],
  ['no address', ['no address']],
])('R22 finds the addresses in %j', (text, expected) => {
  expect(partsOf(text).map((part) => (part.href === null ? part.text : `→${part.href}`))).toEqual(expected);
});
