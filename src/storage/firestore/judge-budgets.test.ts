import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import type { Amount, BudgetLimits, BudgetStore } from '../../judge/budget/budget.ts';
import { budgetStoreContract } from '../../judge/contract/budget-store.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { calendarDay } from '../../time/calendar-day.ts';
import { systemClock } from '../../time/clock.ts';
import { HOUR, MINUTE, SECOND } from '../../time/duration.ts';
import { createMemoryBudgetStore } from '../memory/judge-stores.ts';
import { type DocumentPath, FirestoreConnection, type Mutation } from './connection.ts';
import { BUDGETS, createFirestoreJudgeBudgets, EARLIER_BUDGETS } from './judge-budgets.ts';
import { contentOf, hashedIdOf } from './judge-documents.ts';

// The emulator is slow on a busy machine; slowness is no failure.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NOON = Date.UTC(2026, 4, 5, 12);
const DAY = calendarDay(NOON, 'UTC');
const ONE: Amount = { calls: 1, tokens: 100, microUsd: 50 };

/** Documents in memory, for what needs no database. */
function inMemory(): { budgets: BudgetStore; documents: Map<string, DocumentData> } {
  const documents = new Map<string, DocumentData>();
  const get = async ([collection, id]: DocumentPath): Promise<DocumentSnapshot> => {
    const path = `${collection}/${id}`;
    const data = documents.get(path);
    return {
      exists: data !== undefined,
      ref: { path },
      updateTime: data && {},
      data: () => data,
      get: (field: string): unknown => data?.[field],
    } as unknown as DocumentSnapshot;
  };
  const connection = {
    get,
    async mutate<T>(
      place: DocumentPath,
      decide: (now: DocumentSnapshot) => Promise<Mutation<T>>,
    ): Promise<T> {
      const { value, writes } = await decide(await get(place));
      for (const write of writes) if ('data' in write) documents.set(write.at.join('/'), write.data);
      return value;
    },
  } as unknown as FirestoreConnection;
  return { budgets: createFirestoreJudgeBudgets(connection), documents };
}

async function reserved(budgets: BudgetStore, now: number, budget = 'p'): Promise<string> {
  const reservation = await budgets.reserve(budget, ONE, {}, now, calendarDay(now, 'UTC'));
  if (!reservation.reserved) throw new Error('expected a reservation');
  return reservation.id;
}

/** A budget of the previous version. */
function earlierBudget(budget: string, quarters: readonly number[][], recent: readonly number[][] = []) {
  const at = [EARLIER_BUDGETS, hashedIdOf([budget])] as const;
  const sweep_from = (quarters[0]?.[0] ?? 0) + 15 * MINUTE;
  return { at, data: { purse: budget, sweep_from, ...contentOf({ quarters, recent, open: [] }) } };
}

