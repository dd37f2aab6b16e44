import { describe, expect, it } from 'vitest';
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from './duration.ts';

describe('X12 a duration for people', () => {
  it.each([
    [999.6, '1 s'],
    [45 * SECOND, '45 s'],
    [MINUTE - 1, '1 min'],
    [HOUR - SECOND, '1 h'],
    [3 * HOUR + 20 * MINUTE, '3 h 20 min'],
    [2 * HOUR - SECOND, '2 h'],
    [DAY - SECOND, '1 d'],
    [2 * DAY - MINUTE, '2 d'],
    [5 * DAY + 3 * HOUR, '5 d 3 h'],
    [-(2 * HOUR - SECOND), '-2 h'],
  ])('X12 %d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('X12 never has 60 of a smaller unit', () => {
    for (let ms = 0; ms < 3 * DAY; ms += 7919)
      expect(formatDuration(ms)).not.toMatch(/\b(60 (s|min)|24 h)\b/);
  });
});
