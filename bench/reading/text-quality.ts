import type { Segments, WholeText } from './article-corpus.ts';

export interface Quality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Means of precision and recall of runs of four tokens, and their F1, as article-extraction-benchmark computes them. */
export function textQuality(pages: readonly WholeText[], extract: (html: string) => string): Quality {
  let precision = 0;
  let recall = 0;
  for (const { html, text } of pages) {
    const expected = runs(text);
    const found = runs(extract(html));
    let common = 0;
    for (const [run, times] of found) common += Math.min(times, expected.get(run) ?? 0);
    precision += common / Math.max(1, total(found));
    recall += common / Math.max(1, total(expected));
  }
  return quality(precision / pages.length, recall / pages.length);
}

/** Precision and recall over the segments of all pages, and their F1, as trafilatura's evaluation computes them. */
export function segmentQuality(pages: readonly Segments[], extract: (html: string) => string): Quality {
  let right = 0;
  let wrong = 0;
  let all = 0;
  for (const { html, within, without } of pages) {
    const text = spaced(extract(html));
    const found = (segment: string): boolean => text.includes(spaced(segment));
    right += within.filter(found).length;
    wrong += without.filter(found).length;
    all += within.length;
  }
  return quality(right / Math.max(1, right + wrong), right / Math.max(1, all));
}

function quality(precision: number, recall: number): Quality {
  const sum = precision + recall;
  return { precision, recall, f1: sum === 0 ? 0 : (2 * precision * recall) / sum };
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A character of Japanese is a token: its words are not separated. */
const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu;

function runs(text: string): ReadonlyMap<string, number> {
  const tokens = text.match(TOKEN) ?? [];
  const counted = new Map<string, number>();
  for (let index = 0; index < Math.max(1, tokens.length - 3); index++) {
    const run = tokens.slice(index, index + 4).join(' ');
    if (run !== '') counted.set(run, (counted.get(run) ?? 0) + 1);
  }
  return counted;
}

function total(counted: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const times of counted.values()) sum += times;
  return sum;
}
