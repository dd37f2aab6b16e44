import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryVerdictCache } from '../storage/memory/judge-stores.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { CONTRACT_STYLE } from './contract/judge.ts';
import { JAPANESE_ARTICLE, judged } from './contract/sample-answers.ts';
import type { InterestEntry } from './interests.ts';
import { interestsOf } from './interests.ts';
import type { Judge, Judgement } from './judge.ts';
import { createLocalJudge } from './local/local-judge.ts';
import { withCache } from './verdict-cache.ts';

const BASE: InterestEntry[] = [
  { topic: '子育て支援', aliases: ['保育'], priority: 'high' },
  { topic: '鉄道', aliases: ['新幹線'], priority: 'low' },
];

describe('a judge with a cache', () => {
  const clock = new ManualClock();
  const cache = createMemoryVerdictCache();
  let asked: string[];
  let answer: Judgement<never> | null;
  let version: string;
  let judge: Judge;
  let noted: string[];

  beforeEach(async () => {
    await cache.sweep(Number.MAX_SAFE_INTEGER);
    asked = [];
    answer = null;
    version = 'p1';
    const local = createLocalJudge();
    const counting: Judge = {
      ...local,
      evaluate: async (...question) => {
        asked.push('evaluate');
        await Promise.resolve();
        return answer ?? local.evaluate(...question);
      },
      screen: (...question) => {
        asked.push('screen');
        return local.screen(...question);
      },
      summarise: (...question) => {
        asked.push('summarise');
        return local.summarise(...question);
      },
    };
    const health = { record: async (judgement: Judgement<unknown>) => void noted.push(judgement.outcome) };
    noted = [];
    judge = withCache(counting, {
      cache,
      history: cache,
      model: 'm',
      promptVersion: () => version,
      clock,
      health,
    });
  });

  it('X18 only uncached questions are recorded', async () => {
    for (let i = 0; i < 3; i++) await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE));
    await judge.summarise(JAPANESE_ARTICLE, [], CONTRACT_STYLE);
    expect(noted).toEqual(['judged', 'judged']);
  });

  it('Q24 other examples of reactions are another question; the same ones are not', async () => {
    const examples = { liked: ['Rust'], disliked: [], version: 'v1' };
    const ask = (more: object) => judge.evaluate(JAPANESE_ARTICLE, { ...interestsOf(BASE), ...more });
    await ask({});
    await ask({ examples });
    await ask({ examples });
    await ask({});
    expect(asked).toHaveLength(2);
    await ask({ examples: { ...examples, version: 'v2' } });
    expect(asked).toHaveLength(3);
  });

  it('A5 X9 the same text is judged once', async () => {
    const first = judged(await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE)));
    const again = await judge.evaluate(
      { ...JAPANESE_ARTICLE, url: 'https://mirror.example/' },
      interestsOf(BASE),
    );
    expect(judged(again)).toEqual(first);
    expect(again).toMatchObject({ by: { usage: { calls: 0, microUsd: 0 } } });
    await judge.screen(JAPANESE_ARTICLE, []);
    await judge.screen(JAPANESE_ARTICLE, []);
    await judge.summarise(JAPANESE_ARTICLE, [], CONTRACT_STYLE);
    await judge.summarise(JAPANESE_ARTICLE, [], CONTRACT_STYLE);
    expect(asked).toEqual(['evaluate', 'screen', 'summarise']);
  });

  it('A5 another text, prompt or style is judged again', async () => {
    await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE));
    await judge.evaluate({ ...JAPANESE_ARTICLE, text: `${JAPANESE_ARTICLE.text}。` }, interestsOf(BASE));
    version = 'p2';
    await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE));
    await judge.summarise(JAPANESE_ARTICLE, [], CONTRACT_STYLE);
    await judge.summarise(JAPANESE_ARTICLE, [], { ...CONTRACT_STYLE, characters: 100 });
    expect(asked).toEqual(['evaluate', 'evaluate', 'evaluate', 'summarise', 'summarise']);
  });

  it('A5 concurrent callers share one answer', async () => {
    await Promise.all([1, 2, 3].map(() => judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE))));
    expect(asked).toHaveLength(1);
  });

  it('X18 a postponed outcome is not cached', async () => {
    answer = { outcome: 'later', why: 'timeout', detail: '' };
    await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE));
    answer = null;
    expect((await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE))).outcome).toBe('judged');
    expect(asked).toHaveLength(2);
  });

  it.each<[string, InterestEntry[], boolean]>([
    ['the order', [...BASE].reverse(), false],
    ['a topic that the verdict did not name is removed', BASE.slice(0, 1), false],
    [
      'the priority of such a topic',
      [...BASE.slice(0, 1), { topic: '鉄道', aliases: ['新幹線'], priority: 'high' }],
      false,
    ],
    ['an alias of such a topic is removed', [...BASE.slice(0, 1), { topic: '鉄道', priority: 'low' }], false],
    [
      'a topic that it named changes its priority',
      [{ topic: '子育て支援', aliases: ['保育'] }, ...BASE.slice(1)],
      true,
    ],
    ['a topic that it named is removed', BASE.slice(1), true],
    ['a new topic', [...BASE, { topic: '半導体' }], true],
    [
      'a new alias',
      [...BASE.slice(0, 1), { topic: '鉄道', aliases: ['新幹線', '列車'], priority: 'low' }],
      true,
    ],
  ])('X9 a change of interests re-judges only what it can change: %s', async (_, changed, rejudged) => {
    judged(await judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE)));
    judged(await judge.evaluate(JAPANESE_ARTICLE, interestsOf(changed)));
    expect(asked.length).toBe(rejudged ? 2 : 1);
  });

  it('a caller that aborts does not take the answer from the others', async () => {
    const stop = new AbortController();
    const first = judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE), stop.signal);
    const second = judge.evaluate(JAPANESE_ARTICLE, interestsOf(BASE));
    stop.abort(new Error('stop'));
    await first.catch(() => undefined);
    expect((await second).outcome).toBe('judged');
  });
});
