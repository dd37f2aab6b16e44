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
  /** Good enough but not chosen: they keep their evaluation and compete again (A5). */
  readonly waiting: readonly Item[];
}

/**
 * The digest's contents (A4): items above the threshold, best first, at most `maxArticles`, none if fewer than
 * `minArticles`.
 */
export function choose(candidates: readonly Item[], settings: ChoiceSettings): Choice {
  const good = candidates.filter((item) => scoreOf(item) >= settings.minRelevanceScore).sort(bestFirst);
  if (good.length < settings.minArticles) return { chosen: [], waiting: good };
  return { chosen: good.slice(0, settings.maxArticles), waiting: good.slice(settings.maxArticles) };
}

/** An item without a score is never chosen, even with a threshold of zero. */
function scoreOf(item: Item): number {
  return item.verdict?.score ?? Number.NEGATIVE_INFINITY;
}

/** Equal scores: the newer first, then by key, so that the order is deterministic. */
function bestFirst(a: Item, b: Item): number {
  return scoreOf(b) - scoreOf(a) || b.publishedAt - a.publishedAt || (a.key < b.key ? -1 : 1);
}

/** How long a published story suppresses further items about it. */
export const STORY_WINDOW_MS = 3 * DAY;

/** A story: the item with the best score, and the others about the same event. */
export interface CandidateStory {
  readonly lead: Item;
  readonly others: readonly Item[];
}

export interface GroupedStories {
  readonly fresh: readonly CandidateStory[];
  /** Candidates whose story was published before, each with the published item. */
  readonly alreadyPublished: readonly { readonly item: Item; readonly by: Item }[];
}

/**
 * Groups candidates of several sources by story (X3), each led by its best score, and separates those whose story was
 * published before. Two items of one source are always two stories, even with equal titles: a monthly series repeats
 * its headline.
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
  const publishedKeys = new Set(published.map(({ key }) => key));
  for (const item of published) place(item);
  const stories = new Map<ItemKey, { lead: Item; others: Item[] }>();
  const alreadyPublished: { item: Item; by: Item }[] = [];
  for (const item of [...candidates].sort((a, b) => (b.verdict?.score ?? -1) - (a.verdict?.score ?? -1))) {
    const others = place(item);
    const by = others.find(({ key }) => publishedKeys.has(key));
    const story = others.map(({ key }) => stories.get(key)).find((found) => found !== undefined);
    if (by !== undefined) alreadyPublished.push({ item, by });
    else if (story !== undefined) story.others.push(item);
    else stories.set(item.key, { lead: item, others: [] });
  }
  return { fresh: [...stories.values()], alreadyPublished };
}

function storyInput({ key, title, publishedAt, excerpt, verdict }: Item) {
  const text = excerpt ?? verdict?.summary ?? undefined;
  return { key, title, publishedAt, ...(text !== undefined && { text }) };
}
