import { describe, expect, it } from 'vitest';
import { calendarDate, calendarDay } from './calendar-day.ts';

describe('calendarDay', () => {
  it.each([
    ['Asia/Tokyo', '2026-03-01T14:59:59.999Z', '2026-02-28T15:00:00Z', '2026-03-01T15:00:00Z'],
    ['Asia/Tokyo', '2026-03-01T15:00:00.000Z', '2026-03-01T15:00:00Z', '2026-03-02T15:00:00Z'],
    ['UTC', '2026-12-31T23:00:00Z', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['Asia/Kathmandu', '2026-01-05T00:00:00Z', '2026-01-04T18:15:00Z', '2026-01-05T18:15:00Z'],
    // 23 and 25 hours, looked at from after and from before the change.
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Europe/Berlin', '2026-10-25T00:10:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['America/New_York', '2026-11-02T04:59:00Z', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ])('in %s at %s', (timeZone, at, start, end) => {
    const day = calendarDay(Date.parse(at), timeZone);
    expect([day.start, day.end].map((time) => new Date(time).toISOString())).toEqual(
      [start, end].map((time) => new Date(time).toISOString()),
    );
  });
});

describe('calendarDate', () => {
  it.each([
    ['America/Los_Angeles', '2026-01-02T07:59:59Z', '2026-01-01'],
    ['America/Los_Angeles', '2026-01-02T08:00:00Z', '2026-01-02'],
    ['Asia/Tokyo', '2026-01-01T15:00:00Z', '2026-01-02'],
  ])('in %s at %s', (timeZone, at, date) => {
    expect(calendarDate(Date.parse(at), timeZone)).toBe(date);
  });
});
