import type { EntryId } from './entry-store.ts';

/**
 * The ID of each of some new stories: that of an old one where possible, so that its states stay. An ID is never greater than
 * those of the entries, and never that of an entry of another story. `storyOf`: the story of an entry as it was.
 */
export function assignStoryIds(
  stories: readonly (readonly EntryId[])[],
  storyOf: (id: EntryId) => EntryId,
): EntryId[] {
  const placeOf = new Map(stories.flatMap((ids, nth) => ids.map((id) => [id, nth] as const)));
  const assigned = new Map<number, EntryId>();
  const largestFirst = [...stories.entries()].sort(([, a], [, b]) => b.length - a.length);
  for (const [nth, ids] of largestFirst) {
    const first = Math.min(...ids);
    const taken = new Set(assigned.values());
    const isFree = (id: EntryId): boolean =>
      id <= first && !taken.has(id) && (placeOf.get(id) ?? nth) === nth;
    const [found = first] = ids
      .map(storyOf)
      .filter(isFree)
      .sort((a, b) => a - b);
    assigned.set(nth, found);
  }
  return stories.map((_, nth) => assigned.get(nth) ?? 0);
}
