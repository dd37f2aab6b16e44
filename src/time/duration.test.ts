import { expect, it } from 'vitest';
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from './duration.ts';

it.each([
  [999, '999 ms'],
  [59 * SECOND + 600, '1 min'],
  [59 * MINUTE + 40 * SECOND, '1 h'],
  [2 * HOUR - 10 * SECOND, '2 h'],
  [90 * MINUTE, '1 h 30 min'],
  [DAY - 10 * SECOND, '1 d'],
  [2 * DAY - 10 * MINUTE, '2 d'],
  [-(2 * HOUR - 10 * SECOND), '-2 h'],
])('formats %i ms as "%s", without a rest of a whole unit', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
