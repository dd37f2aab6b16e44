import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ArticleText } from '../../src/judge/judge.ts';
import { languageOf } from '../../src/judge/local/text.ts';
import type { Titled, TopicSet } from './quality.ts';
import type { Referenced } from './summary-quality.ts';

/** Causes of errors may be looked for in the development half; of the other half only totals are read. */
export const PUBLIC_HALVES = ['development', 'held-out'] as const;
export type PublicHalf = (typeof PUBLIC_HALVES)[number];

/** Labels of public corpora, as a person would write the interest. Any other label is taken as it is. */
const INTERESTS: Readonly<Record<string, string>> = {
  sports: 'sport',
  'sci/tech': 'science and technology',
  tech: 'technology',
  world: 'world news',
  'sports-watch': 'スポーツ',
  'it-life-hack': 'IT',
  'movie-enter': '映画',
  'kaden-channel': '家電',
  smax: 'スマートフォン',
  'dokujo-tsushin': '独身女性',
  peachy: '女性',
  'livedoor-homme': '男性',
  'topic-news': 'ニュース',
};

/** Lines of `label`, title and perhaps text, separated by tabs. The text is left out unless `withText` says otherwise. */
export function topicCorpus(file: string, half: PublicHalf, withText = false): TopicSet {
  const texts: Titled[] = [];
  for (const line of linesOf(file)) {
    const [label = '', title = '', text = ''] = line.split('\t').map((field) => field.trim());
    if (label === '' || title === '' || halfOf(title) !== half) continue;
    texts.push({ topic: INTERESTS[label.toLowerCase()] ?? label, title, lead: withText ? text : '' });
  }
  const names = [...new Set(texts.map(({ topic }) => topic))].toSorted();
  return { texts, topics: names.map((name) => ({ name, foreign: name, aliases: [] })) };
}

/** Lines of JSON: `text`, `summary`, and perhaps `title` and `corpus`. */
export function summaryCorpus(file: string, half: PublicHalf): (Referenced & { readonly corpus: string })[] {
  return linesOf(file)
    .map((line) => JSON.parse(line) as { title?: string; text: string; summary: string; corpus?: string })
    .filter(({ text }) => halfOf(text) === half)
    .map(({ title = '', text, summary, corpus = '' }, place) => {
      const url = `https://example.org/${place + 1}`;
      const article: ArticleText = { url, title, text, language: languageOf(text) };
      return { article, summary, corpus };
    });
}

/** Independent of the order and of what is added to the file. */
function halfOf(text: string): PublicHalf {
  const [first = 0] = createHash('sha256').update(text.normalize('NFKC')).digest();
  return first % 2 === 0 ? 'development' : 'held-out';
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** The files that a variable of the environment names, separated by commas. */
export function corpusFiles(variable: string): string[] {
  return (process.env[variable] ?? '').split(',').filter((file) => file !== '');
}
