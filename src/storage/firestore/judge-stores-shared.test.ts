import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import { CONTRACT_INTERESTS } from '../../judge/contract/judge.ts';
import { JAPANESE_ARTICLE } from '../../judge/contract/sample-answers.ts';
import { createJudge, type JudgeSettings } from '../../judge/create-judge.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { calendarDay } from '../../time/calendar-day.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { FirestoreConnection } from './connection.ts';
import { openFirestoreJudgeStores } from './judge-stores.ts';
import { FirestoreRelay } from './relay.fixture.ts';

// The emulator is slow on a busy machine; slowness is no failure.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** The day never ends, and so neither do its limits. */
const ALWAYS_NOON: Clock = { ...systemClock, now: () => Date.UTC(2026, 4, 5, 12) };

requires('gcloud')('judges with their stores on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  const opened: AsyncDisposable[] = [];
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({});
    opened.push(simulator);
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });

  function open(project: string, clock: Clock = systemClock, host = emulator.host) {
    const connection = new FirestoreConnection({ project, emulator: host, clock, events: silentEvents });
    opened.push(connection);
    return { connection, ...openFirestoreJudgeStores(connection) };
  }

  async function worker(project: string, limits: { readonly callsPerDay?: number }) {
    const stores = open(project);
    const settings: JudgeSettings = {
      kind: 'gemini',
      apiKey: () => simulator.gemini.key,
      baseUrl: `${simulator.urls.gemini}/v1beta`,
      model: 'gemini-2.5-flash',
      price: { inputPerMillion: 0.3, outputPerMillion: 2.5 },
      limits,
    };
    const deps = { clock: ALWAYS_NOON, events: silentEvents, fetch: globalThis.fetch, ...stores };
    return { ...stores, judge: await createJudge(settings, deps) };
  }

  const article = (n: number) => ({ ...JAPANESE_ARTICLE, title: `${JAPANESE_ARTICLE.title} ${n}` });

  it('A5 X9 four workers share the day’s calls and each other’s verdicts', async () => {
    const project = freshProject();
    const workers = await Promise.all(Array.from({ length: 4 }, () => worker(project, { callsPerDay: 20 })));
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => workers[n % 4]?.judge.evaluate(article(n), CONTRACT_INTERESTS)),
    );
    expect(simulator.gemini.total).toBe(20);
    const later = answers.filter((answer) => answer?.outcome === 'later');
    expect(later).toHaveLength(4);
    for (const answer of later) expect(answer).toMatchObject({ why: 'over_budget' });
    for (const [n, answer] of answers.entries())
      if (answer?.outcome === 'judged')
        expect(await workers[(n + 1) % 4]?.judge.evaluate(article(n), CONTRACT_INTERESTS)).toMatchObject({
          outcome: 'judged',
          value: answer.value,
          by: { usage: { calls: 0 } },
        });
    expect(simulator.gemini.total).toBe(20);
  });

  it('A19 a new article costs at most four reads and three writes, a known one a read', async () => {
    const one = await worker(freshProject(), {});
    // The first question of a process also stores the interests.
    await one.judge.evaluate(article(0), CONTRACT_INTERESTS);
    const used = async (ask: () => Promise<unknown>) => {
      const before = one.connection.used;
      await ask();
      const { reads, writes } = one.connection.used;
      return { reads: reads - before.reads, writes: writes - before.writes };
    };
    const evaluate = (n: number, interests = CONTRACT_INTERESTS) => one.judge.evaluate(article(n), interests);
    expect(await used(() => evaluate(1))).toEqual({ reads: 4, writes: 3 });
    expect(await used(() => evaluate(1))).toEqual({ reads: 1, writes: 0 });
    const together = await used(() => Promise.all(Array.from({ length: 40 }, (_, n) => evaluate(10 + n))));
    // Concurrent reservations and usage records of one process share a write.
    expect(together.writes).toBeLessThan(3 * 40);
    expect(together.reads).toBeLessThan(4 * 40);
  });

  it.each(['Commit', 'BatchGetDocuments'] as const)(
    'X9 a %s that was applied and whose reply was lost counts once',
    async (method) => {
      const relay = await new FirestoreRelay(emulator.host).start();
      opened.push(relay);
      const clock = new ManualClock();
      const { budgets } = open(freshProject(), clock, relay.address);
      const day = calendarDay(clock.now(), 'UTC');
      const amount = { calls: 1, tokens: 100, microUsd: 50 };
      const used = { calls: 1, tokens: 7, microUsd: 7 };
      const losing = async <T>(run: () => Promise<T>): Promise<T> => {
        relay.loseNext(method);
        const running = run();
        await vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 60_000 });
        await clock.advance(5 * SECOND);
        return running;
      };
      const now = clock.now();
      const reservation = await losing(() => budgets.reserve('p', amount, { callsPerDay: 1 }, now, day));
      if (!reservation.reserved) throw new Error('expected a reservation');
      expect((await budgets.spent('p', now, day)).today).toEqual(amount);
      await losing(() => budgets.recordUsage(reservation.id, used));
      expect((await budgets.spent('p', now, day)).today).toEqual(used);
    },
  );
});
