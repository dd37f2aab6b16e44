import { readFileSync } from 'node:fs';
import { interestsOf } from '../../src/judge/interests.ts';
import type { Judge } from '../../src/judge/judge.ts';
import { createLocalJudge } from '../../src/judge/local/local-judge.ts';

/** A title, perhaps with a lead, and the topic that a person gave it. */
export interface Titled {
  readonly topic: string;
  readonly title: string;
  readonly lead: string;
}

export interface Topic {
  readonly name: string;
  /** Its name in the other language. */
  readonly foreign: string;
  /** What a person who knows search would add, for the peer. */
  readonly aliases: readonly string[];
}

export interface TopicSet {
  readonly topics: readonly Topic[];
  readonly texts: readonly Titled[];
}

export type Half = 'tuning' | 'held-out';

const FOLDER = new URL('topics/', import.meta.url);

export function topicSet(language: 'en' | 'ja', half: Half): TopicSet {
  const topics: Topic[] = [];
  const texts: Titled[] = [];
  let line = 0;
  for (const text of readFileSync(new URL(`${language}.txt`, FOLDER), 'utf8')
    .trim()
    .split('\n')) {
    if (text.startsWith('# ')) {
      const [name = '', foreign = '', aliases = ''] = text.slice(2).split(' | ');
      topics.push({ name, foreign, aliases: aliases.split(', ') });
      line = 0;
      continue;
    }
    const held = line++ % 2 === 1;
    if (held !== (half === 'held-out')) continue;
    const [title = '', lead = ''] = text.split(' || ');
    texts.push({ topic: topics.at(-1)?.name ?? '', title, lead });
  }
  return { topics, texts };
}

/** Probability that a text of the topic scores higher than another one (AUC); ties count half. */
export function auc(scored: readonly { readonly score: number; readonly right: boolean }[]): number {
  const right = scored.filter((one) => one.right).map(({ score }) => score);
  const wrong = scored.filter((one) => !one.right).map(({ score }) => score);
  let sum = 0;
  for (const a of right) for (const b of wrong) sum += a > b ? 1 : a === b ? 0.5 : 0;
  return sum / Math.max(1, right.length * wrong.length);
}

/** AUC of the local judge for each topic, its name being the only interest. */
export async function judgeAuc(
  set: TopicSet,
  nameOf: (topic: Topic) => string,
): Promise<Map<string, number>> {
  const judge = createLocalJudge();
  const figures = new Map<string, number>();
  for (const topic of set.topics) {
    const interests = interestsOf([{ topic: nameOf(topic) }]);
    const scored = [];
    for (const text of set.texts) {
      scored.push({ score: await scoreOf(judge, text, interests), right: text.topic === topic.name });
    }
    figures.set(topic.name, auc(scored));
  }
  return figures;
}

async function scoreOf(judge: Judge, { title, lead }: Titled, interests: ReturnType<typeof interestsOf>) {
  const judgement = await judge.evaluate({ url: 'https://example.org/', title, text: lead }, interests);
  return judgement.outcome === 'judged' ? judgement.value.score : 0;
}

/** The same by the cosine of TF-IDF vectors, given the name and the aliases. */
export function tfIdfAuc(set: TopicSet): Map<string, number> {
  const vectors = set.texts.map(({ title, lead }) => wordsOf(`${title} ${title} ${lead}`));
  const frequency = new Map<string, number>();
  for (const words of vectors)
    for (const word of words.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const idf = (word: string): number => Math.log((vectors.length + 1) / ((frequency.get(word) ?? 0) + 1)) + 1;
  const figures = new Map<string, number>();
  for (const { name, aliases } of set.topics) {
    const query = wordsOf([name, ...aliases].join(' '));
    const scored = vectors.map((words, i) => {
      let dot = 0;
      let norm = 0;
      for (const [word, count] of words) {
        const weight = count * idf(word);
        norm += weight * weight;
        if (query.has(word)) dot += weight * idf(word);
      }
      return { score: norm === 0 ? 0 : dot / Math.sqrt(norm), right: set.texts[i]?.topic === name };
    });
    figures.set(name, auc(scored));
  }
  return figures;
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

function wordsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    const word = segment.length > 3 && /^[a-z]+s$/.test(segment) ? segment.slice(0, -1) : segment;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

export function mean(figures: Iterable<number>): number {
  const list = [...figures];
  return list.reduce((sum, figure) => sum + figure, 0) / Math.max(1, list.length);
}

/** ROUGE-1 and ROUGE-L, F-measure over words. */
export function rouge(summary: string, reference: string): { one: number; longest: number } {
  const ours = tokens(summary);
  const theirs = tokens(reference);
  const counts = new Map<string, number>();
  for (const word of theirs) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of ours) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared++;
  }
  const f = (common: number): number => (2 * common) / Math.max(1, ours.length + theirs.length);
  return { one: f(shared), longest: f(longestCommon(ours, theirs)) };
}

function tokens(text: string): string[] {
  return [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Uint16Array(b.length + 1);
  for (const word of a) {
    const next = new Uint16Array(b.length + 1);
    b.forEach((other, i) => {
      next[i + 1] = word === other ? (row[i] ?? 0) + 1 : Math.max(next[i] ?? 0, row[i + 1] ?? 0);
    });
    row = next;
  }
  return row[b.length] ?? 0;
}
