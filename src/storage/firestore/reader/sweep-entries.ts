import type { DocumentSnapshot } from '@google-cloud/firestore';
import { chunked } from '../../../item/chunked.ts';
import type { EntryId, EntryRetention, EntrySweep } from '../../../reader/entry-store.ts';
import type { FirestoreConnection, Write } from '../connection.ts';
import { keepersOf, READER_QUERIES, toStoredEntry } from './documents.ts';
import type { EntryDocuments } from './entry-documents.ts';
import { type EntryModel, entriesOf, isLive, liveRowsOf, type StoryRow } from './entry-model.ts';
import type { IndexCache } from './index-cache.ts';
import { deletionOf, retireFromSource } from './retire-entries.ts';
import { ORPHANS } from './source-index.ts';

const ENTRIES_PER_STEP = 50;
const TEXTS_PER_STEP = 200;

interface Parts {
  readonly connection: FirestoreConnection;
  readonly cache: IndexCache;
  readonly documents: EntryDocuments;
}

/** Removes texts, then entries by their age. */
export async function sweepEntries(
  parts: Parts,
  limits: EntryRetention,
  now: number,
  signal?: AbortSignal,
): Promise<EntrySweep> {
  const isStopped = (): boolean => signal?.aborted === true;
  let [texts, entries] = [0, 0];
  if (isStopped()) return { texts, entries };
  await parts.cache.refresh(0);
  if (limits.textsMs !== null) {
    for (let isMore = true; isMore && !isStopped(); ) {
      const step = await sweepTexts(parts, now - limits.textsMs, now);
      texts += step.removed;
      isMore = step.isMore;
    }
  }
  const { version } = parts.cache.heads;
  const old = expiredIds(parts.cache.model, limits, now);
  for (const ids of chunked([...old], ENTRIES_PER_STEP)) {
    if (isStopped()) break;
    entries += await removeExpired(parts, ids, version);
  }
  if (!isStopped()) await dropUselessIndexes(parts.cache);
  return { texts, entries };
}

/** Takes a source out of everything. */
export async function removeSource({ cache, documents }: Parts, sourceId: string): Promise<void> {
  await cache.refresh(0);
  for (;;) {
    const isLast = await cache.change(async (draft) => {
      const index = cache.model.source(sourceId);
      if (index === undefined) return { value: true, writes: [] };
      const rows = draft.rowsOf(sourceId);
      const live = [...rows.values()].filter(({ isGone }) => !isGone).map(({ id }) => id);
      const some = live.slice(0, ENTRIES_PER_STEP);
      const writes = retireFromSource(draft, sourceId, some, await documents.snapshots(some));
      // The source may be added again: what it showed before is then new.
      for (const [id, row] of rows) if (row.isGone) rows.set(id, { ...row, keyHash: 0 });
      return { value: some.length === live.length, writes };
    });
    if (isLast) break;
  }
  await dropUselessIndexes(cache);
}

/** Texts of entries that a person starred or wants to read later stay; they are checked again after as long a time. */
async function sweepTexts(
  { connection, documents }: Parts,
  before: number,
  now: number,
): Promise<{ readonly removed: number; readonly isMore: boolean }> {
  const found = await connection.query(READER_QUERIES.oldTexts, { where: [before], limit: TEXTS_PER_STEP });
  const entries = await documents.snapshots(found.map((text) => Number(text.get('entry_id'))));
  const kept = new Set(entries.filter(isKept).map((entry) => Number(entry.get('entry_id'))));
  const writes = found.map((text): Write => {
    const at = [READER_QUERIES.oldTexts.collection, text.id] as const;
    return kept.has(Number(text.get('entry_id')))
      ? { do: 'patch', at, data: { aged_from: now }, asOf: text.updateTime }
      : { do: 'delete', at, asOf: text.updateTime };
  });
  const committed = await connection.commit(writes);
  const removed = committed === 'committed' ? writes.filter((write) => write.do === 'delete').length : 0;
  return { removed, isMore: committed === 'conflict' || found.length === TEXTS_PER_STEP };
}

/** Entries that are old in every source that carries them, and those that no source carries. */
function expiredIds(
  model: EntryModel,
  { entriesMs, keepPerSource }: EntryRetention,
  now: number,
): Set<EntryId> {
  const [expired, needed] = [new Set<EntryId>(), new Set<EntryId>()];
  for (const index of model.sources()) {
    const live = index.rows().filter(({ isGone }) => !isGone);
    const newestFirst = live.sort((a, b) => b.publishedAt - a.publishedAt || b.id - a.id);
    for (const [nth, { id, arrivedAt }] of newestFirst.entries()) {
      const isOld = entriesMs !== null && now - arrivedAt > entriesMs && nth >= keepPerSource;
      (index.sourceId === ORPHANS || isOld ? expired : needed).add(id);
    }
  }
  return expired.difference(needed);
}

async function removeExpired(
  { cache, documents }: Parts,
  ids: readonly EntryId[],
  version: number,
): Promise<number> {
  return cache.change(async (draft) => {
    const { model } = cache;
    const stories = new Map(ids.map((id) => [id, model.storyOf(id)]));
    const related = [...stories].flatMap(([id, story]) => [id, ...entriesOf(story)]);
    const found = await documents.snapshots(related);
    const keptStories = new Set(
      found.filter(isKept).map((document) => toStoredEntry(document)?.entry.storyId),
    );
    const writes: Write[] = [];
    let removed = 0;
    for (const document of found) {
      const stored = toStoredEntry(document);
      if (stored === null || !stories.has(stored.entry.id)) continue;
      if (keptStories.has(stored.entry.storyId)) continue;
      const { id, sourceIds } = stored.entry;
      const story = stories.get(id);
      const isNewer = ({ index, row }: StoryRow): boolean =>
        index.id(row) === id && index.version(row) > version;
      // Another source carries it since.
      if (story !== undefined && liveRowsOf(story).some(isNewer)) continue;
      for (const sourceId of sourceIds) draft.markGone(sourceId, id);
      if (sourceIds.length === 0) draft.rowsOf(ORPHANS).delete(id);
      writes.push(...deletionOf(document, stored));
      removed++;
    }
    return { value: removed, writes };
  });
}

/** Indexes of removed sources remain only as long as stories need their rows. */
async function dropUselessIndexes(cache: IndexCache): Promise<void> {
  const isUseless = (sourceId: string): boolean =>
    cache.model
      .source(sourceId)
      ?.rows()
      .every(
        ({ isGone, keyHash, storyId }) => isGone && keyHash === 0 && !isLive(cache.model.story(storyId)),
      ) ?? false;
  await cache.change(async (draft) => {
    for (const { sourceId } of cache.model.sources())
      if (sourceId !== ORPHANS && isUseless(sourceId)) draft.rowsOf(sourceId).clear();
    return { value: null, writes: [] };
  });
}

function isKept(document: DocumentSnapshot): boolean {
  return keepersOf(document).length > 0;
}
