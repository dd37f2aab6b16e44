import { describe, expect, it } from 'vitest';
import { dueAt, nextStart } from './schedule.ts';

const TOKYO_NINE = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Asia/Tokyo' } as const;

describe('schedules', () => {
  it('A1 nine in the morning in Tokyo is midnight UTC', () => {
    const next = nextStart(TOKYO_NINE, Date.UTC(2026, 4, 1, 12));
    expect(new Date(next ?? 0).toISOString()).toBe('2026-05-02T00:00:00.000Z');
  });

  it('A1 keeps its local hour when the clocks change', () => {
    const berlin = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' } as const;
    expect(new Date(nextStart(berlin, Date.UTC(2026, 2, 28, 12)) ?? 0).toISOString()).toBe(
      '2026-03-29T07:00:00.000Z',
    );
  });

  it('D4 missed starts are caught up once', () => {
    const every = { kind: 'every', ms: 7_200_000 } as const;
    const now = Date.UTC(2026, 4, 1);
    expect(dueAt(every, now - 10 * 7_200_000, now)).toBe(now);
    expect(dueAt(every, now, now)).toBe(now + 7_200_000);
    expect(dueAt(TOKYO_NINE, now - 5 * 86_400_000, now + 1000)).toBe(now + 1000);
  });

  it('a fixed interval starts at once the first time, a cron expression waits for its hour', () => {
    expect(dueAt({ kind: 'every', ms: 1000 }, null, 50)).toBe(50);
    expect(dueAt(TOKYO_NINE, null, Date.UTC(2026, 4, 1, 12))).toBe(Date.UTC(2026, 4, 2));
  });
});
