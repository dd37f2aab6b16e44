import { readFileSync } from 'node:fs';
import { judged } from '../../contract/sample-answers.ts';
import { interestsOf } from '../../interests.ts';
import type { ArticleText, Interest, Interests, Judge, Screening } from '../../judge.ts';
import { firstCharacters } from '../../text-length.ts';
import english from './en.json' with { type: 'json' };
import japanese from './ja.json' with { type: 'json' };
import profiles from './profiles.json' with { type: 'json' };

/** How good a judge is on one half of the labelled set. */
export interface Quality {
  readonly articles: number;
  readonly precision: number;
  readonly recall: number;
  readonly chosen: number;
  /** Mean over profiles and days, a day being a fifth of the articles. */
  readonly ndcg5: number;
  /** Mean over profiles, all articles of the half in one list. */
  readonly ndcg5Whole: number;
  readonly screening: number;
  readonly screeningByLabel: Readonly<Record<string, number>>;
  readonly rouge1: number;
  readonly rouge2: number;
  /** The same for the first 120 characters of each text: the baseline of a summary. */
  readonly leadRouge1: number;
}

/** The default of A4. */
export const RELEVANCE_THRESHOLD = 70;
const WORTH_READING = 2;
const DAYS = 5;

export interface Miss {
  readonly id: string;
  readonly what: string;
}

export async function qualityOf(judge: Judge, half: Half): Promise<{ quality: Quality; misses: Miss[] }> {
  const articles = labelledArticles(half);
  const misses: Miss[] = [];
  const ranking = await rankings(judge, articles, misses);
  const screening = await screenings(judge, articles, misses);
  const summaries = await summariesOf(judge, articles);
  return {
    misses,
    quality: { articles: articles.length, ...ranking, ...screening, ...summaries },
  };
}

async function rankings(judge: Judge, articles: readonly LabelledArticle[], misses: Miss[]) {
  const pairs: { chosen: boolean; worth: boolean }[] = [];
  const days: number[] = [];
  const whole: number[] = [];
  for (const { name, interests } of labelledProfiles()) {
    const scored: { score: number; label: number; place: number }[] = [];
    for (const [place, { id, article, relevance }] of articles.entries()) {
      const { score } = judged(await judge.evaluate(article, interests));
      const label = relevance[name] ?? 0;
      const pair = { chosen: score >= RELEVANCE_THRESHOLD, worth: label >= WORTH_READING };
      if (pair.chosen !== pair.worth) misses.push({ id, what: `${name}: ${score} for label ${label}` });
      pairs.push(pair);
      scored.push({ score, label, place });
    }
    const ranked = (list: typeof scored): number[] =>
      list.toSorted((a, b) => b.score - a.score || a.place - b.place).map(({ label }) => label);
    whole.push(ndcg(ranked(scored), 5));
    for (let day = 0; day < DAYS; day++) {
      const list = scored.filter(({ place }) => place % DAYS === day);
      if (list.some(({ label }) => label > 0)) days.push(ndcg(ranked(list), 5));
    }
  }
  return { ...precisionAndRecall(pairs), ndcg5: mean(days), ndcg5Whole: mean(whole) };
}

async function screenings(judge: Judge, articles: readonly LabelledArticle[], misses: Miss[]) {
  const right: Record<string, number[]> = {};
  for (const { id, article, screening } of articles) {
    const { decision, reason } = judged(await judge.screen(article, []));
    if (decision !== screening) misses.push({ id, what: `${decision} for ${screening} (${reason})` });
    right[screening] ??= [];
    right[screening].push(decision === screening ? 1 : 0);
  }
  return {
    screening: mean(Object.values(right).flat()),
    screeningByLabel: Object.fromEntries(Object.entries(right).map(([label, list]) => [label, mean(list)])),
  };
}

async function summariesOf(judge: Judge, articles: readonly LabelledArticle[]) {
  const [profile] = labelledProfiles();
  if (!profile) throw new Error('the labelled set has no profile');
  const rouge1: number[] = [];
  const rouge2: number[] = [];
  const lead: number[] = [];
  for (const { article, summary } of articles) {
    if (summary === null) continue;
    const ours = judged(await judge.evaluate(article, profile.interests)).summary;
    rouge1.push(rouge(ours, summary, 1));
    rouge2.push(rouge(ours, summary, 2));
    lead.push(rouge(firstCharacters(article.text, article.language === 'ja' ? 90 : 200), summary, 1));
  }
  return { rouge1: mean(rouge1), rouge2: mean(rouge2), leadRouge1: mean(lead) };
}

/**
 * An article labelled by a person. Relevance, per profile: 3 = would be missed, 2 = worth reading, 1 = a mention
 * in passing, the word in another sense, or a topic of low priority and nothing else; nothing = 0.
 */
