import type { Item } from '../item/item.ts';
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
 * one that was told already is not told again.
 */
export function gatherStories(candidates: readonly Item[], published: readonly Item[]): Stories {
  const groups = new StoryGroups({ windowMs: TOLD_WITHIN });
  const toldBy = new Map<string, Item>();
  for (const item of published) toldBy.set(groups.add(telling(item)).group, item);
  const stories = new Map<string, Item[]>();
  const told: { item: Item; by: Item }[] = [];
  for (const item of [...candidates].sort((a, b) => (b.verdict?.score ?? -1) - (a.verdict?.score ?? -1))) {
    const { group } = groups.add(telling(item));
    const by = toldBy.get(group);
    if (by !== undefined) told.push({ item, by });
    else stories.set(group, [...(stories.get(group) ?? []), item]);
  }
  const fresh = [...stories.values()].flatMap(([lead, ...others]) =>
    lead === undefined ? [] : [{ lead, others }],
  );
  return { fresh, told };
}

function telling({ key, title, publishedAt, excerpt, verdict }: Item) {
  const text = excerpt ?? verdict?.summary ?? undefined;
  return { key, title, publishedAt, ...(text !== undefined && { text }) };
}
