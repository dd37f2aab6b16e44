import { describe, expect, it } from 'vitest';
import { judged } from '../contract/sample-answers.ts';
import { interestsOf } from '../interests.ts';
import { countCharacters, sentencesOf } from '../text-length.ts';
import { newsArticles } from './labelled/quality.ts';
import { createLocalJudge } from './local-judge.ts';

const judge = createLocalJudge();

const evaluated = async (title: string, text: string): Promise<string> =>
  judged(
    await judge.evaluate({ url: 'https://example.org/', title, text }, interestsOf([{ topic: 'nothing' }])),
  ).summary;

const REST = 'Traffic is sent over the old ferry road. Repairs will take until the spring of next year.';

describe('local summaries of long sentences', () => {
  const cases: [string, string, string][] = [
    [
      'an inserted clause',
      'The operator of the Halverton ferry, which carries most of the goods of the islands, was fined 240,000 pounds on Monday for leaving 300 passengers on board without any heating for eleven hours in January of last year.',
      'The operator of the Halverton ferry was fined 240,000 pounds on Monday for leaving 300 passengers on board without any heating for eleven hours in January of last year.',
    ],
    [
      'a clause at the end',
      'Wolves are breeding in the lowlands for the first time in 160 years, according to the nature agency, raising hopes that the animals could one day spread through the whole of the country and reach the coast in the west.',
      'Wolves are breeding in the lowlands for the first time in 160 years, according to the nature agency.',
    ],
    [
      'a claim, with its speaker',
      'A contract driver of the ministry was arrested in the capital for allegedly assaulting a woman when she was out for a morning walk with her dog near the museum and the old town hall in the centre of it, police said.',
      'A contract driver of the ministry was arrested in the capital for allegedly assaulting a woman, police said.',
    ],
  ];

  it.each(cases)('Q19 a sentence that is too long is stated without %s', async (_, long, short) => {
    expect(countCharacters(long)).toBeGreaterThan(200);
    expect(await evaluated('Report', `${long} ${REST}`)).toMatch(short);
  });

  const kept: [string, string][] = [
    [
      'what is denied',
      'The minister did not resign because of the scandal over the new bridge that has kept the newspapers of the country busy for the whole of the last year and has cost her party four of the seats that it had won in May.',
    ],
    [
      'a condition',
      'The city will pay every one of the owners of the houses along the old canal the full amount that they have asked for when the committee of the county has agreed to the plan and the money has come from the capital.',
    ],
    [
      'who claims it',
      'The bridge over the river was damaged after workers of a foreign company had taken away the old supports on the western side of it without a word, police said, and nobody had been told of the work in the first place.',
    ],
  ];

  it.each(kept)('Q19 a shorter form never drops %s', async (_, long) => {
    expect(countCharacters(long)).toBeGreaterThan(200);
    const summary = await evaluated('Report', `${long} ${REST}`);
    expect(summary).toBe(REST);
  });
});