describe('the document of a budget and a day', () => {
  it('X9 answers as a store that records every call', async () => {
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
        const { budgets } = inMemory();
        const model = createMemoryBudgetStore();
        const ids: [ours: string, theirs: string][] = [];
        let now = NOON;
        for (const { later, amount: asked, used } of steps) {
          now += later;
          const day = calendarDay(now, timeZone);
          const ours = await budgets.reserve('p', asked, wanted, now, day);
          const theirs = await model.reserve('p', asked, wanted, now, day);
          if (ours.reserved && theirs.reserved) ids.push([ours.id, theirs.id]);
          else expect(ours).toEqual(theirs);
          const reservation = used === null ? undefined : ids.at(-1 - used.back);
          if (reservation !== undefined && used !== null) {
            await budgets.recordUsage(reservation[0], used.amount);
            await model.recordUsage(reservation[1], used.amount);
          }
          expect(await budgets.spent('p', now, day)).toEqual(await model.spent('p', now, day));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('X9 the minute before midnight counts toward the limit per minute, not per day', async () => {
    const { budgets } = inMemory();
    await reserved(budgets, DAY.end - SECOND);
    const next = calendarDay(DAY.end, 'UTC');
    expect(await budgets.spent('p', DAY.end + SECOND, next)).toEqual({
      lastMinute: { calls: 1 },
      today: { calls: 0, tokens: 0, microUsd: 0 },
    });
    expect(await budgets.reserve('p', ONE, { callsPerMinute: 1 }, DAY.end + SECOND, next)).toEqual({
      reserved: false,
      limit: 'callsPerMinute',
      until: DAY.end + 59 * SECOND,
    });
  });

  it('X9 usage of a call over midnight is recorded on the day of its reservation', async () => {
    const { budgets, documents } = inMemory();
    const id = await reserved(budgets, DAY.end - 1);
    await reserved(budgets, DAY.end);
    await budgets.recordUsage(id, { calls: 1, tokens: 7, microUsd: 7 });
    expect((await budgets.spent('p', DAY.end - 1, DAY)).today.tokens).toBe(7);
    expect((await budgets.spent('p', DAY.end, calendarDay(DAY.end, 'UTC'))).today.tokens).toBe(100);
    expect([...documents.keys()].every((path) => path.startsWith(`${BUDGETS}/`))).toBe(true);
  });

  it('X9 a worker whose clock is ahead removes nothing that the others count', async () => {
    const { budgets } = inMemory();
    await reserved(budgets, NOON);
    await reserved(budgets, NOON + 100 * SECOND);
    expect((await budgets.spent('p', NOON, DAY)).lastMinute.calls).toBe(2);
  });

  it('stays small and never counts too little, however many reservations are left open', async () => {
    const { budgets, documents } = inMemory();
    let now = NOON;
    for (let call = 0; call < 800; call++) {
      now += 200;
      await reserved(budgets, now);
    }
    expect(await budgets.spent('p', now, DAY)).toMatchObject({
      lastMinute: { calls: 300 },
      today: { calls: 800 },
    });
    expect(JSON.stringify([...documents.values()]).length).toBeLessThan(64_000);
  });

  it('X9 the spending of the previous version on the day counts, once', async () => {
    const { budgets, documents } = inMemory();
    const { at, data } = earlierBudget(
      'p',
      [
        [DAY.start - 15 * MINUTE, 5, 5, 500, 250],
        [DAY.start, 2, 2, 200, 100],
        [NOON - 15 * MINUTE, 1, 1, 100, 50],
      ],
      [[NOON - 30 * SECOND, 1]],
    );
    documents.set(at.join('/'), data);
    expect(await budgets.spent('p', NOON, DAY)).toEqual({
      lastMinute: { calls: 1 },
      today: { calls: 3, tokens: 300, microUsd: 150 },
    });
    for (const refused of [false, true]) {
      const reservation = await budgets.reserve('p', ONE, { callsPerDay: 4 }, NOON, DAY);
      expect(reservation.reserved).toBe(!refused);
    }
    expect((await budgets.spent('p', NOON, DAY)).today.calls).toBe(4);
    expect(documents.get(at.join('/'))).toEqual(data);
    const next = calendarDay(DAY.end, 'UTC');
    expect((await budgets.spent('p', next.start + HOUR, next)).today.calls).toBe(0);
  });
});

requires('gcloud')('the judges’ budgets on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  const open = (project = freshProject()) => {
    const connection = new FirestoreConnection({
      project,
      emulator: emulator.host,
      clock: systemClock,
      events: silentEvents,
    });
    const budgets = createFirestoreJudgeBudgets(connection);
    return {
      budgets,
      connection,
      async [Symbol.asyncDispose]() {
        await budgets[Symbol.asyncDispose]();
        await connection[Symbol.asyncDispose]();
      },
    };
  };

  const workers = async (count: number, use: (all: ReturnType<typeof open>[]) => Promise<void>) => {
    const project = freshProject();
    const all = Array.from({ length: count }, () => open(project));
    try {
      await use(all);
    } finally {
      for (const one of all) await one[Symbol.asyncDispose]();
    }
  };

  budgetStoreContract('Firestore', async () => {
    const project = freshProject();
    return {
      async open() {
        const { budgets, ...opened } = open(project);
        return { ...budgets, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
      },
      shared: true,
      async [Symbol.asyncDispose]() {},
    };
  });

  describe('with four workers at the same time', () => {
    it.each<[keyof BudgetLimits, number, number]>([
      ['callsPerMinute', 17, 17],
      ['callsPerDay', 23, 23],
      ['tokensPerDay', 1_999, 19],
      ['microUsdPerDay', 1_049, 20],
    ])('X9 %s holds', async (limit, most, granted) => {
      await workers(4, async (all) => {
        const outcomes = await Promise.all(
          Array.from({ length: 80 }, (_, i) =>
            all[i % 4]?.budgets.reserve('p', ONE, { [limit]: most }, NOON, DAY),
          ),
        );
        expect(outcomes.filter((outcome) => outcome?.reserved)).toHaveLength(granted);
        const refused = outcomes.flatMap((outcome) => (outcome?.reserved ? [] : [outcome?.limit]));
        expect(new Set(refused)).toEqual(new Set([limit]));
        const { today } = (await all[0]?.budgets.spent('p', NOON, DAY)) ?? {};
        expect(today).toEqual({ calls: granted, tokens: 100 * granted, microUsd: 50 * granted });
      });
    });

    it('X9 recorded usage frees what the others may spend, and the sums are exact', async () => {
      await workers(4, async (all) => {
        const used = { calls: 1, tokens: 10, microUsd: 3 };
        const work = async ({ budgets }: (typeof all)[number]): Promise<number> => {
          let done = 0;
          for (let tries = 0; done < 10 && tries < 1000; tries++) {
            const reservation = await budgets.reserve('p', ONE, { tokensPerDay: 790 }, NOON, DAY);
            if (!reservation.reserved) continue;
            await budgets.recordUsage(reservation.id, used);
            done++;
          }
          return done;
        };
        await Promise.all(all.map(work));
        expect((await all[0]?.budgets.spent('p', NOON, DAY))?.today).toEqual({
          calls: 40,
          tokens: 400,
          microUsd: 120,
        });
      });
    });

    it('X9 one records the usage of another’s reservation, and only one of them counts', async () => {
      await workers(4, async (all) => {
        const reservation = await all[0]?.budgets.reserve('a/b', ONE, {}, NOON, DAY);
        if (!reservation?.reserved) throw new Error('expected a reservation');
        const used = { calls: 1, tokens: 7, microUsd: 7 };
        await Promise.all(all.map(({ budgets }) => budgets.recordUsage(reservation.id, used)));
        expect((await all[1]?.budgets.spent('a/b', NOON, DAY))?.today).toEqual(used);
      });
    });
  });

  it('A19 calls at the same time share their writes', async () => {
    const { budgets, connection, ...opened } = open();
    await Promise.all(Array.from({ length: 100 }, () => budgets.reserve('p', ONE, {}, NOON, DAY)));
    expect(connection.used.writes).toBeLessThanOrEqual(2);
    expect((await budgets.spent('p', NOON, DAY)).today.calls).toBe(100);
    await opened[Symbol.asyncDispose]();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('refuses an amount of %d tokens', async (tokens) => {
    const { budgets, ...opened } = open();
    await expect(budgets.reserve('p', { ...ONE, tokens }, {}, NOON, DAY)).rejects.toThrow(RangeError);
    const id = await reserved(budgets, NOON);
    await expect(budgets.recordUsage(id, { ...ONE, tokens })).rejects.toThrow(/tokens/);
    expect((await budgets.spent('p', NOON, DAY)).today).toEqual(ONE);
    await opened[Symbol.asyncDispose]();
  });

  it('X20 sweeps past days, and old documents of the previous version', async () => {
    const { budgets, connection, ...opened } = open();
    const id = await reserved(budgets, NOON);
    await reserved(budgets, DAY.end);
    expect(await budgets.sweep(DAY.end - 1)).toBe(0);
    expect(await budgets.sweep(DAY.end)).toBe(1);
    await budgets.recordUsage(id, ONE);
    expect((await budgets.spent('p', NOON, DAY)).today.calls).toBe(0);
    expect((await budgets.spent('p', DAY.end, calendarDay(DAY.end, 'UTC'))).today.calls).toBe(1);
    const { at, data } = earlierBudget('p', [[DAY.start, 3, 3, 0, 0]]);
    await connection.commit([{ do: 'create', at, data }]);
    const { updateTime } = await connection.get(at);
    const written = updateTime?.toMillis() ?? 0;
    await budgets.sweep(written - HOUR);
    expect((await connection.get(at)).exists).toBe(true);
    await budgets.sweep(written + HOUR);
    expect((await connection.get(at)).exists).toBe(false);
    await opened[Symbol.asyncDispose]();
  });
});