export interface LabelledArticle {
  readonly id: string;
  readonly article: ArticleText;
  readonly relevance: Readonly<Record<string, number>>;
  readonly screening: Screening['decision'];
  /** A summary written by a person, where there is one. */
  readonly summary: string | null;
}

/** Parameters are tuned on the tuning half; the promises are checked on the held-back half. */
export type Half = 'tuning' | 'held-back';

interface LabelledEntry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly relevance: Readonly<Record<string, number>>;
  readonly screening: string;
  readonly summary?: string;
}

export function labelledArticles(half: Half): LabelledArticle[] {
  return [
    ...readEntries(english as LabelledEntry[], 'en'),
    ...readEntries(japanese as LabelledEntry[], 'ja'),
  ].filter(({ id }) => halfOf(id) === half);
}

/** An article in the form of a newspaper with the summary that an editor gives it. */
export interface NewsArticle {
  readonly id: string;
  readonly article: ArticleText;
  readonly summary: string;
}

/** Title after `#`, a paragraph on each line, the summary after `=`. */
export function newsArticles(language: 'en' | 'ja', half: Half): NewsArticle[] {
  const file = readFileSync(new URL(`news.${language}.txt`, import.meta.url), 'utf8');
  return file
    .trim()
    .split('\n\n')
    .map((entry, place) => {
      const lines = entry.split('\n');
      const id = `news-${language}-${String(place + 1).padStart(3, '0')}`;
      const title = lines[0]?.slice(2) ?? '';
      const text = lines.slice(1, -1).join('\n\n');
      const summary = lines.at(-1)?.slice(2) ?? '';
      return { id, article: { url: `https://example.org/${id}`, title, text, language }, summary };
    })
    .filter(({ id }) => halfOf(id) === half);
}

export function labelledProfiles(): { readonly name: string; readonly interests: Interests }[] {
  return Object.entries(profiles).map(([name, topics]) => ({
    name,
    interests: interestsOf(
      (topics as { topic: string; aliases?: string[]; priority: string }[]).map((entry) => ({
        ...entry,
        priority: entry.priority as Interest['priority'],
      })),
    ),
  }));
}

/** Odd numbers tune, even numbers are held back. */
function halfOf(id: string): Half {
  return Number(id.slice(-3)) % 2 === 1 ? 'tuning' : 'held-back';
}

function readEntries(entries: readonly LabelledEntry[], language: string): LabelledArticle[] {
  return entries.map((entry) => ({
    id: entry.id,
    article: { url: `https://example.org/${entry.id}`, title: entry.title, text: entry.text, language },
    relevance: entry.relevance,
    screening: entry.screening as Screening['decision'],
    summary: entry.summary ?? null,
  }));
}

/** Precision and recall. */
export function precisionAndRecall(pairs: readonly { readonly chosen: boolean; readonly worth: boolean }[]): {
  precision: number;
  recall: number;
  chosen: number;
} {
  const chosen = pairs.filter((pair) => pair.chosen);
  const right = chosen.filter((pair) => pair.worth).length;
  const worth = pairs.filter((pair) => pair.worth).length;
  return {
    precision: chosen.length === 0 ? 0 : right / chosen.length,
    recall: worth === 0 ? 0 : right / worth,
    chosen: chosen.length,
  };
}

/** Agreement of a ranking with the labels over its first places (NDCG): 1 = the best possible order. */
export function ndcg(ranked: readonly number[], places: number): number {
  const best = dcg(
    ranked.toSorted((a, b) => b - a),
    places,
  );
  return best === 0 ? 1 : dcg(ranked, places) / best;
}

function dcg(labels: readonly number[], places: number): number {
  return labels
    .slice(0, places)
    .reduce((sum, label, place) => sum + (2 ** label - 1) / Math.log2(place + 2), 0);
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** F-measure of shared words (n = 1) or pairs of words (n = 2) between a summary and its reference. */
export function rouge(summary: string, reference: string, n: 1 | 2): number {
  const ours = grams(summary, n);
  const theirs = grams(reference, n);
  let shared = 0;
  for (const [gram, count] of ours) shared += Math.min(count, theirs.get(gram) ?? 0);
  const total = (map: Map<string, number>): number =>
    [...map.values()].reduce((sum, count) => sum + count, 0);
  const precision = shared / Math.max(1, total(ours));
  const recall = shared / Math.max(1, total(theirs));
  return shared === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

function grams(text: string, n: number): Map<string, number> {
  const words = [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
    .filter((part) => part.isWordLike)
    .map((part) => part.segment);
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= words.length; i++) {
    const gram = words.slice(i, i + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
