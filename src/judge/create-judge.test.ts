import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import {
  createMemoryBudgetStore,
  createMemoryJudgeFailureStore,
  createMemoryVerdictCache,
} from '../storage/memory/judge-stores.ts';
import { silentEvents } from '../telemetry/events.ts';
import { systemClock } from '../time/clock.ts';
import { CONTRACT_INTERESTS, CONTRACT_STYLE } from './contract/judge.ts';
import { ENGLISH_ARTICLE, JAPANESE_ARTICLE, judged } from './contract/sample-answers.ts';
import type { JudgeSettings } from './create-judge.ts';
import { createJudge, createJudges, JudgeSettingsError, judgeSpend } from './create-judge.ts';

describe('createJudge', () => {
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator({ openai: { models: ['small'] } });
  });
  afterEach(() => simulator[Symbol.asyncDispose]());

  const deps = () => ({
    clock: systemClock,
    events: silentEvents,
    fetch: globalThis.fetch,
    budgets: createMemoryBudgetStore(),
    verdicts: createMemoryVerdictCache(),
    failures: createMemoryJudgeFailureStore(),
  });
  const gemini = (more: object = {}): Extract<JudgeSettings, { kind: 'gemini' }> => ({
    kind: 'gemini',
    apiKey: () => simulator.gemini.key,
    model: 'gemini-2.5-flash',
    baseUrl: `${simulator.urls.gemini}/v1beta`,
    price: { inputPerMillion: 0.3, outputPerMillion: 2.5 },
    ...more,
  });

  it('A5 X9 asks the simulated Gemini once for the same article, and shows the spend', async () => {
    const parts = deps();
    const judge = await createJudge(gemini(), parts);
    for (let i = 0; i < 3; i++) judged(await judge.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS));
    judged(await judge.screen(JAPANESE_ARTICLE, []));
    expect(simulator.gemini.total).toBe(2);
    const spend = await judgeSpend(gemini(), parts);
    expect(spend?.today.calls).toBe(2);
    expect(spend?.today.microUsd).toBeGreaterThan(0);
  });

  it('X9 at the limit items wait', async () => {
    const judge = await createJudge(gemini({ limits: { callsPerDay: 1 } }), deps());
    judged(await judge.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS));
    expect(await judge.evaluate(ENGLISH_ARTICLE, CONTRACT_INTERESTS)).toMatchObject({
      outcome: 'later',
      why: 'over_budget',
      retryAt: expect.any(Number),
    });
  });

  it('X8 asks the simulated OpenAI-compatible server', async () => {
    const judge = await createJudge(
      {
        kind: 'openai',
        baseUrl: `${simulator.urls.openai}/v1`,
        model: 'small',
        apiKey: () => simulator.openai.key,
      },
      deps(),
    );
    judged(await judge.evaluate(ENGLISH_ARTICLE, CONTRACT_INTERESTS));
  });

  it('A5 X9 other settings of the same model re-evaluate nothing; another model does', async () => {
    const parts = deps();
    const ask = async (more: object) => {
      const judge = await createJudge(gemini(more), parts);
      judged(await judge.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS));
      return simulator.gemini.total;
    };
    expect(await ask({})).toBe(1);
    expect(await ask({ maxOutputTokens: 3000, temperature: 1, reasoning: 'low', timeoutMs: 9000 })).toBe(1);
    expect(await ask({ model: 'gemini-2.5-flash-lite' })).toBe(2);
  });

  it.each<[string, object, number]>([
    ['by default', {}, 8192],
    ['as set', { maxOutputTokens: 700 }, 700],
    ['a quarter of the tokens of a day', { limits: { tokensPerDay: 20_000 } }, 5000],
    ['a quarter of the money of a day', { limits: { microUsdPerDay: 30_000 } }, 3000],
    ['not less than a plain answer needs', { limits: { microUsdPerDay: 9000 } }, 2048],
  ])('X9 an answer may be as long %s', async (_, more, tokens) => {
    const seen: unknown[] = [];
    const fetch: typeof globalThis.fetch = (url, init) => {
      seen.push(JSON.parse(String(init?.body)).generationConfig.maxOutputTokens);
      return globalThis.fetch(url, init);
    };
    const judge = await createJudge(gemini(more), { ...deps(), fetch });
    judged(await judge.evaluate(ENGLISH_ARTICLE, CONTRACT_INTERESTS));
    expect(seen).toEqual([tokens]);
  });

  it('X18 falls back to another judge while this one is unavailable', async () => {
    const judges = await createJudges(
      { local: { kind: 'local' }, far: { ...gemini({ apiKey: () => 'wrong' }), fallback: 'local' } },
      deps(),
    );
    expect(await judges.get('far')?.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS)).toMatchObject({
      outcome: 'judged',
      by: { judge: 'local', provisional: true },
    });
    expect(await judges.get('far')?.summarise(JAPANESE_ARTICLE, [], CONTRACT_STYLE)).toMatchObject({
      by: { provisional: true },
    });
  });

  it('verdicts carry the name that the configuration gives the judge', async () => {
    const judges = await createJudges({ far: gemini() }, deps());
    expect(await judges.get('far')?.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS)).toMatchObject({
      by: { judge: 'far', model: 'gemini-2.5-flash', provisional: false },
    });
  });

  it('refuses a limit of money without a price', async () => {
    const { price: _, ...priceless } = gemini({ limits: { microUsdPerDay: 5 } });
    await expect(createJudge(priceless, deps())).rejects.toThrow(JudgeSettingsError);
  });
});
