import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TIME, MIN_TIME } from '../../../ledger/validation.ts';
import { fromTimestamp, toTimestamp } from './rows.ts';

const time = fc.integer({ min: MIN_TIME, max: MAX_TIME });

describe('timestamps', () => {
  it('B1 are text that Go and SQLite read, from year 0 to year 9999', () => {
    expect(toTimestamp(Date.UTC(2026, 0, 5, 0, 30, 0, 500))).toBe('2026-01-05 00:30:00.500+00:00');
    expect(toTimestamp(MIN_TIME)).toBe('0000-01-01 00:00:00.000+00:00');
    expect(toTimestamp(MAX_TIME)).toBe('9999-12-31 23:59:59.999+00:00');
  });

  it('B1 survive a round trip', () => {
    fc.assert(fc.property(time, (ms) => fromTimestamp(toTimestamp(ms)) === ms));
  });

  it('B6 sort as text as they do in time', () => {
    fc.assert(
      fc.property(
        time,
        time,
        (a, b) =>
          Math.sign(a - b) ===
          (toTimestamp(a) < toTimestamp(b) ? -1 : Number(toTimestamp(a) > toTimestamp(b))),
      ),
    );
  });

  it.each([
    ['2026-01-05 09:30:00+09:00', Date.UTC(2026, 0, 5, 0, 30)],
    ['2026-01-05 09:30:00.123456789+09:00', Date.UTC(2026, 0, 5, 0, 30, 0, 123)],
    ['2026-01-05 09:30:00.5 +0900 JST m=+12.345678901', Date.UTC(2026, 0, 5, 0, 30, 0, 500)],
    ['2026-01-05 06:15:00 +0545 +0545', Date.UTC(2026, 0, 5, 0, 30)],
    ['2026-01-05T00:30:00Z', Date.UTC(2026, 0, 5, 0, 30)],
    ['2026-01-05 00:30:00', Date.UTC(2026, 0, 5, 0, 30)],
    ['2026-01-05T00:30', Date.UTC(2026, 0, 5, 0, 30)],
    ['2026-01-05', Date.UTC(2026, 0, 5)],
    ['0001-01-01 00:00:00 +0000 UTC', Date.parse('0001-01-01T00:00:00Z')],
    ['2026-01-04 21:30:00 -0300 -03 m=-0.000000001', Date.UTC(2026, 0, 5, 0, 30)],
  ])('reads %s, as other programs write it', (text, ms) => {
    expect(fromTimestamp(text)).toBe(ms);
  });

  it.each(['', 'yesterday', '2026-13-01 00:00:00', '2026-01', '1767571200', '2026-01-05 00:30:00; DROP'])(
    'rejects "%s"',
    (text) => {
      expect(fromTimestamp(text)).toBeNull();
    },
  );
});
