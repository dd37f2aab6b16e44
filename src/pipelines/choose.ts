import type { Item } from '../item/item.ts';

export interface ChoiceSettings {
  readonly minRelevanceScore: number;
  readonly maxArticles: number;
  readonly minArticles: number;
}

export interface Choice {
  /** Best first; empty when there were too few to make a digest. */
  readonly chosen: readonly Item[];
  /** Good, but not this time: they keep their evaluation and compete again (A5). */
  readonly waiting: readonly Item[];
}

/** The digest's contents (A4): good enough, best first, not too many, and none at all when there are too few. */
export function choose(candidates: readonly Item[], settings: ChoiceSettings): Choice {
  const good = candidates.filter((item) => scoreOf(item) >= settings.minRelevanceScore).sort(bestFirst);
  if (good.length < settings.minArticles) return { chosen: [], waiting: good };
  return { chosen: good.slice(0, settings.maxArticles), waiting: good.slice(settings.maxArticles) };
}

/** An item without a score is never good enough, and never counted as zero either: it stays a candidate. */
function scoreOf(item: Item): number {
  return item.verdict?.score ?? Number.NEGATIVE_INFINITY;
}

/** Equal scores: the newer first, so that a digest is fresh; then by key, so that two runs agree. */
function bestFirst(a: Item, b: Item): number {
  return scoreOf(b) - scoreOf(a) || b.publishedAt - a.publishedAt || (a.key < b.key ? -1 : 1);
}