describe('local summaries and what surrounds the news', () => {
  const NEWS =
    'Manufacturers will have to repair phones and washing machines for ten years under a law that parliament passed.';
  const before: [string, string][] = [
    ['times', 'Published 14 March 2027, 09:12 | Updated 14 March 2027, 11:40\n\n'],
    ['a byline', 'By Dana Whitcombe, Health correspondent of the paper in the north\n\n'],
    ['a caption', 'Photo: A tree lies across the harbour road in Stennick on Sunday.\n\n'],
    ['an advertisement', 'ADVERTISEMENT\n\nAdvertisement Advertisement\n\n'],
    ['place, date and agency', 'SAN ESTEBAN, May 3 (NPA) -- '],
    ['a place', 'PUNE: '],
    ['a date and an agency', 'Nov 2 (Reuters) - '],
    ['an agency', '(CNN)'],
    ['a town and an agency', 'Port Mellin, Norland (CNN)'],
    ['a sentence that begins with a pronoun', 'They had waited for it for years. '],
    ['a sentence that tells nothing', 'Keep it, and it will keep you. '],
    ['a greeting', 'Good morning, and welcome to our live coverage of the day.\n\n'],
    ['a question', 'Who says that an old phone cannot be repaired?\n\n'],
    [
      'pieces of a layout',
      'By . Associated Press . PUBLISHED: . 14:11 EST, 25 October 2026 . | . UPDATED: . ',
    ],
  ];

  it.each(before)('Q19 a summary leaves out %s', async (_, layout) => {
    const summary = await evaluated('Repairs', `${layout}${NEWS} ${REST}`);
    expect(summary.startsWith(NEWS)).toBe(true);
  });

  const japanese: [string, string][] = [
    ['a place and an agency', '【港崎＝北新通信】'],
    ['a time and a byline', '2027年3月14日 9時12分\n\n社会部　渡辺大地\n\n'],
    ['a caption', '【写真】港の道路をふさいだ倒木\n\n'],
    ['a question', '電話は直せないと、だれが決めたのか。\n\n'],
  ];

  it.each(japanese)('Q19 a Japanese summary leaves out %s', async (_, layout) => {
    const news =
      'スマートフォンや洗濯機を売った会社に最長10年の修理を義務づける法律が19日、国会で成立し、2年後に施行される。';
    const summary = await evaluated(
      '修理',
      `${layout}${news}会社は部品を町の店にも渡す。産業界は反対していた。`,
    );
    expect(summary.startsWith(news)).toBe(true);
  });

  it('Q19 an abbreviation after a name is no agency', async () => {
    const first =
      'The World Health Organization (WHO) has recalled about 60,000 inhalers because a valve can jam.';
    expect(await evaluated('Recall', `${first} ${REST}`)).toContain(first);
  });

  it('Q19 a quotation of several sentences is not stated as a fact', async () => {
    const quoted =
      '“Do stay at home. Half of the dirt in the air is from cars. Nobody should travel now,” the minister said.';
    const lead = `${'The minister asked everybody in the capital and the towns around it to stay at home and '.repeat(3)}wait.`;
    const summary = await evaluated('Air', `${lead} ${quoted} ${REST}`);
    expect(summary.includes('Half of the dirt')).toBe(summary.includes('the minister said'));
  });

  it('Q19 inches are no quotation', async () => {
    const first = 'A 27" screen of the maker now costs less than half of what a 24" one did in the spring.';
    expect(await evaluated('Prices', `${first} A 32" one is dearer. ${REST}`)).toContain(first);
  });

  it('Q19 a text that comes to its subject late is summarised from there', async () => {
    const scene =
      'On a wet morning in October, when most of the village is still asleep, the only sound in the cutting is a spade that goes into clay.';
    const news =
      'A retired welder has drawn a map of the lost railway, which the national archive has bought.';
    const summary = await evaluated(
      'Archive buys map of lost railway by retired welder',
      `${scene} He stops and reads out a number. ${news} He worked on it for fourteen years.`,
    );
    expect(summary.startsWith(news)).toBe(true);
  });

  it('Q19 three sentences have room for a beginning with a pronoun', async () => {
    const first = 'They had waited for it for years.';
    const style = { language: 'en', sentences: [3, 3] as const, characters: 450 };
    const article = { url: 'https://example.org/', title: 'Repairs', text: `${first} ${NEWS} ${REST}` };
    expect(judged(await judge.summarise(article, [], style)).text).toMatch(first);
  });

  it('Q19 without a title, a short summary tells what the text repeats', async () => {
    const news = 'Two divers found the bell of the steamer Aurelia in forty metres of water off the cape.';
    const text = [
      'The morning was cold and the harbour was still asleep when the boat went out once more.',
      news,
      'The bell of the Aurelia had been missing since the steamer sank.',
      'Divers had looked for the steamer since the war.',
      'A museum wants to show the bell beside a model of the steamer.',
      'Other divers had reported the Aurelia further south.',
    ].join(' ');
    expect((await evaluated('', text)).startsWith(news)).toBe(true);
  });

  it('Q19 a minor sentence far down does not fill the room', async () => {
    const minor = 'A small crowd looked on from the hill.';
    const long = `${'The operator said that work on the piers and on the road along the river would go on for as long as it must and '.repeat(2)}end.`;
    const text = [
      NEWS,
      long,
      long.replace('operator', 'maker'),
      long.replace('operator', 'county'),
      long,
      minor,
    ].join(' ');
    expect(await evaluated('Repairs', text)).toBe(NEWS);
  });

  it('Q19 sentences are separated where a space was lost', () => {
    expect(sentencesOf('The bridge was closed on Monday.The ferry runs. Use json.Marshal for it.')).toEqual([
      'The bridge was closed on Monday.',
      'The ferry runs.',
      'Use json.Marshal for it.',
    ]);
  });
});

describe('local summaries of news', () => {
  it.each(['en', 'ja'] as const)('Q19 consist of whole sentences (%s)', async (language) => {
    const articles = [...newsArticles(language, 'tuning'), ...newsArticles(language, 'held-back')];
    expect(articles.length).toBeGreaterThanOrEqual(26);
    for (const { article } of articles) {
      const style = { language, sentences: [3, 5] as const, characters: language === 'ja' ? 200 : 450 };
      const styled = judged(await judge.summarise(article, [], style)).text;
      for (const summary of [await evaluated(article.title, article.text), styled]) {
        expect(summary).not.toContain('…');
        expect(summary).toMatch(/[.。"”」]$/);
      }
      expect(sentencesOf(styled).length).toBeGreaterThanOrEqual(3);
    }
  });
});
