import { describe, expect, it } from 'vitest';
import { createLocalJudge } from '../local-judge.ts';
import { labelledArticles, labelledProfiles, ndcg, precisionAndRecall, qualityOf, rouge } from './quality.ts';

describe('the labelled set', () => {
  const all = [...labelledArticles('tuning'), ...labelledArticles('held-back')];

  it('has at least 200 articles, in Japanese and English, half of them held back', () => {
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ article }) => article.text)).size).toBe(all.length);
    for (const language of ['ja', 'en']) {
      expect(all.filter(({ article }) => article.language === language).length).toBeGreaterThanOrEqual(100);
    }
    expect(Math.abs(labelledArticles('tuning').length - labelledArticles('held-back').length)).toBeLessThan(
      5,
    );
  });

  it('labels name profiles that exist, with grades 1–3', () => {
    const names = labelledProfiles().map(({ name }) => name);
    for (const { relevance } of all) {
      for (const [name, grade] of Object.entries(relevance)) {
        expect(names).toContain(name);
        expect([1, 2, 3]).toContain(grade);
      }
    }
  });
});

describe('the measures', () => {
  it('recognise a perfect and a useless ranking', () => {
    expect(ndcg([3, 2, 1, 0], 5)).toBe(1);
    expect(ndcg([0, 0, 0, 0, 0, 3], 5)).toBe(0);
    expect(rouge('the cat sat', 'the cat sat', 2)).toBe(1);
    expect(rouge('a b', 'c d', 1)).toBe(0);
    expect(
      precisionAndRecall([
        { chosen: true, worth: true },
        { chosen: true, worth: false },
        { chosen: false, worth: true },
      ]),
    ).toEqual({ precision: 0.5, recall: 0.5, chosen: 2 });
  });
});

describe('the local judge on the held-back half', () => {
  it('X8 scores, ranks and screens like the labels, and its summaries beat the first lines', async () => {
    const { quality } = await qualityOf(createLocalJudge(), 'held-back');
    console.log('local judge, held-back half:', quality);
    expect(quality.precision).toBeGreaterThanOrEqual(0.85);
    expect(quality.recall).toBeGreaterThanOrEqual(0.7);
    expect(quality.ndcg5).toBeGreaterThanOrEqual(0.85);
    expect(quality.ndcg5Whole).toBeGreaterThanOrEqual(0.85);
    expect(quality.screening).toBeGreaterThanOrEqual(0.9);
    expect(quality.screeningByLabel.not_ready).toBeGreaterThanOrEqual(0.75);
    expect(quality.screeningByLabel.not_valuable).toBeGreaterThanOrEqual(0.75);
    expect(quality.rouge1).toBeGreaterThan(quality.leadRouge1);
  });
});
