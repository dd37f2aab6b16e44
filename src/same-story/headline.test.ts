import { describe, expect, it } from 'vitest';
import { coveredShare, Headline } from './headline.ts';
import { wordOf } from './word.ts';

describe('a title taken apart', () => {
  it.each([
    ['Kestrel Air cancelled 140 flights', ['kestrel', 'air', 'cancel', 'flight']],
    ['Museum’s oldest painting', ['museum', 'oldest', 'paint']],
    ['ヒノデ電機、純利益15%増', ['ヒノデ', '電機', '純利益', '増']],
    ['スーパーとwiiー', ['スーパー', 'wiiー']],
    ['ーーー', []],
    ['𠮷野家が値下げ', ['𠮷野家', '値下']],
    ['Cafe\u0301 reopens 🎉', ['café', 'reopen']],
    ['이순신 동상 복원', ['이순신', '동상', '복원']],
    ['One two 3 the of', []],
    ['', []],
    ['\ud842', []],
  ])('X3 %s has the words %j', (title, words) => {
    expect(new Headline(title).words.map(({ text }) => text)).toEqual(words);
  });

  it.each([
    ['Breaking: Power outage hits Larkfield', 'power outage hits larkfield'],
    ['【速報】能代沖で地震がありました', '能代沖で地震がありました'],
    ['Ferry service resumes after storm - Harbour Times', 'ferry service resumes after storm'],
    ['Ferry service resumes after storm (video) | Coast Daily', 'ferry service resumes after storm'],
    ['Show HN: A tiny database for a tab', 'a tiny database for a tab'],
    ['Well - a very short one', 'well - a very short one'],
    ['アメリカの人工知能', '米のai'],
    ['The American pc', 'the american pc'],
  ])('X3 what publishers add to %j is left out', (title, text) => {
    expect(new Headline(title).text).toBe(text);
  });

  it.each([
    ['東都電機', '西都電機が増産', 0.75],
    ['東都電機', '東都電機が増産', 1],
    ['東都電機', 'Toto Electric', 0],
    ['raise', 'Prices raised again', 1],
    ['us', 'The U.S. and others', 1],
    ['invest', 'An investment in rail', 1],
    ['market', 'A martyr of rail', 0],
  ])('X3 of %s, %j has %d', (word, title, share) => {
    expect(coveredShare(wordOf(word), new Headline(title))).toBe(share);
  });
});
