import { takeCharacters } from '../../characters.ts';
import { judged } from '../../contract/judged.ts';
import type { Judge } from '../../judge.ts';
import type { Half, LabelledArticle } from './labelled-set.ts';
import { labelledArticles, labelledProfiles } from './labelled-set.ts';
import { mean, ndcg, precisionAndRecall, rouge } from './measures.ts';

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
  /** The same for the first 120 characters of each text: what a summary must beat. */
  readonly leadRouge1: number;
}

/** The default of A4. */
export const THRESHOLD = 70;
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
      const pair = { chosen: score >= THRESHOLD, worth: label >= WORTH_READING };
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
    lead.push(rouge(takeCharacters(article.text, article.language === 'ja' ? 90 : 200), summary, 1));
  }
  return { rouge1: mean(rouge1), rouge2: mean(rouge2), leadRouge1: mean(lead) };
}
