import { describe, expect, it } from 'vitest';
import { FIELD_PROBLEM_CODES, PROBLEM_CODES } from '../../../src/server/http/problem-codes.ts';
import { words as en } from './catalogue-en.ts';
import { words as ja } from './catalogue-ja.ts';

const CATALOGUES = { en, ja };

/** Every key with its place; a text and a function are different kinds. */
function keysOf(value: unknown, at = ''): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => keysOf(inner, at === '' ? key : `${at}.${key}`));
  return [`${at}: ${typeof value}`];
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

describe('the catalogues of the page', () => {
  it('R19 have the same keys in both languages', () => {
    expect(keysOf(CATALOGUES.ja).toSorted()).toEqual(keysOf(CATALOGUES.en).toSorted());
  });

  it('R19 have a text for every problem of the server and of a field', () => {
    for (const { problems, fieldProblems } of Object.values(CATALOGUES)) {
      expect(Object.keys(problems).toSorted()).toEqual([...PROBLEM_CODES].toSorted());
      expect(Object.keys(fieldProblems).toSorted()).toEqual([...FIELD_PROBLEM_CODES].toSorted());
    }
  });

  it('R19 leave no text empty, and say the values of a problem', () => {
    for (const words of [en, ja]) {
      const { reasons, durationUnits, ...rest } = words;
      expect(textsOf(rest).filter((text) => text.trim() === '')).toEqual([]);
      expect(words.problems.too_many_attempts({ seconds: 42 })).toContain('42');
      expect(words.fieldProblems.too_short({ minimum: 10 })).toContain('10');
    }
    expect(en.scoreBelowMinimum(67, 70)).toBe('Score 67 is below the minimum 70');
    expect(en.stateWithReason(en.states.rejected, en.scoreBelowMinimum(67, 70))).toBe(
      'Rejected: score 67 is below the minimum 70',
    );
  });

  it('R19 the Japanese catalogue is in Japanese', () => {
    const foreign = textsOf(CATALOGUES.ja).filter(
      (text) => !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text),
    );
    expect(foreign.filter((text) => !ALLOWED.includes(text))).toEqual([]);
  });
});

/** Names, and what is said in English for those who do not read Japanese. */
const ALLOWED = ['', ' ', 'Switch to English', 'kawaraban.yaml', 'YouTube', 'Hacker News'];
