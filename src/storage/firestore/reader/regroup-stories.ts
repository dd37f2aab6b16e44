import type { EntryId, Regrouping } from '../../../reader/entry-store.ts';
import { assignStoryIds } from '../../../reader/story-ids.ts';
import type { Write } from '../connection.ts';
import { entryAt, entryData, keepersOf, toStoredEntry } from './documents.ts';
import type { EntryDocuments } from './entry-documents.ts';
import { type EntryModel, entriesOf, type Story, type StoryRow } from './entry-model.ts';
import type { IndexCache } from './index-cache.ts';
import { tokensOf } from './search.ts';

interface Parts {
  readonly cache: IndexCache;
  readonly documents: EntryDocuments;
}

/** Splits and joins stories in one commit: their rows in the indexes of all sources, and the documents of their entries. */
export async function regroupStories(
  { cache, documents }: Parts,
  { stories, reasons }: Regrouping,
): Promise<void> {
  await cache.refresh(0);
  const changed = await cache.change(async (draft) => {
    const { model } = cache;
    const lists = withUnlisted(model, stories);
    const assigned = assignStoryIds(lists, (id) => model.storyOf(id)?.id ?? id);
    const next = new Map(lists.flatMap((ids, nth) => ids.map((id) => [id, assigned[nth] ?? id] as const)));
    for (const story of touchedBy(model, lists))
      for (let at: StoryRow | null = story.rows; at !== null; at = at.next) {
        const rows = draft.rowsOf(at.index.sourceId);
        const row = rows.get(at.index.id(at.row));
        if (row !== undefined)
          rows.set(row.id, { ...row, storyId: next.get(row.id) ?? heirOf(story, assigned, next) });
      }
    const writes: Write[] = [];
    for (const found of await documents.snapshots([...next.keys()])) {
      const stored = toStoredEntry(found);
      if (stored === null || found.updateTime === undefined) continue;
      const { storyReason: before, ...entry } = stored.entry;
      const given = reasons.get(entry.id);
      const reason = given === undefined ? before : (given ?? undefined);
      const storyId = next.get(entry.id) ?? entry.storyId;
      const moved = { ...stored, entry: { ...entry, storyId, ...(reason && { storyReason: reason }) } };
      const data = entryData(moved, tokensOf(moved), keepersOf(found));
      writes.push({ do: 'replace', at: entryAt(entry.key), data, asOf: found.updateTime });
    }
    return { value: next.keys(), writes };
  });
  documents.evict(changed);
}

/** What arrived since the caller read the stories goes with the first list. */
function withUnlisted(model: EntryModel, stories: Regrouping['stories']): EntryId[][] {
  const lists = stories.map((ids) => ids.filter((id) => model.storyOf(id) !== undefined));
  const listed = new Set(lists.flat());
  const unlisted = touchedBy(model, lists).flatMap((story) =>
    [...entriesOf(story)].filter((id) => !listed.has(id)),
  );
  return lists.map((ids, nth) => (nth === 0 ? [...ids, ...unlisted] : ids)).filter((ids) => ids.length > 0);
}

function touchedBy(model: EntryModel, lists: readonly (readonly EntryId[])[]): Story[] {
  return [...new Set(lists.flat().flatMap((id) => model.storyOf(id) ?? []))];
}

/** Where the rows of removed entries go: they stay, or follow the story that joins another one. */
function heirOf(story: Story, assigned: readonly EntryId[], next: ReadonlyMap<EntryId, EntryId>): EntryId {
  if (assigned.includes(story.id)) return story.id;
  const [first] = entriesOf(story);
  return next.get(first ?? story.id) ?? story.id;
}
