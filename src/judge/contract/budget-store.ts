import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { calendarDay } from '../../time/calendar-day.ts';
import type { Amount, BudgetLimits, BudgetStore } from '../budget/budget.ts';

const NOON = Date.UTC(2026, 4, 5, 12);
const DAY = calendarDay(NOON, 'UTC');
const ONE_CALL: Amount = { calls: 1, tokens: 100, microUsd: 50 };

/** Supplied by an adapter's test; two workers open the store twice. */
export interface BudgetBackend extends AsyncDisposable {
  open(): Promise<BudgetStore>;
  /** Whether two openings share their data. */
  readonly shared: boolean;
}

/** Contract of a budget store. */
export function budgetStoreContract(name: string, setUp: () => Promise<BudgetBackend>): void {
  describe(`${name} as a budget store`, () => {
    let place: BudgetBackend;
    let store: BudgetStore;
    beforeEach(async () => {
      place = await setUp();
      store = await place.open();
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });
    const reserve = (limits: BudgetLimits, now = NOON, amount = ONE_CALL, budget = 'p') =>
      store.reserve(budget, amount, limits, now, calendarDay(now, 'UTC'));

    it('X9 without limits everything is reserved', async () => {
      for (let i = 0; i < 5; i++) expect((await reserve({})).reserved).toBe(true);
      expect((await store.spent('p', NOON, DAY)).today).toEqual({ calls: 5, tokens: 500, microUsd: 250 });
    });

    it.each<[keyof BudgetLimits, number]>([
      ['callsPerDay', 2],
      ['tokensPerDay', 250],
      ['microUsdPerDay', 149],
    ])('X9 the limit %s applies until the next day', async (limit, most) => {
      expect((await reserve({ [limit]: most })).reserved).toBe(true);
      expect((await reserve({ [limit]: most })).reserved).toBe(true);
      expect(await reserve({ [limit]: most })).toEqual({ reserved: false, limit, until: DAY.end });
      expect((await reserve({ [limit]: most }, DAY.end)).reserved).toBe(true);
    });

    it('X9 calls a minute are limited until the oldest call is a minute old', async () => {
      await reserve({}, NOON);
      await reserve({}, NOON + 20_000);
      const limits = { callsPerMinute: 2 };
      expect(await reserve(limits, NOON + 59_999)).toEqual({
        reserved: false,
        limit: 'callsPerMinute',
        until: NOON + 60_000,
      });
      expect((await reserve(limits, NOON + 60_000)).reserved).toBe(true);
    });

    it('X9 calls recorded by a clock that was ahead do not count until then', async () => {
      const limits = { callsPerMinute: 1 };
      await reserve(limits, NOON + 3 * 3_600_000);
      expect((await reserve(limits, NOON)).reserved).toBe(true);
      expect(await reserve(limits, NOON + 1)).toMatchObject({ reserved: false, until: NOON + 60_000 });
    });

    it('X9 recorded usage replaces the reservation', async () => {
      const reservation = await reserve({ tokensPerDay: 150 });
      if (!reservation.reserved) throw new Error('expected a reservation');
      expect((await reserve({ tokensPerDay: 150 })).reserved).toBe(false);
      await store.recordUsage(reservation.id, { calls: 1, tokens: 10, microUsd: 1 });
      expect((await reserve({ tokensPerDay: 150 })).reserved).toBe(true);
    });

    it('recording usage twice, or of an unknown reservation, changes nothing', async () => {
      const reservation = await reserve({});
      if (!reservation.reserved) throw new Error('expected a reservation');
      await store.recordUsage(reservation.id, { calls: 1, tokens: 7, microUsd: 7 });
      await store.recordUsage(reservation.id, { calls: 1, tokens: 900, microUsd: 900 });
      await store.recordUsage('unknown', { calls: 1, tokens: 900, microUsd: 900 });
      expect((await store.spent('p', NOON, DAY)).today).toEqual({ calls: 1, tokens: 7, microUsd: 7 });
    });

    it('budgets are independent', async () => {
      await reserve({}, NOON, ONE_CALL, 'a');
      expect((await reserve({ callsPerDay: 1 }, NOON, ONE_CALL, 'b')).reserved).toBe(true);
    });

    it('X9 concurrent workers never exceed a limit together', async (context) => {
      if (!place.shared) return context.skip('two openings of this store share nothing');
      const other = await place.open();
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? store : other).reserve('p', ONE_CALL, { callsPerDay: 13 }, NOON, DAY),
        ),
      );
      expect(outcomes.filter((outcome) => outcome.reserved)).toHaveLength(13);
      await other[Symbol.asyncDispose]();
    });

    it('a reservation without recorded usage stays spent', async (context) => {
      if (!place.shared) return context.skip('two openings of this store share nothing');
      await reserve({});
      const other = await place.open();
      expect((await other.spent('p', NOON, DAY)).today.tokens).toBe(100);
      await other[Symbol.asyncDispose]();
    });

    it('deletes old calls when it is swept', async () => {
      await reserve({}, NOON - 90_000_000);
      await reserve({});
      expect(await store.sweep(NOON - 1)).toBe(1);
      expect((await store.spent('p', NOON, DAY)).today.calls).toBe(1);
    });
  });
}
