import { describe, expect, it } from 'vitest';
import { judgeContract } from '../contract/judge.ts';
import { judged } from '../contract/sample-answers.ts';
import { interestsOf } from '../interests.ts';
import { countCharacters } from '../text-length.ts';
import { createLocalJudge } from './local-judge.ts';

judgeContract('the local judge', async () => ({
  judge: createLocalJudge(),
  async [Symbol.asyncDispose]() {},
}));

const about = (title: string, text: string) => ({ url: 'https://example.org/', title, text });

describe('the local judge', () => {
  const judge = createLocalJudge();

  it('A2 a high priority weighs more than a medium one, and that more than a low one', async () => {
    const article = about(
      'Weaving',
      'Weaving is slow. Our weaving group meets on Mondays. Looms are shared by all.',
    );
    const scores: number[] = [];
    for (const priority of ['high', 'medium', 'low'] as const) {
      scores.push(judged(await judge.evaluate(article, interestsOf([{ topic: 'weaving', priority }]))).score);
    }
    expect(scores[0]).toBeGreaterThan(scores[1] ?? 0);
    expect(scores[1]).toBeGreaterThan(scores[2] ?? 0);
  });

  it('A2 an alias counts like the topic', async () => {
    const article = about('Looms at night', 'The looms run at night. A loom needs oil. Looms are loud.');
    const value = judged(
      await judge.evaluate(article, interestsOf([{ topic: 'weaving', aliases: ['loom'] }])),
    );
    expect(value.topics).toEqual(['weaving']);
  });

  it('A3 a text of a few characters still gets a summary of 50–200, which states that it is short', async () => {
    for (const text of ['', '晴れ。', 'あ'.repeat(49), 'Rain.', `${'word '.repeat(300)}`, '𠮷'.repeat(300)]) {
      const value = judged(await judge.evaluate(about('天気 weather', text), interestsOf([{ topic: 'x' }])));
      expect(countCharacters(value.summary)).toBeGreaterThanOrEqual(50);
      expect(countCharacters(value.summary)).toBeLessThanOrEqual(200);
    }
  });

  it('an article without any of the interests scores 0 and has no topic', async () => {
    const value = judged(
      await judge.evaluate(
        about('The weather', 'It rains all day in the north.'),
        interestsOf([{ topic: '保育' }]),
      ),
    );
    expect(value).toMatchObject({ score: 0, topics: [] });
  });
});

describe('the local judge and strange texts', () => {
  const judge = createLocalJudge();
  const interests = interestsOf([{ topic: '橋', aliases: ['bridge'] }]);

  it.each([
    ['a megabyte without an end mark', '橋'.repeat(500_000)],
    ['a megabyte of blank lines', '\n \t'.repeat(300_000)],
    ['a megabyte of brackets', '「（'.repeat(300_000)],
    ['a megabyte of addresses', 'https://bridge.example/ @everyone '.repeat(30_000)],
    ['a megabyte of dots', 'a. '.repeat(300_000)],
    ['half a surrogate pair', `${'橋が架かった。'.repeat(20)}\ud83d`],
  ])('X6 handles %s', async (_, text) => {
    const article = about('橋', text);
    const { summary } = judged(await judge.evaluate(article, interests));
    await judge.screen(article, []);
    await judge.summarise(article, [], { language: 'ja', sentences: [3, 5], characters: 200 });
    expect(countCharacters(summary)).toBeGreaterThanOrEqual(50);
    expect(countCharacters(summary)).toBeLessThanOrEqual(200);
  });
});
