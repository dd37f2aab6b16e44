import { describe, expect, it } from 'vitest';
import { parsePageDate } from './page-dates.ts';

const at = (text: string): number => Date.parse(text);

describe('readPageDate', () => {
  it.each([
    ['2026-01-15T18:30:00+09:00', null, at('2026-01-15T09:30:00Z')],
    ['2026-01-15T18:30:00.123Z', null, at('2026-01-15T18:30:00Z')],
    ['2026-01-15T18:30', null, at('2026-01-15T18:30:00Z')],
    ['2026-01-15T18:30', 'ja', at('2026-01-15T09:30:00Z')],
    ['2026-01-15 18:30:00 -0500', null, at('2026-01-15T23:30:00Z')],
    ['2026-01-15', null, at('2026-01-15T00:00:00Z')],
    ['20260115', null, at('2026-01-15T00:00:00Z')],
    ['2026/1/5 8:05', 'ja-JP', at('2026-01-04T23:05:00Z')],
    ['2026.01.15', 'ja', at('2026-01-14T15:00:00Z')],
    ['2026年1月15日', 'ja', at('2026-01-14T15:00:00Z')],
    ['2026年1月15日（木）18時30分', 'ja', at('2026-01-15T09:30:00Z')],
    ['2026年1月15日 18:30 JST', null, at('2026-01-15T09:30:00Z')],
    ['Thu, 15 Jan 2026 18:30:00 GMT', null, at('2026-01-15T18:30:00Z')],
    ['January 15, 2026', null, at('2026-01-15T00:00:00Z')],
    ['15 January 2026 18:30', 'ja', at('2026-01-15T09:30:00Z')],
    ['2026-02-30', null, null],
    ['2026-13-01', null, null],
    ['2026-01-15T25:00', null, null],
    ['yesterday', null, null],
    ['', null, null],
    ['12', null, null],
    ['x'.repeat(10_000), null, null],
  ])('%s in %s', (text, language, expected) => {
    expect(parsePageDate(text, language)).toBe(expected);
  });
});
