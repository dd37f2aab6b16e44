import { describe, expect, it } from 'vitest';
import { judged } from '../contract/sample-answers.ts';
import { interestsOf } from '../interests.ts';
import { sentencesOf } from '../text-length.ts';
import { createLocalJudge } from './local-judge.ts';
import { CONCEPTS } from './vocabulary/concepts.ts';
import { vocabulary } from './vocabulary/vocabulary.ts';

const judge = createLocalJudge();
const scoreOf = async (topic: string, title: string, text = '', aliases: string[] = []): Promise<number> =>
  judged(
    await judge.evaluate({ url: 'https://example.org/', title, text }, interestsOf([{ topic, aliases }])),
  ).score;

describe('broad interests', () => {
  it.each([
    ['sport', 'スポーツ', 'Substitute nets twice as hosts reach the semi-final'],
    ['business', '経済', 'Retailer raises full-year profit forecast, shares jump'],
    ['politics', '政治', 'Minister resigns before the no-confidence vote in parliament'],
    ['technology', 'テクノロジー', 'Flaw in phone software lets hackers read messages'],
    ['science', '科学', 'Researchers sequence the genome of an extinct bird'],
    ['sport', 'スポーツ', '延長戦の末に逆転勝ち、主将の本塁打で決勝へ'],
    ['business', '経済', '通期の営業利益を上方修正、株価は年初来高値'],
    ['politics', '政治', '衆院の解散を見送り、首相が与党幹部に伝える'],
  ])('Q17 finds “%s” and “%s” in “%s”, in either language', async (english, japanese, title) => {
    const others = ['cooking', '天気', 'education', 'グルメ'];
    for (const topic of [english, japanese]) {
      const score = await scoreOf(topic, title);
      expect(score).toBeGreaterThanOrEqual(60);
      for (const other of others) expect(await scoreOf(other, title)).toBeLessThan(score / 2);
    }
  });

  it.each([
    ['Northland 17–18 Westmark', true],
    ['Millers 112, Coopers 106', true],
    ['Lindqvist through, 6-4, 6-3', true],
    ['港東が西浜を3-1で', true],
    ['西浜、2対0の惜敗', true],
    ['Planned for March 3-5 Downtown', false],
    ['Aged 3-5 Nobody pays', false],
    ['Ararat 737-800 Grounded', false],
  ])('Q17 a result in a title shows sport: %s, %s', async (title, isResult) => {
    const score = await scoreOf('sport', title);
    if (isResult) expect(score).toBeGreaterThanOrEqual(60);
    else expect(score).toBeLessThan(20);
    expect(await scoreOf('politics', title)).toBeLessThan(20);
  });

  it('Q17 a work named in a Japanese title is a hint for film and entertainment, not more', async () => {
    for (const topic of ['映画', 'エンタメ']) {
      const named = await scoreOf(topic, '『灯台の子』が伝えたいこと');
      expect(named).toBeGreaterThan(await scoreOf(topic, '灯台の子が伝えたいこと'));
      expect(named).toBeLessThan(50);
    }
  });

  it.each([
    ['technology', 'Handheld console sells out before the gamers wake up'],
    ['technology', 'Zombie PCs send half of all junk mail'],
    ['sport', 'Skipper ruled out with hamstring strain before the opener'],
    ['sport', 'ノーヒットノーランの右腕を登録抹消'],
    ['business', 'Drug maker plans rights issue after write-down'],
    ['politics', 'Backbenchers threaten revolt over smoking ban'],
    ['world news', 'Gun battle at the checkpoint after a roadside bomb'],
    ['映画', '完成披露の舞台裏、初監督作の場面写真も'],
  ])('Q17 finds “%s” in “%s”', async (topic, title) => {
    expect(await scoreOf(topic, title)).toBeGreaterThanOrEqual(60);
  });

  it('Q17 what is hit is no entertainment', async () => {
    expect(await scoreOf('entertainment', 'Refinery hit by fire')).toBeLessThan(10);
  });

  it('Q17 knows more than 300 topics, each by a name in English and one in Japanese', () => {
    const heads = CONCEPTS.match(/^= .*/gm) ?? [];
    const words = vocabulary();
    expect(heads.length + words.fields.length).toBeGreaterThanOrEqual(300);
    for (const { names } of words.fields) {
      expect(names.some((name) => /[a-z]/i.test(name))).toBe(true);
      expect(names.some((name) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(name))).toBe(true);
    }
    const parents = heads.flatMap((head) => head.split(' < ')[1]?.split(' | ') ?? []);
    for (const parent of parents) expect(words.fieldsOf(parent), parent).toHaveLength(1);
  });

  it('Q17 understands names that join two fields', () => {
    const namesOf = (topic: string): string[] =>
      vocabulary()
        .fieldsOf(topic)
        .map(({ names }) => names[0] ?? '');
    expect(namesOf('Sci/Tech')).toEqual(['science', 'technology']);
    expect(namesOf('政治・経済')).toEqual(['politics', 'business']);
    expect(namesOf('science and weaving')).toEqual([]);
  });

  it('Q17 the name of a field alone is weak, and aliases of a person count as before', async () => {
    const title = 'Whose business is it anyway?';
    const alone = await scoreOf('business', title);
    expect(alone).toBeLessThan(70);
    expect(await scoreOf('business', title, '', ['company'])).toBeGreaterThan(alone);
  });

  it('Q17 a topic without words of its own is judged by its name only', async () => {
    expect(vocabulary().knows('mizuhiki')).toBe(false);
    expect(await scoreOf('mizuhiki', 'Striker scores a hat-trick in the cup final')).toBe(0);
  });
});

describe('local summaries', () => {
  const long = `${'The committee that had been asked to look at the matter met for many hours in the old hall by the river and '.repeat(3)}adjourned.`;
  const texts: [string, string, string][] = [
    [
      'an agency report',
      'Bridge closed',
      `PORT TOWN (Reuters) - The bridge over the Aal was closed on Monday after engineers found cracks (some as wide as a hand). Traffic is sent over the old ferry road. Repairs will take until the spring, the city said.`,
    ],
    [
      'a first sentence that is too long',
      'Committee meets',
      `${long} The decision is due in May. Residents had asked for it since last year, and the mayor agrees with them.`,
    ],
    [
      'Japanese text',
      '橋の閉鎖',
      '【港町時事】市は十日、川に架かる橋を閉鎖した。点検で橋脚（きょうきゃく）に亀裂が見つかったためである。車は旧道を回る。工事は来年の春まで続く見通しだ。',
    ],
  ];

  it.each(texts)('Q19 consist of whole sentences: %s', async (_, title, text) => {
    const article = { url: 'https://example.org/', title, text };
    const language = /[ぁ-ん]/.test(text) ? 'ja' : 'en';
    const style = { language, sentences: [2, 3] as const, characters: 200 };
    const { summary } = judged(await judge.evaluate(article, interestsOf([{ topic: 'x' }])));
    const styled = judged(await judge.summarise(article, [], style)).text;
    for (const made of [summary, styled]) {
      expect(made).not.toContain('…');
      expect(made).not.toMatch(/Reuters|時事|[（(]/);
      for (const sentence of sentencesOf(made)) expect(sentence).toMatch(/[.。]$/);
    }
  });
});
