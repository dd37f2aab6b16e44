import type { Clock } from '../time/clock.ts';
import type { StoryApi } from './story.ts';
import type { StoryLists } from './story-lists.ts';
import { EMPTY_SYNC_STATE, type StoryStore } from './story-store.ts';
import { emptyTally, type SyncTally } from './story-sync.ts';

export interface BackfillDependencies {
  readonly store: StoryStore;
  readonly lists: Pick<StoryLists, 'publishChanges'>;
  readonly api: StoryApi;
  readonly clock: Clock;
}

export interface BackfillProgress {
  /** IDs processed in this run, of those left at its start. */
  readonly done: number;
  readonly total: number;
  readonly found: number;
  /** Estimated milliseconds for the rest, at the pace so far. */
  readonly leftMs: number;
}

export type BackfillResult =
  | { readonly outcome: 'done' | 'stopped'; readonly tally: SyncTally; readonly next: number }
  | { readonly outcome: 'refused'; readonly why: string };

const BATCH_SIZE = 200;
/** Attempts for a batch with failed requests, before the rest is left for later. */
const MAX_ATTEMPTS = 3;

/**
 * Fetches every story of a range of IDs, both ends inclusive. Progress is saved after each batch: the same
 * command continues from there after the process was killed.
 */
export async function backfillStories(
  { store, lists, api, clock }: BackfillDependencies,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
  onProgress: (progress: BackfillProgress) => void = () => {},
): Promise<BackfillResult> {
  const highest = await api.highest(signal);
  if (!highest.ok) return { outcome: 'refused', why: `the API cannot be reached: ${highest.why}` };
  if (from > highest.value) return { outcome: 'refused', why: `the highest ID so far is ${highest.value}` };
  const last = Math.min(to, highest.value);
  const state = (await store.loadSyncState()) ?? EMPTY_SYNC_STATE;
  const begun = state.backfill;
  const start = begun?.from === from && begun.to === to ? begun.next : from;
  const tally = emptyTally();
  const started = clock.monotonic();
  const total = Math.max(0, last - start + 1);
  let next = start;
  for (; next <= last && !signal.aborted; next = Math.min(next + BATCH_SIZE, last + 1)) {
    const ids = Array.from({ length: Math.min(BATCH_SIZE, last - next + 1) }, (_, n) => next + n);
    const left = await fetchAndStore(ids, { store, api, clock }, tally, signal);
    if (signal.aborted) break;
    if (left.length > 0) {
      tally.failed += left.length;
      break;
    }
    const done = next + ids.length - start;
    await store.saveSyncState({ ...state, backfill: { from, to, next: next + ids.length } });
    const leftMs = ((clock.monotonic() - started) / done) * (total - done);
    onProgress({ done, total, found: tally.added, leftMs });
  }
  const done = next > last;
  if (done) await store.saveSyncState({ ...state, backfill: null });
  if (tally.added > 0) {
    await lists.publishChanges();
    await store.maintain();
  }
  return { outcome: done ? 'done' : 'stopped', tally, next };
}

/** Returns the IDs whose request failed. */
async function fetchAndStore(
  ids: readonly number[],
  { store, api, clock }: Omit<BackfillDependencies, 'lists'>,
  tally: SyncTally,
  signal: AbortSignal,
): Promise<readonly number[]> {
  let left = ids;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && left.length > 0 && !signal.aborted; attempt++) {
    const answer = await api.stories(left, clock.now(), signal);
    await store.upsert(answer.found.map((story) => ({ story })));
    tally.added += answer.found.length;
    tally.trouble = answer.why ?? tally.trouble;
    left = answer.failed;
  }
  return left;
}
