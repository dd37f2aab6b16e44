import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarDay } from '../../time/calendar-day.ts';
import type { Amount } from '../budget-store.ts';
import { createMemoryBudgetStore } from '../memory/budget-store.ts';
import { EMPTY_PURSE, type Purse, reserveFrom, settledIn, spentFrom, sweptFrom } from './purse.ts';
import { purseDocument } from './purse-document.ts';

const NOON = Date.UTC(2026, 4, 5, 12);
const DAY = calendarDay(NOON, 'UTC');
const ONE: Amount = { calls: 1, tokens: 100, microUsd: 50 };
const HOUR = 3_600_000;

function taken(purse: Purse, id: string, now: number): Purse {
  return reserveFrom(purse, { id, amount: ONE, limits: {}, now, day: calendarDay(now, 'UTC') }).purse;
}

describe('a purse', () => {
  it('X9 answers as a store that remembers every call', async () => {
    const amount = fc.record({
      calls: fc.integer({ min: 1, max: 2 }),
      tokens: fc.integer({ min: 0, max: 300 }),
      microUsd: fc.integer({ min: 0, max: 90 }),
    });
    const step = fc.record({
      // Up to some seconds, or up to some hours.
      later: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 9 * HOUR })),
      amount,
      used: fc.option(fc.record({ back: fc.nat({ max: 5 }), amount })),
    });
    const limits = fc.record(
      {
        callsPerMinute: fc.integer({ min: 1, max: 4 }),
        callsPerDay: fc.integer({ min: 1, max: 9 }),
        tokensPerDay: fc.integer({ min: 1, max: 900 }),
        microUsdPerDay: fc.integer({ min: 1, max: 300 }),
      },
      { requiredKeys: [] },
    );
    const zone = fc.constantFrom('UTC', 'Asia/Tokyo', 'Asia/Kathmandu', 'America/St_Johns', 'Europe/Berlin');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), limits, zone, async (steps, wanted, timeZone) => {
        const model = createMemoryBudgetStore();
        const ids: [ours: string, theirs: string][] = [];
        let purse = EMPTY_PURSE;
        let now = NOON;
        for (const [index, { later, amount: asked, used }] of steps.entries()) {
          now += later;
          const day = calendarDay(now, timeZone);
          const id = String(index);
          const theirs = await model.reserve('p', asked, wanted, now, day);
          const ours = reserveFrom(purse, { id, amount: asked, limits: wanted, now, day });
          purse = ours.purse;
          if (theirs.reserved) ids.push([id, theirs.id]);
          expect(ours.answer).toEqual(theirs.reserved ? { reserved: true } : theirs);
          const settled = used === null ? undefined : ids.at(-1 - used.back);
          if (settled !== undefined && used !== null) {
            purse = settledIn(purse, settled[0], used.amount);
            await model.settle(settled[1], used.amount);
          }
          expect(spentFrom(purse, now, day)).toEqual(await model.spent('p', now, day));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('X9 a reservation that is tried again counts once', () => {
    const once = taken(EMPTY_PURSE, 'a', NOON);
    const again = reserveFrom(once, {
      id: 'a',
      amount: ONE,
      limits: { callsPerDay: 1 },
      now: NOON,
      day: DAY,
    });
    expect(again).toEqual({ purse: once, answer: { reserved: true } });
  });

  it('X9 the minute before midnight counts for the minute, and not for the day', () => {
    const purse = taken(EMPTY_PURSE, 'a', DAY.end - 1_000);
    const next = calendarDay(DAY.end, 'UTC');
    expect(spentFrom(purse, DAY.end + 1_000, next)).toEqual({
      lastMinute: { calls: 1 },
      today: { calls: 0, tokens: 0, microUsd: 0 },
    });
  });

  it('X9 a worker whose clock is ahead takes nothing away from the others', () => {
    const purse = taken(taken(EMPTY_PURSE, 'a', NOON), 'b', NOON + 100_000);
    expect(spentFrom(purse, NOON, DAY).lastMinute.calls).toBe(2);
  });

  it('stays small and never counts too little, however much is called and never settled', () => {
    let purse = EMPTY_PURSE;
    let now = NOON;
    for (let i = 0; i < 3_000; i++) {
      now += 40;
      purse = taken(purse, `0b9f1c5e-5a77-4a1c-9f25-${i}`, now);
      expect(spentFrom(purse, now, DAY).lastMinute.calls).toBeGreaterThanOrEqual(Math.min(i + 1, 1_500));
    }
    // Up to a second more than the minute is told.
    expect(spentFrom(purse, now, DAY).lastMinute.calls).toBeLessThanOrEqual(1_525);
    expect(spentFrom(purse, now, DAY).today.calls).toBe(3_000);
    for (let day = 1; day <= 10; day++)
      for (let quarter = 0; quarter < 96; quarter++)
        purse = taken(purse, `${day} ${quarter}`, DAY.end + day * 24 * HOUR + quarter * 15 * 60_000);
    expect(JSON.stringify(purseDocument('p', purse)).length).toBeLessThan(64_000);
    expect(purse.quarters.length).toBeLessThanOrEqual(193);
  });

  it('forgets whole quarters, and says how many calls that were', () => {
    const purse = ['a', 'b', 'c'].reduce((all, id, i) => taken(all, id, NOON + i * 10 * 60_000), EMPTY_PURSE);
    const swept = sweptFrom(purse, NOON + 15 * 60_000);
    expect(swept.answer).toBe(2);
    expect(spentFrom(swept.purse, NOON, DAY).today).toEqual(ONE);
    expect(settledIn(swept.purse, 'a', { calls: 9, tokens: 9, microUsd: 9 })).toBe(swept.purse);
    expect(sweptFrom(purse, NOON + 1)).toEqual({ purse, answer: 0 });
  });
});
