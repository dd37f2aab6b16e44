import { describe, expect, it } from 'vitest';
import { parseSearch, searchLetters, searchWords } from './search-text.ts';

describe('R12 the words of a text', () => {
  it('have no case, no accents and no width', () => {
    expect(searchWords('Émile’s CAFÉ, Ünïcode ＡＢＣ １２')).toEqual([
      'emile',
      's',
      'cafe',
      'unicode',
      'abc',
      '12',
    ]);
    expect(searchWords('Ёлка Йод')).toEqual(['елка', 'иод']);
    expect(searchWords('हिन्दी')).toEqual(['हिन्दी']);
  });

  it('are pairs of letters where a script has no blanks', () => {
    expect(searchWords('東京都')).toEqual(['東京', '京都', '都']);
    expect(searchWords('AI研究、猫')).toEqual(['ai', '研究', '究', '猫']);
    expect(searchWords('ｶﾞﾝﾀﾞﾑ')).toEqual(['ガン', 'ンダ', 'ダム', 'ム']);
    expect(searchWords('スーパー・時々')).toEqual(['スー', 'ーパ', 'パー', 'ー', '時々', '々']);
    expect(searchWords('한국어 𠮷野')).toEqual(['한국', '국어', '어', '𠮷野', '野']);
    expect(searchLetters('東京と東京 x')).toEqual(['東', '京', 'と']);
  });
});

describe('R12 the conditions of a search', () => {
  const terms = (text: string) =>
    parseSearch(text)?.map(
      ({ excluded, kind, words, isPrefix }) =>
        `${excluded ? '-' : ''}${kind === 'letter' ? 'letter:' : ''}${words.join('+')}${isPrefix ? '*' : ''}`,
    );

  it('are words, phrases and what is unwanted', () => {
    expect(terms('Rust "async await" -"no std" -go rust')).toEqual(['rust', 'async+await', '-no+std', '-go']);
    expect(terms('e-mail "open')).toEqual(['e+mail', 'open']);
    expect(terms('東京 京 東京AI AI東京 AI京 "京"')).toEqual([
      '東京',
      'letter:京',
      '東京+京+ai',
      'ai+東京',
      'ai+京*',
    ]);
  });

  it('are none for a blank text, and impossible without a word', () => {
    expect(parseSearch(' \n')).toBeNull();
    expect(parseSearch('-"" !')).toEqual([]);
  });

  it('are bounded', () => {
    const many = Array.from({ length: 100 }, (_, n) => `w${n}`).join(' ');
    expect(parseSearch(many)).toHaveLength(32);
    expect(parseSearch(`"${many}"`)?.[0]?.words).toHaveLength(32);
    expect(searchWords('x'.repeat(1_000))[0]).toHaveLength(64);
  });
});
