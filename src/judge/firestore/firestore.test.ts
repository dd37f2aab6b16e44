import { describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import { FirestoreConnection } from '../../firestore/connection.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { calendarDay } from '../../time/calendar-day.ts';
import { systemClock } from '../../time/clock.ts';
import type { Amount, BudgetLimits } from '../budget-store.ts';
import { budgetStoreContract } from '../contract/budget-store-contract.ts';
import { judgeTroublesContract } from '../contract/judge-troubles-contract.ts';
import { verdictCacheContract } from '../contract/verdict-cache-contract.ts';
import type { CachedVerdict, VerdictKey } from '../verdict-cache.ts';
import { UnreadableJudgeDocumentError } from './content.ts';
import { openFirestoreJudgeMemory } from './open.ts';
import { INTERESTS, PURSES, VERDICTS } from './queries.ts';

// The emulator is slow on a busy machine; slowness is no failure.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NOON = Date.UTC(2026, 4, 5, 12);
const DAY = calendarDay(NOON, 'UTC');
const ONE: Amount = { calls: 1, tokens: 100, microUsd: 50 };
const KEY: VerdictKey = {
  question: 'evaluate',
  textHash: 't',
  interestsVersion: 'i',
  model: 'gemini/m',
  promptVersion: 'p',
};

requires('gcloud')('the judges’ memory on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  const open = (project = freshProject()) => {
    const connection = new FirestoreConnection({
      project,
      emulator: emulator.host,
      clock: systemClock,
      events: silentEvents,
    });
    const memory = openFirestoreJudgeMemory(connection);
    return {
      ...memory,
      connection,
      async [Symbol.asyncDispose]() {
        await memory[Symbol.asyncDispose]();
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
        const memory = open(project);
        return { ...memory.budgets, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
      },
      shared: true,
      async [Symbol.asyncDispose]() {},
    };
  });

  verdictCacheContract('Firestore', async () => {
    const memory = open();
    return { cache: memory.verdicts, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
  });

  judgeTroublesContract('Firestore', async () => {
    const memory = open();
    return { troubles: memory.troubles, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
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

    it('X9 what each settles frees what the others may spend, and the sums are exact', async () => {
      await workers(4, async (all) => {
        const used = { calls: 1, tokens: 10, microUsd: 3 };
        const work = async ({ budgets }: (typeof all)[number]): Promise<number> => {
          let done = 0;
          for (let tries = 0; done < 10 && tries < 1000; tries++) {
            const reservation = await budgets.reserve('p', ONE, { tokensPerDay: 790 }, NOON, DAY);
            if (!reservation.reserved) continue;
            await budgets.settle(reservation.id, used);
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

    it('X9 one settles what another reserved, and only one of them counts', async () => {
      await workers(4, async (all) => {
        const reservation = await all[0]?.budgets.reserve('a/b', ONE, {}, NOON, DAY);
        if (!reservation?.reserved) throw new Error('expected a reservation');
        const used = { calls: 1, tokens: 7, microUsd: 7 };
        await Promise.all(all.map(({ budgets }) => budgets.settle(reservation.id, used)));
        expect((await all[1]?.budgets.spent('a/b', NOON, DAY))?.today).toEqual(used);
      });
    });

    it('A5 what one put, the others get', async () => {
      await workers(4, async (all) => {
        await all[0]?.verdicts.put(KEY, verdict(1));
        for (const { verdicts } of all) expect(await verdicts.get(KEY)).toEqual(verdict(1));
        await Promise.all(all.map(({ verdicts }) => verdicts.remember({ version: 'v', topics: [] }, 1)));
        for (const { verdicts } of all) expect(await verdicts.at('v')).toEqual({ version: 'v', topics: [] });
      });
    });
  });

  it('A19 a judged article costs four reads and three writes', async () => {
    const memory = open();
    const { connection, budgets, verdicts } = memory;
    await verdicts.get(KEY);
    await verdicts.latest(KEY);
    const reservation = await budgets.reserve('p', ONE, {}, NOON, DAY);
    if (reservation.reserved) await budgets.settle(reservation.id, ONE);
    await verdicts.put(KEY, verdict(1));
    expect(connection.used).toEqual({ reads: 4, writes: 3, deletes: 0 });
    await memory[Symbol.asyncDispose]();
  });

  it('A19 calls at the same time share their writes', async () => {
    const memory = open();
    await Promise.all(Array.from({ length: 100 }, () => memory.budgets.reserve('p', ONE, {}, NOON, DAY)));
    expect(memory.connection.used.writes).toBeLessThanOrEqual(2);
    expect((await memory.budgets.spent('p', NOON, DAY)).today.calls).toBe(100);
    await memory[Symbol.asyncDispose]();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('refuses an amount of %d tokens', async (tokens) => {
    const memory = open();
    const { budgets } = memory;
    await expect(budgets.reserve('p', { ...ONE, tokens }, {}, NOON, DAY)).rejects.toThrow(RangeError);
    const reservation = await budgets.reserve('p', ONE, {}, NOON, DAY);
    if (!reservation.reserved) throw new Error('expected a reservation');
    await expect(budgets.settle(reservation.id, { ...ONE, tokens })).rejects.toThrow(/tokens/);
    expect((await budgets.spent('p', NOON, DAY)).today).toEqual(ONE);
    await memory[Symbol.asyncDispose]();
  });

  it('sweeps more verdicts and purses than one page has', async () => {
    const memory = open();
    const { connection, budgets, verdicts } = memory;
    await Promise.all(
      Array.from({ length: 520 }, (_, i) => verdicts.put({ ...KEY, textHash: String(i) }, verdict(i))),
    );
    await Promise.all(
      Array.from({ length: 110 }, (_, i) => budgets.reserve(`purse/${i}`, ONE, {}, NOON, DAY)),
    );
    expect(await verdicts.sweep(510)).toBe(510);
    expect(await budgets.sweep(DAY.end)).toBe(110);
    expect(await budgets.sweep(DAY.end)).toBe(0);
    expect(connection.used.deletes).toBe(620);
    expect(await verdicts.get({ ...KEY, textHash: '509' })).toBeNull();
    expect(await verdicts.get({ ...KEY, textHash: '510' })).toEqual(verdict(510));
    await memory[Symbol.asyncDispose]();
  });

  it.each([
    [PURSES, { version: 99, content: '{}' }, /version 99/],
    [PURSES, { version: 1, content: '{"quarters":1}' }, /not what this program writes/],
    [VERDICTS, { version: 1, content: '{' }, /not what this program writes/],
    [INTERESTS, { version: 1 }, /no content/],
  ])('X17 refuses a document of %s like %j and leaves it as it is', async (collection, data, why) => {
    const memory = open();
    const { connection, budgets, verdicts } = memory;
    await budgets.reserve('p', ONE, {}, NOON, DAY);
    await verdicts.put(KEY, verdict(1));
    await verdicts.remember({ version: 'v', topics: [] }, 1);
    const all = { collection, where: [], orderBy: [] };
    const [document] = await connection.query(all, { where: [] });
    await connection.commit([{ do: 'set', at: [collection, document?.id ?? ''], data }]);
    const asked: Record<string, () => Promise<unknown>> = {
      [PURSES]: () => budgets.reserve('p', ONE, {}, NOON, DAY),
      [VERDICTS]: () => verdicts.get(KEY),
      [INTERESTS]: () => verdicts.at('v'),
    };
    const refused = await asked[collection]?.().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnreadableJudgeDocumentError);
    expect((refused as Error).message).toMatch(why);
    const [left] = await connection.query(all, { where: [] });
    expect(left?.data()).toEqual(data);
    await memory[Symbol.asyncDispose]();
  });
});

function verdict(madeAt: number): CachedVerdict {
  return {
    value: { score: 70, topics: ['漆'], summary: 'half a pair: \ud83d', reason: '”' },
    by: {
      judge: 'gemini',
      model: 'm',
      promptVersion: 'p',
      provisional: false,
      usage: { calls: 1, inputTokens: 2, outputTokens: 3, microUsd: 4, ms: 5 },
    },
    madeAt,
  };
}
