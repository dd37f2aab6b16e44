import { describe, expect, it } from 'vitest';
import { sentencesOf } from './text-length.ts';

describe('splitting into sentences', () => {
  it.each([
    ['Dr. Smith came at 3 p.m. He left. Why?', ['Dr. Smith came at 3 p.m. He left.', 'Why?']],
    ['It cost 3.5 million. The U.S. paid.', ['It cost 3.5 million.', 'The U.S. paid.']],
    ['知事は「やる。必ずやる」と述べた。次は秋だ。', ['知事は「やる。必ずやる」と述べた。', '次は秋だ。']],
    ['本当か？そうだ！', ['本当か？', 'そうだ！']],
    ['A line broken\nfor width. Next one.', ['A line broken for width.', 'Next one.']],
    ['見出し\n本文が続く。', ['見出し', '本文が続く。']],
    ['', []],
  ])('%j', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });

  it('cuts what never ends', () => {
    const pieces = sentencesOf('あ'.repeat(2000));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe('あ'.repeat(2000));
  });
});
