import { describe, expect, it } from 'vitest';
import { dayOf } from './day.ts';

describe('the day of a time', () => {
  it.each([
    ['UTC', Date.UTC(2026, 0, 5, 23, 59), Date.UTC(2026, 0, 5), 24],
    ['Asia/Tokyo', Date.UTC(2026, 0, 5, 15), Date.UTC(2026, 0, 5, 15), 24],
    // The clocks change: a day of 23 hours and one of 25.
    ['Europe/Berlin', Date.UTC(2026, 2, 29, 12), Date.UTC(2026, 2, 28, 23), 23],
    ['America/Los_Angeles', Date.UTC(2026, 10, 1, 18), Date.UTC(2026, 10, 1, 7), 25],
  ])('in %s', (zone, now, start, hours) => {
    expect(dayOf(now, zone)).toEqual({ start, end: start + hours * 3_600_000 });
  });
});
