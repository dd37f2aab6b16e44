import type { Item, ItemKey } from '../item/item.ts';
import { StoryGroups } from '../item/story-group.ts';
import { DAY } from '../time/duration.ts';

/** How far back a story that was told counts as told. */
export const TOLD_WITHIN = 3 * DAY;

/** A story with the item that tells it best, and the others that tell the same. */
export interface OneStory {
  readonly lead: Item;
  readonly others: readonly Item[];
}

export interface Stories {
  readonly fresh: readonly OneStory[];
  /** Candidates that tell a story which was published before, each with the item that told it. */
  readonly told: readonly { readonly item: Item; readonly by: Item }[];
}

/**
 * Recognises the same story from several sources (X3): candidates are gathered into stories, each led by its best score;
 * one that was told already is not told again. Two items of one source are two stories however alike they look: a series
 * has one headline every month.
 */
export function gatherStories(candidates: readonly Item[], published: readonly Item[]): Stories {
  const groups = new StoryGroups({ windowMs: TOLD_WITHIN });
  const items = new Map<ItemKey, Item>();
  const place = (item: Item): readonly Item[] => {
    items.set(item.key, item);
    const { members } = groups.add(telling(item));
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
  return { fresh: [...stories.values()], told };
}

function telling({ key, title, publishedAt, excerpt, verdict }: Item) {
  const text = excerpt ?? verdict?.summary ?? undefined;
  return { key, title, publishedAt, ...(text !== undefined && { text }) };
}
