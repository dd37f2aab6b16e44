import { describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import type { Amount } from '../../judge/budget/budget.ts';
import { judgeFailureStoreContract, verdictCacheContract } from '../../judge/contract/judge-stores.ts';
import type { CachedVerdict, VerdictKey } from '../../judge/verdict-cache.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { calendarDay } from '../../time/calendar-day.ts';
import { systemClock } from '../../time/clock.ts';
import { FirestoreConnection } from './connection.ts';
import { BUDGETS } from './judge-budgets.ts';
import { INTERESTS, UnreadableJudgeDocumentError, VERDICTS } from './judge-documents.ts';
import { openFirestoreJudgeStores } from './judge-stores.ts';

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

requires('gcloud')('the judge stores on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  const open = (project = freshProject()) => {
    const connection = new FirestoreConnection({
      project,
      emulator: emulator.host,
      clock: systemClock,
      events: silentEvents,
    });
    const stores = openFirestoreJudgeStores(connection);
    return {
      ...stores,
      connection,
      async [Symbol.asyncDispose]() {
        await stores[Symbol.asyncDispose]();
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

  verdictCacheContract('Firestore', async () => {
    const stores = open();
    return { cache: stores.verdicts, [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose]() };
  });

  judgeFailureStoreContract('Firestore', async () => {
    const stores = open();
    return { failures: stores.failures, [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose]() };
  });

  describe('with four workers at the same time', () => {
    it('A5 a verdict that one worker put is read by the others', async () => {
      await workers(4, async (all) => {
        await all[0]?.verdicts.put(KEY, verdict(1));
        for (const { verdicts } of all) expect(await verdicts.get(KEY)).toEqual(verdict(1));
        await Promise.all(all.map(({ verdicts }) => verdicts.save({ version: 'v', topics: [] }, 1)));
        for (const { verdicts } of all) expect(await verdicts.at('v')).toEqual({ version: 'v', topics: [] });
      });
    });
  });

  it('A19 a judged article costs four reads and three writes', async () => {
    const stores = open();
    const { connection, budgets, verdicts } = stores;
    // The first call of a day also reads what an earlier version has spent on it.
    await budgets.reserve('p', ONE, {}, NOON, DAY);
    const before = connection.used;
    await verdicts.get(KEY);
    await verdicts.latest(KEY);
    const reservation = await budgets.reserve('p', ONE, {}, NOON, DAY);
    if (reservation.reserved) await budgets.recordUsage(reservation.id, ONE);
    await verdicts.put(KEY, verdict(1));
    expect(connection.used.reads - before.reads).toBe(4);
    expect(connection.used.writes - before.writes).toBe(3);
    await stores[Symbol.asyncDispose]();
  });

  it('sweeps more verdicts and budgets than one page has', async () => {
    const stores = open();
    const { connection, budgets, verdicts } = stores;
    await Promise.all(
      Array.from({ length: 520 }, (_, i) => verdicts.put({ ...KEY, textHash: String(i) }, verdict(i))),
    );
    await Promise.all(
      Array.from({ length: 110 }, (_, i) => budgets.reserve(`budget/${i}`, ONE, {}, NOON, DAY)),
    );
    expect(await verdicts.sweep(510)).toBe(510);
    expect(await budgets.sweep(DAY.end)).toBe(110);
    expect(await budgets.sweep(DAY.end)).toBe(0);
    expect(connection.used.deletes).toBe(620);
    expect(await verdicts.get({ ...KEY, textHash: '509' })).toBeNull();
    expect(await verdicts.get({ ...KEY, textHash: '510' })).toEqual(verdict(510));
    await stores[Symbol.asyncDispose]();
  });

  it.each([
    [BUDGETS, { version: 99, content: '{}' }, /version 99/],
    [BUDGETS, { version: 1, content: '{"made":1}' }, /not what this program writes/],
    [VERDICTS, { version: 1, content: '{' }, /not what this program writes/],
    [INTERESTS, { version: 1 }, /no content/],
  ])('X17 refuses a document of %s like %j and leaves it as it is', async (collection, data, why) => {
    const stores = open();
    const { connection, budgets, verdicts } = stores;
    await budgets.reserve('p', ONE, {}, NOON, DAY);
    await verdicts.put(KEY, verdict(1));
    await verdicts.save({ version: 'v', topics: [] }, 1);
    const all = { collection, where: [], orderBy: [] };
    const [document] = await connection.query(all, { where: [] });
    await connection.commit([{ do: 'set', at: [collection, document?.id ?? ''], data }]);
    const asked: Record<string, () => Promise<unknown>> = {
      [BUDGETS]: () => budgets.reserve('p', ONE, {}, NOON, DAY),
      [VERDICTS]: () => verdicts.get(KEY),
      [INTERESTS]: () => verdicts.at('v'),
    };
    const refused = await asked[collection]?.().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnreadableJudgeDocumentError);
    expect((refused as Error).message).toMatch(why);
    const [left] = await connection.query(all, { where: [] });
    expect(left?.data()).toEqual(data);
    await stores[Symbol.asyncDispose]();
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
