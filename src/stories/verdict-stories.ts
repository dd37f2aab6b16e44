import { createHash } from 'node:crypto';
import type { Item } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Story } from './story.ts';
import type { StoryLists } from './story-lists.ts';
import { EMPTY_SYNC_STATE, type StoryStore } from './story-store.ts';
import { emptyTally, inBatches, type SyncProgress, type SyncTally } from './story-sync.ts';

/** Beyond any Hacker News ID, so that both kinds share one list of hidden stories. */
const FIRST_VERDICT_STORY_ID = 2 ** 52;
const BATCH_SIZE = 100;

export interface VerdictStoriesDependencies {
  readonly pipeline: string;
  readonly ledger: Pick<Ledger, 'list'>;
  readonly store: StoryStore;
  readonly lists: Pick<StoryLists, 'publishChanges'>;
}

/**
 * Items scored by a pipeline's judge, as stories (E15): the same five lists over one's own feeds. Each run takes the items
 * that changed since the last one.
 */
export async function syncVerdictStories(
  { pipeline, ledger, store, lists }: VerdictStoriesDependencies,
  signal: AbortSignal,
  onProgress: (progress: SyncProgress) => void = () => {},
): Promise<SyncTally> {
  const tally = emptyTally();
  const state = (await store.loadSyncState()) ?? EMPTY_SYNC_STATE;
  const items = await changedSince(ledger, state.takenUpTo, signal);
  const stories = items.map((item) => storyOf(item, pipeline)).filter((story) => story !== null);
  await inBatches(stories, BATCH_SIZE, 'scored items', { signal, onProgress }, async (batch) => {
    await store.upsert(batch.map((story) => ({ story })));
    tally.added += batch.length;
  });
  const newest = items[0]?.checkedAt;
  if (newest !== undefined && newest !== state.takenUpTo)
    await store.saveSyncState({ ...state, takenUpTo: newest });
  if (stories.length > 0) {
    await lists.publishChanges();
    await store.maintain();
  }
  return tally;
}

/** Newest change first. Includes those at exactly the last position: more may have been added in the same millisecond. */
async function changedSince(
  ledger: Pick<Ledger, 'list'>,
  since: number | null,
  signal: AbortSignal,
): Promise<Item[]> {
  const changed: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await ledger.list({ limit: BATCH_SIZE, ...(cursor !== undefined && { cursor }) });
    const fresh = page.items.filter(({ checkedAt }) => since === null || checkedAt >= since);
    changed.push(...fresh);
    if (page.next === null || fresh.length < page.items.length) return changed;
    cursor = page.next;
  }
}

function storyOf(item: Item, pipeline: string): Story | null {
  const score = item.verdict?.score;
  if (score === undefined || score === null) return null;
  return {
    id: storyId(pipeline, item.key),
    by: item.author ?? item.sourceName,
    descendants: 0,
    kids: [],
    score,
    time: Math.max(0, Math.trunc(item.publishedAt)),
    title: item.title,
    url: item.url,
    updated: item.checkedAt,
  };
}

/** A stable number for an item of a pipeline. */
export function storyId(pipeline: string, key: string): number {
  const hash = createHash('sha256').update(`${pipeline}\n${key}`).digest();
  return FIRST_VERDICT_STORY_ID + (hash.readUInt8(6) % 16) * 2 ** 48 + hash.readUIntBE(0, 6);
}
