import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { nextPollAt, POLLING_POLICY, type PollInterval, pollInterval } from './polling.ts';
import type { PublishingHints, SourceReading } from './source.ts';

const now = Date.UTC(2026, 10, 15);
const usual: PollInterval = { ms: 15 * MINUTE, isFixed: false };
const shows = (hints: Partial<PublishingHints>): PublishingHints => ({
  freshForMs: null,
  gapMs: null,
  newestAt: null,
  oldestAt: null,
  ...hints,
});
/** Twenty entries at this interval, the newest of now. */
const publishing = (gapMs: number): PublishingHints =>
  shows({ gapMs, newestAt: now, oldestAt: now - 20 * gapMs });

describe('the interval of a source', () => {
  it.each<[string, PublishingHints | undefined, PollInterval, number]>([
    ['that shows nothing', shows({}), usual, 15],
    ['that cannot show anything', undefined, usual, 15],
    ['that publishes each minute: not under 5 minutes', publishing(MINUTE), usual, 5],
    ['that publishes each hour', publishing(HOUR), usual, 15],
    ['that publishes each half hour', publishing(HOUR / 2), usual, 7.5],
    ['that publishes four times a day', publishing(6 * HOUR), usual, 90],
    ['that publishes each week: not over 4 hours', publishing(7 * DAY), usual, 240],
    [
      'that published each minute until a day ago',
      shows({ gapMs: MINUTE, newestAt: now - DAY, oldestAt: now - 2 * DAY }),
      usual,
      180,
    ],
    ['whose ttl is 5 minutes', shows({ freshForMs: 5 * MINUTE }), usual, 5],
    ['whose ttl is half an hour', shows({ freshForMs: HOUR / 2 }), usual, 30],
    ['whose ttl is a day: not over an hour by that alone', shows({ freshForMs: DAY }), usual, 60],
    ['that is busy, with a ttl', { ...publishing(10 * MINUTE), freshForMs: HOUR / 2 }, usual, 30],
    [
      'whose entries leave it after half an hour, whatever its ttl',
      shows({ gapMs: MINUTE, newestAt: now, oldestAt: now - HOUR / 2, freshForMs: HOUR }),
      usual,
      15,
    ],
    ['set to an hour: not under 20 minutes', publishing(MINUTE), { ms: HOUR, isFixed: false }, 20],
    ['set to a day: may be stretched no further', publishing(30 * DAY), { ms: DAY, isFixed: false }, 1440],
    ['set to a minute: may be that short', publishing(MINUTE), { ms: MINUTE, isFixed: false }, 1],
    ['that a person fixed', publishing(7 * DAY), { ms: 15 * MINUTE, isFixed: true }, 15],
    ['that a person fixed below the minimum', publishing(7 * DAY), { ms: MINUTE, isFixed: true }, 1],
  ])('X23 of a feed %s', (_, hints, interval, minutes) => {
    expect(pollInterval(interval, hints, now, POLLING_POLICY) / MINUTE).toBe(minutes);
  });
});

describe('the next time of a source', () => {
  const next = (reading: SourceReading, more: { failures?: number; random?: number; spread?: number } = {}) =>
    (nextPollAt({
      reading,
      failures: 0,
      intervalMs: HOUR,
      spread: 0.05,
      now,
      policy: POLLING_POLICY,
      random: 0,
      ...more,
    }) -
      now) /
    MINUTE;
  const unchanged: SourceReading = { outcome: 'unchanged', memory: {} };
  const offline: SourceReading = { outcome: 'offline', detail: '' };

  it('X5 is spread over a part of the interval', () => {
    expect(next(unchanged)).toBe(60);
    expect(next(unchanged, { random: 0.999 })).toBeCloseTo(57, 0);
    expect(next(unchanged, { random: 0.999, spread: 0.5 })).toBeCloseTo(30, 0);
  });

  it('X5 keeps Retry-After, within reason, also of a source whose interval is fixed', () => {
    expect(next({ ...unchanged, notBefore: now + 7 * HOUR })).toBe(7 * 60);
    expect(next({ ...unchanged, notBefore: now + 900 * DAY })).toBe(2 * 24 * 60);
    expect(next({ outcome: 'failed', why: 'rate_limited', detail: '', retryAt: now + 7 * HOUR })).toBe(420);
  });

  it('X5 comes soon while offline, and a little later each time', () => {
    expect([1, 2, 3, 4, 5].map((failures) => next(offline, { failures }))).toEqual([1, 2, 4, 5, 5]);
  });
});
