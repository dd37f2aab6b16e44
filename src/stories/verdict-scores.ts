import { createHash } from 'node:crypto';
import type { Item } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Story } from './story.ts';
import type { StoryLists } from './story-lists.ts';
import { NO_MEMORY, type StoryStore } from './story-store.ts';
import { inBatches, type Tally, type WorkProgress } from './work-progress.ts';

/** IDs of Hacker News will never reach this; so the two kinds can be hidden side by side. */
const FIRST_ID = 2 ** 52;
const AT_ONCE = 100;

export interface VerdictScoresParts {
  readonly pipeline: string;
  readonly ledger: Pick<Ledger, 'list'>;
  readonly store: StoryStore;
  readonly lists: Pick<StoryLists, 'changed'>;
}

/**
 * What a pipeline's judge scored, as stories (E15): the same five lists over one's own feeds. Each run takes up the items
 * that changed since the last one.
 */
export async function takeVerdicts(
  { pipeline, ledger, store, lists }: VerdictScoresParts,
  signal: AbortSignal,
  watch: (progress: WorkProgress) => void = () => {},
): Promise<Tally> {
  const tally: Tally = { added: 0, refreshed: 0, removed: 0, waiting: 0, failed: 0, trouble: null };
  const memory = (await store.memory()) ?? NO_MEMORY;
  const items = await changedSince(ledger, memory.takenUpTo, signal);
  const stories = items.map((item) => storyOf(item, pipeline)).filter((story) => story !== null);
  await inBatches(stories, AT_ONCE, 'scored items', { signal, watch }, async (batch) => {
    await store.upsert(batch.map((story) => ({ story })));
    tally.added += batch.length;
  });
  const newest = items[0]?.checkedAt;
  if (newest !== undefined && newest !== memory.takenUpTo)
    await store.remember({ ...memory, takenUpTo: newest });
  if (stories.length > 0) {
    await lists.changed();
    await store.tend();
  }
  return tally;
}

/** Newest change first. Those of the very moment up to which all was taken are taken again: more may have come in it. */
async function changedSince(
  ledger: Pick<Ledger, 'list'>,
  since: number | null,
  signal: AbortSignal,
): Promise<Item[]> {
  const changed: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await ledger.list({ limit: AT_ONCE, ...(cursor !== undefined && { cursor }) });
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

/** A number for an item of a pipeline, always the same. */
export function storyId(pipeline: string, key: string): number {
  const hash = createHash('sha256').update(`${pipeline}\n${key}`).digest();
  return FIRST_ID + (hash.readUInt8(6) % 16) * 2 ** 48 + hash.readUIntBE(0, 6);
}
