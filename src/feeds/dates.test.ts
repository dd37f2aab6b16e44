import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from './dates.ts';

const DATES: readonly [written: string, expected: string | null][] = [
  ['Sun, 15 Nov 2026 08:30:00 GMT', '2026-11-15T08:30:00Z'],
  ['Fri, 15 Nov 2026 08:30:00 GMT', '2026-11-15T08:30:00Z'],
  ['Sun, 15 Nov 2026 08:30:00 +0900', '2026-11-14T23:30:00Z'],
  ['Sun, 15 Nov 2026 08:30:00 -0330', '2026-11-15T12:00:00Z'],
  ['Sun,15 Nov 2026 08:30:00 +09:00', '2026-11-14T23:30:00Z'],
  ['Sun, 15 Nov 2026 08:30 EST', '2026-11-15T13:30:00Z'],
  ['15 Nov 26 08:30:00 UT', '2026-11-15T08:30:00Z'],
  ['Sun, 5 Nov 99 8:3:1 PDT', '1999-11-05T15:03:01Z'],
  ['Sun, 15 November 2026 08:30:00 JST', '2026-11-14T23:30:00Z'],
  ['Sunday, 15-Nov-26 08:30:00 GMT', '2026-11-15T08:30:00Z'],
  ['Sun Nov 15 08:30:00 2026', '2026-11-15T08:30:00Z'],
  ['Sun Nov 15 08:30:00 JST 2026', '2026-11-14T23:30:00Z'],
  ['Sun Nov 15 2026 08:30:00 GMT+0900 (Japan Standard Time)', '2026-11-14T23:30:00Z'],
  ['November 15, 2026', '2026-11-15T00:00:00Z'],
  ['Nov. 15th, 2026 8:30 p.m.', '2026-11-15T20:30:00Z'],
  ['Nov 15, 2026 12:05 AM', '2026-11-15T00:05:00Z'],
  ['So, 15 Okt 2026 08:30:00 +0200', '2026-10-15T06:30:00Z'],
  ['15 août 2026 08:30:00', '2026-08-15T08:30:00Z'],
  ['15 juillet 2026', '2026-07-15T00:00:00Z'],
  ['Sun, 15 Nov 2026 23:59:60 GMT', '2026-11-15T23:59:59Z'],
  ['Sun, 15 Nov 2026 24:00:00 GMT', '2026-11-16T00:00:00Z'],
  ['2026-11-15T08:30:00Z', '2026-11-15T08:30:00Z'],
  ['2026-11-15T08:30:00.123456789+09:00', '2026-11-14T23:30:00.123Z'],
  ['2026-11-15t08:30:00z', '2026-11-15T08:30:00Z'],
  ['2026-11-15T08:30+0900', '2026-11-14T23:30:00Z'],
  ['2026-11-15T08:30:00 +09:00', '2026-11-14T23:30:00Z'],
  ['2026-11-15 08:30:00', '2026-11-15T08:30:00Z'],
  ['2026-11-15 08:30:00 UTC', '2026-11-15T08:30:00Z'],
  ['2026-11-15', '2026-11-15T00:00:00Z'],
  ['2026-11', '2026-11-01T00:00:00Z'],
  ['2026/11/15 8:30', '2026-11-15T08:30:00Z'],
  ['2026.11.15', '2026-11-15T00:00:00Z'],
  ['20261115T083000Z', '2026-11-15T08:30:00Z'],
  ['20261115', '2026-11-15T00:00:00Z'],
  ['11/15/2026 8:30 PM', '2026-11-15T20:30:00Z'],
  ['15/11/2026', '2026-11-15T00:00:00Z'],
  ['15.11.2026 20:30', '2026-11-15T20:30:00Z'],
  ['2026年11月15日', '2026-11-14T15:00:00Z'],
  ['2026年11月15日(日) 20時05分', '2026-11-15T11:05:00Z'],
  ['2026年11月15日（日）午後3時5分', '2026-11-15T06:05:00Z'],
  ['２０２６年１１月１５日 ２０：０５', '2026-11-15T11:05:00Z'],
  ['2026年11月15日 20:05:30', '2026-11-15T11:05:30Z'],
  ['令和8年11月15日', '2026-11-14T15:00:00Z'],
  ['平成元年1月8日 午前9時', '1989-01-08T00:00:00Z'],
  ['R8.11.15', '2026-11-14T15:00:00Z'],
  ['1794731400', '2026-11-15T08:30:00Z'],
  ['1794731400123', '2026-11-15T08:30:00.123Z'],
  ['  Sun, 15 Nov\n 2026 08:30:00 GMT ', '2026-11-15T08:30:00Z'],
  ['', null],
  ['yesterday', null],
  ['Sun, 31 Feb 2026 08:30:00 GMT', null],
  ['2026-13-01', null],
  ['2026-02-30T00:00:00Z', null],
  ['2026-11-15T25:00:00Z', null],
  ['0000-00-00 00:00:00', null],
  ['Mon, 01 Jan 0001 00:00:00 GMT', null],
  ['-0001-11-30T00:00:00+00:00', null],
  ['1970-01-01T00:00:00Z', null],
  ['99999-01-01', null],
  ['15 Nov', null],
  ['12345', null],
  ['令和8年13月40日', null],
];

describe('dates as feeds write them', () => {
  for (const [written, expected] of DATES) {
    it(`X5 ${JSON.stringify(written)}`, () => {
      const time = parseDate(written);
      expect(time === null ? null : new Date(time).toISOString()).toBe(
        expected === null ? null : new Date(expected).toISOString(),
      );
    });
  }

  it('X5 reads back every date that JavaScript itself writes', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1972-01-01'), max: new Date('2150-01-01'), noInvalidDate: true }),
        (date) => {
          const second = Math.floor(date.getTime() / 1000) * 1000;
          return parseDate(date.toISOString()) === date.getTime() && parseDate(date.toUTCString()) === second;
        },
      ),
    );
  });

  it('X5 never throws and always ends, whatever it is given', () => {
    fc.assert(fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (text) => void parseDate(text)));
    for (const piece of ['1', ' ', '1:', '2026年', 'Nov ', '+09', '(', ')', '-', '/'])
      parseDate(piece.repeat(1_000_000 / piece.length));
  });
});
