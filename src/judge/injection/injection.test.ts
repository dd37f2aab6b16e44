import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GEMINI_KEY } from '../../../simulator/gemini/gemini.ts';
import type { Simulator } from '../../../simulator/simulator.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import {
  createMemoryBudgetStore,
  createMemoryJudgeFailureStore,
  createMemoryVerdictCache,
} from '../../storage/memory/judge-stores.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { systemClock } from '../../time/clock.ts';
import { CONTRACT_INTERESTS, CONTRACT_STYLE } from '../contract/judge.ts';
import { answerWith, scriptedModel } from '../contract/sample-answers.ts';
import { createJudge } from '../create-judge.ts';
import type { Judge } from '../judge.ts';
import { createLocalJudge } from '../local/local-judge.ts';
import { loadPrompts } from '../prompts.ts';
import { createRemoteJudge } from '../remote/remote-judge.ts';
import { countCharacters } from '../text-length.ts';
import { harmIn, hostileArticles } from './corpus.ts';

const hostile = await hostileArticles();
const topics = CONTRACT_INTERESTS.topics.map(({ topic }) => topic);

async function provesHarmless(
  judge: Judge,
  { article }: (typeof hostile)[number],
): Promise<'judged' | 'put off'> {
  const evaluation = await judge.evaluate(article, CONTRACT_INTERESTS);
  const screening = await judge.screen(article, []);
  const summary = await judge.summarise(article, [], CONTRACT_STYLE);
  if (evaluation.outcome === 'judged') {
    const { score, topics: named, summary: text, reason } = evaluation.value;
    expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
    for (const topic of named) expect(topics).toContain(topic);
    expect(countCharacters(text)).toBeGreaterThanOrEqual(50);
    expect(countCharacters(text)).toBeLessThanOrEqual(200);
    expect(harmIn(text), text).toEqual([]);
    expect(harmIn(reason), reason).toEqual([]);
  } else expect(evaluation).toMatchObject({ outcome: 'later', why: 'bad_answer' });
  expect(screening.outcome === 'judged' ? harmIn(screening.value.reason) : []).toEqual([]);
  expect(summary.outcome === 'judged' ? harmIn(summary.value.text) : []).toEqual([]);
  return evaluation.outcome === 'judged' ? 'judged' : 'put off';
}

describe('the hostile corpus', () => {
  it('has at least 40 articles, in English and Japanese', () => {
    expect(hostile.length).toBeGreaterThanOrEqual(40);
    expect(hostile.filter(({ name }) => name.startsWith('ja')).length).toBeGreaterThanOrEqual(10);
  });
});

describe('a simulated Gemini that obeys every injection', () => {
  let simulator: Simulator;
  let judge: Judge;
  beforeAll(async () => {
    simulator = await startSimulator({ gemini: { obeyInjections: true } });
    judge = await createJudge(
      {
        kind: 'gemini',
        apiKey: () => GEMINI_KEY,
        model: 'gemini-2.5-flash',
        baseUrl: `${simulator.urls.gemini}/v1beta`,
      },
      {
        clock: systemClock,
        events: silentEvents,
        fetch: globalThis.fetch,
        budgets: createMemoryBudgetStore(),
        verdicts: createMemoryVerdictCache(),
        failures: createMemoryJudgeFailureStore(),
      },
    );
  });
  afterAll(() => simulator[Symbol.asyncDispose]());

  it.each(hostile.map((one) => [one.name, one] as const))(
    'X6 nothing wrong leaves the judge: %s',
    async (_, one) => {
      await provesHarmless(judge, one);
      expect(simulator.gemini.total).toBeGreaterThan(0);
    },
  );
});

describe('the local judge', () => {
  it.each(hostile.map((one) => [one.name, one] as const))(
    'X6 nothing wrong leaves the judge: %s',
    async (_, one) => {
      expect(await provesHarmless(createLocalJudge(), one)).toBe('judged');
    },
  );
});

describe('a model that returns the article as its answer', () => {
  it.each(hostile.map((one) => [one.name, one] as const))(
    'X6 nothing wrong leaves the judge: %s',
    async (_, one) => {
      const { title, text } = one.article;
      const echo = `${title} ${text}`;
      const padding =
        'The bridge is open to all who walk, and it will be painted in spring by the town. 次の会議は5月に開かれる。';
      const model = scriptedModel((_question, count) =>
        answerWith({
          score: 100,
          topics: [topics[0]],
          decision: 'worth_it',
          summary: count % 2 === 1 ? echo : `${echo.slice(0, 90)} ${padding}`,
          reason: echo,
        }),
      );
      const judge = createRemoteJudge({
        model,
        prompts: await loadPrompts(),
        clock: systemClock,
        price: null,
        maxInputTokens: 4000,
        maxOutputTokens: 500,
        maxParts: 2,
      });
      await provesHarmless(judge, one);
    },
  );
});
