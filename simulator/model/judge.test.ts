import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJudge, type JudgeSettings } from '../../src/judge/create-judge.ts';
import type { ArticleText, Judge } from '../../src/judge/judge.ts';
import {
  createMemoryBudgetStore,
  createMemoryJudgeFailureStore,
  createMemoryVerdictCache,
} from '../../src/storage/memory/judge-stores.ts';
import { silentEvents } from '../../src/telemetry/events.ts';
import { systemClock } from '../../src/time/clock.ts';
import { pdf } from '../pages/pdf.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { writeStory } from '../texts/article.ts';
import { CORPUS } from '../texts/corpus.ts';
import { type Language, TOPICS, type TopicId } from '../texts/topic.ts';

let sim: Simulator;

beforeAll(async () => {
  sim = await startSimulator();
});

afterAll(async () => {
  await sim[Symbol.asyncDispose]();
});

function judge(kind: 'gemini' | 'openai'): Promise<Judge> {
  const settings: JudgeSettings =
    kind === 'gemini'
      ? {
          kind,
          apiKey: () => sim.gemini.key,
          model: 'gemini-2.5-flash',
          baseUrl: `${sim.urls.gemini}/v1beta`,
        }
      : { kind, apiKey: () => sim.openai.key, model: 'gpt-sim', baseUrl: `${sim.urls.openai}/v1` };
  return createJudge(settings, {
    clock: systemClock,
    events: silentEvents,
    fetch: globalThis.fetch,
    budgets: createMemoryBudgetStore(),
    verdicts: createMemoryVerdictCache(),
    failures: createMemoryJudgeFailureStore(),
  });
}

function article(language: Language, topic: TopicId): ArticleText {
  const [story] = CORPUS[language][topic].stories;
  if (!story) throw new Error(`no story about ${topic}`);
  const article = writeStory(language, topic, story, 'judge');
  const text = [...article.paragraphs, ...article.background].join('\n\n');
  return { url: 'https://a.example/', title: article.title, text, language };
}

const INTERESTS = {
  version: '1',
  topics: [
    { topic: 'Databases', aliases: ['データベース'], priority: 'high' as const },
    { topic: 'Space', aliases: ['宇宙'], priority: 'low' as const },
  ],
};

describe.each(['gemini', 'openai'] as const)('the newsroom’s own judge on the simulated %s', (kind) => {
  it('separates what matches the interests from everything else', async () => {
    const own = await judge(kind);
    for (const language of ['en', 'ja'] as const) {
      for (const topic of TOPICS) {
        const verdict = await own.evaluate(article(language, topic), INTERESTS);
        const name = `${language} ${topic}`;
        if (verdict.outcome !== 'judged') throw new Error(`${name}: ${JSON.stringify(verdict)}`);
        const wanted = topic === 'databases' || topic === 'space';
        expect(verdict.value.score >= 70, `${name} ${JSON.stringify(verdict.value)}`).toBe(wanted);
        expect(!wanted || verdict.value.topics.length === 1, name).toBe(true);
      }
    }
  });

  it('screens and summarises', async () => {
    const own = await judge(kind);
    const page = article('ja', 'economy');
    const later = {
      ...page,
      text: '標記について開催します。会議の資料は、準備ができ次第、本ページに掲載します。',
    };
    expect(await own.screen(page, [])).toMatchObject({ outcome: 'judged', value: { decision: 'worth_it' } });
    expect(await own.screen(later, [])).toMatchObject({
      outcome: 'judged',
      value: { decision: 'not_ready' },
    });
    const document = {
      url: 'https://a.example/1.pdf',
      name: '資料1',
      mediaType: 'application/pdf',
      bytes: pdf('資料', ['補助金の申請は九月末に締め切る。']),
      text: '補助金の申請は九月末に締め切る。',
    };
    const style = { language: 'ja', sentences: [3, 5] as const, characters: 200 };
    expect(await own.summarise(page, [document], style)).toMatchObject({ outcome: 'judged' });
  });
});
