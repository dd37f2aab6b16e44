import { describe, expect, it } from 'vitest';
import { DAY } from '../time/duration.ts';
import { retryAfter } from './http-headers.ts';

const now = Date.UTC(2026, 0, 1, 12);

describe('retryAfter', () => {
  it.each([
    [undefined, undefined, null],
    ['', undefined, null],
    ['120', undefined, now + 120_000],
    [' 0 ', undefined, now],
    ['1.5', undefined, now + 1500],
    ['-5', undefined, null],
    ['soon', undefined, null],
    ['2026', undefined, now + 2026_000],
    ['99999999999', undefined, now + DAY],
    ['Thu, 01 Jan 2026 12:05:00 GMT', undefined, now + 300_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', undefined, now],
    ['Thu, 01 Jan 2099 11:00:00 GMT', undefined, now + DAY],
    // The server's clock is an hour ahead; it means five minutes.
    ['Thu, 01 Jan 2026 13:05:00 GMT', 'Thu, 01 Jan 2026 13:00:00 GMT', now + 300_000],
    ['Thu, 01 Jan 2026 12:05:00 GMT', 'nonsense', now + 300_000],
  ])('X5 %j with the date %j', (value, date, at) => {
    expect(retryAfter(value, now, date)).toBe(at);
  });
});
