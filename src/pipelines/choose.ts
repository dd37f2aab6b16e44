import type { Item, ItemKey } from '../item/item.ts';
import { StoryGroups } from '../same-story/same-story.ts';
import { DAY } from '../time/duration.ts';

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

/** How far back a story that was told counts as told. */
export const STORY_WINDOW_MS = 3 * DAY;

/** A story with the item that tells it best, and the others that tell the same. */
export interface CandidateStory {
  readonly lead: Item;
  readonly others: readonly Item[];
}

export interface GroupedStories {
  readonly fresh: readonly CandidateStory[];
  /** Candidates that tell a story which was published before, each with the item that told it. */
  readonly alreadyPublished: readonly { readonly item: Item; readonly by: Item }[];
}

/**
 * Recognises the same story from several sources (X3): candidates are gathered into stories, each led by its best score;
 * one that was told already is not told again. Two items of one source are two stories however alike they look: a series
 * has one headline every month.
 */
export function groupStories(candidates: readonly Item[], published: readonly Item[]): GroupedStories {
  const groups = new StoryGroups({ windowMs: STORY_WINDOW_MS });
  const items = new Map<ItemKey, Item>();
  const place = (item: Item): readonly Item[] => {
    items.set(item.key, item);
    const { members } = groups.add(storyInput(item));
    const others = members.flatMap((key) => (key === item.key ? [] : (items.get(key) ?? [])));
    if (!others.some(({ sourceId }) => sourceId === item.sourceId)) return others;
    groups.separate(item.key);
    return [];
  };
  const tellers = new Set(published.map(({ key }) => key));
  for (const item of published) place(item);
  const stories = new Map<ItemKey, { lead: Item; others: Item[] }>();
  const told: { item: Item; by: Item }[] = [];
  for (const item of [...candidates].sort((a, b) => (b.verdict?.score ?? -1) - (a.verdict?.score ?? -1))) {
    const others = place(item);
    const by = others.find(({ key }) => tellers.has(key));
    const story = others.map(({ key }) => stories.get(key)).find((found) => found !== undefined);
    if (by !== undefined) told.push({ item, by });
    else if (story !== undefined) story.others.push(item);
    else stories.set(item.key, { lead: item, others: [] });
  }
  return { fresh: [...stories.values()], alreadyPublished: told };
}

function storyInput({ key, title, publishedAt, excerpt, verdict }: Item) {
  const text = excerpt ?? verdict?.summary ?? undefined;
  return { key, title, publishedAt, ...(text !== undefined && { text }) };
}
