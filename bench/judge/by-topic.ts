import { basename } from 'node:path';
import { labelledArticles, newsArticles } from '../../src/judge/local/labelled/quality.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { corpusFiles, PUBLIC_HALVES, summaryCorpus, topicCorpus } from './public-corpus.ts';
import { judgeAuc, mean, tfIdfAuc, topicSet } from './quality.ts';
import {
  bootstrap,
  type Measure,
  MIN_CHARACTERS,
  type Referenced,
  type SummaryScores,
  summaryScores,
} from './summary-quality.ts';

const LANGUAGES = [
  ['en', 'English'],
  ['ja', 'Japanese'],
] as const;
const MEASURES = [
  ['one', 'ROUGE-1'],
  ['longest', 'ROUGE-L'],
] as const;
const round = (figure: number): number => Math.round(figure * 1000) / 1000;

/**
 * Quality on the held-out halves: topics by their name alone, and summaries beside the beginning of the text. The variables
 * `TOPIC_CORPUS` and `SUMMARY_CORPUS` name files of other texts (see `public-corpus.ts`), separated by commas.
 */
export async function byTopic({ log }: BenchOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  const scores: SummaryScores[] = [];
  for (const [language, name] of LANGUAGES) {
    results.push(...(await ownTopics(language, name, log)));
    const own = await summaryScores(ownArticles(language));
    results.push(...beside(name, own));
    scores.push(...own);
  }
  for (const file of corpusFiles('TOPIC_CORPUS')) results.push(...(await publicTopics(file, log)));
  const files = corpusFiles('SUMMARY_CORPUS');
  for (const file of files) {
    for (const half of PUBLIC_HALVES) {
      const figures = await summaryScores(summaryCorpus(file, half));
      if (figures.length === 0) continue;
      results.push(...beside(`${figures.length} articles of ${basename(file)}, ${half} half`, figures));
      if (half === 'held-out') scores.push(...figures);
    }
  }
  results.push(...beside(`all ${scores.length} held-out articles`, scores));
  logIntervals(scores, log);
  return results;
}

async function ownTopics(
  language: 'en' | 'ja',
  name: string,
  log: (line: string) => void,
): Promise<readonly Result[]> {
  const set = topicSet(language, 'held-out');
  const ours = await judgeAuc(set, (topic) => topic.name);
  const foreign = await judgeAuc(set, (topic) => topic.foreign);
  log(byName(ours));
  const peer = { name: 'TF-IDF with 8 aliases for each topic', value: round(mean(tfIdfAuc(set).values())) };
  const kinds = [
    ['the topic by its name', ours],
    ['the topic in the other language', foreign],
  ] as const;
  return kinds.map(([kind, figures]) => {
    const figure = mean(figures.values());
    return result({
      name: `local judge, ${name} titles, ${kind}`,
      ours: round(figure),
      unit: 'AUC',
      peer,
      goal: 'at least 0.9',
      met: figure >= 0.9,
    });
  });
}

/** Titles alone: the AUC of both halves of a public corpus. */
async function publicTopics(file: string, log: (line: string) => void): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const half of PUBLIC_HALVES) {
    const set = topicCorpus(file, half);
    const ours = await judgeAuc(set, (topic) => topic.name);
    log(byName(ours));
    const figure = mean(ours.values());
    results.push(
      result({
        name: `local judge, ${set.texts.length} titles of ${basename(file)}, ${half} half`,
        ours: round(figure),
        unit: 'AUC',
        peer: { name: 'TF-IDF with the name of the topic', value: round(mean(tfIdfAuc(set).values())) },
        goal: 'at least 0.75',
        met: figure >= 0.75,
      }),
    );
  }
  return results;
}

function byName(figures: ReadonlyMap<string, number>): string {
  return [...figures].map(([topic, figure]) => `${topic} ${figure.toFixed(2)}`).join(', ');
}

function ownArticles(language: 'en' | 'ja'): Referenced[] {
  return [...newsArticles(language, 'held-back'), ...labelledArticles('held-back')].flatMap(
    ({ article, summary }) =>
      summary === null || article.language !== language ? [] : [{ article, summary }],
  );
}

function beside(name: string, scores: readonly SummaryScores[]): Result[] {
  const of = (kind: keyof SummaryScores, measure: Measure): number =>
    round(mean(scores.map((each) => each[kind][measure])));
  const lines = [
    ['short summary', 'short', 'firstSentence', 'the first sentence'],
    ['short summary', 'short', 'lead', `the first sentences up to ${MIN_CHARACTERS} characters`],
    ['summary of 3 sentences', 'styled', 'firstThree', 'the first 3 sentences'],
  ] as const;
  return lines.flatMap(([what, own, peer, peerName]) =>
    MEASURES.map(([measure, unit]) =>
      result({
        name: `local judge, ${name}, ${what}`,
        ours: of(own, measure),
        unit,
        peer: { name: peerName, value: of(peer, measure) },
        goal: 'not below the beginning of the text',
        met: of(own, measure) >= of(peer, measure),
      }),
    ),
  );
}

/** Whether the advantage over the beginning of the text is more than chance. */
function logIntervals(scores: readonly SummaryScores[], log: (line: string) => void): void {
  for (const [own, peer] of [
    ['short', 'firstSentence'],
    ['short', 'lead'],
    ['styled', 'firstThree'],
  ] as const) {
    for (const [measure, unit] of MEASURES) {
      const { mean, from, to } = bootstrap(scores.map((each) => each[own][measure] - each[peer][measure]));
      const figures = `${mean.toFixed(3)} (${from.toFixed(3)} to ${to.toFixed(3)})`;
      log(`${own} less ${peer}, ${unit}, ${scores.length} articles: ${figures}`);
    }
  }
}
