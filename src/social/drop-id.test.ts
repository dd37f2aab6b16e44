import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDropIds, dropIdTime } from './drop-id.ts';

describe('drop IDs', () => {
  it('are UUIDv7 and contain their time', () => {
    const { id, time } = createDropIds({ now: () => 1_767_225_600_123 }).next();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(time).toBe(1_767_225_600_123);
    expect(dropIdTime(id)).toBe(time);
  });

  it('increase even when the clock goes back, and contain the time that is returned with them', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 60 }), (times) => {
        let at = 0;
        const ids = createDropIds({ now: () => times[at++] ?? 0 });
        const made = times.map(() => ids.next());
        for (const [i, { id, time }] of made.entries()) {
          expect(dropIdTime(id)).toBe(time);
          const before = made[i - 1];
          expect(before === undefined || id > before.id).toBe(true);
        }
      }),
    );
  });

  it('continue past the counter of one millisecond', () => {
    const ids = createDropIds({ now: () => 1000, random: (bytes) => bytes.fill(255) });
    const made = Array.from({ length: 10_000 }, () => ids.next().id);
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });

  it.each(['', 'x', '0190A000-0000-7000-8000-000000000000', '0190a000-0000-4000-8000-000000000000'])(
    'have no time in %j',
    (id) => {
      expect(dropIdTime(id)).toBeNull();
    },
  );
});
