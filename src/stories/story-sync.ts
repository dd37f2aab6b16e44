import { chunked } from '../item/chunked.ts';
import type { Clock } from '../time/clock.ts';
import { looksAlike, type Story, type StoryApi } from './story.ts';
import type { StoryLists } from './story-lists.ts';
import { EMPTY_SYNC_STATE, type StoryStore, type SyncState } from './story-store.ts';

/** Stories younger than this are refreshed when they were not for this long (E13). */
export interface StalenessTier {
  readonly youngerThan: number;
  readonly after: number;
}

export interface SyncSettings {
  /** The youngest first. */
  readonly tiers: readonly StalenessTier[];
  /** Stories refreshed by each tier in one run. */
  readonly limit: number;
}

export interface SyncParts {
  readonly store: StoryStore;
  readonly lists: Pick<StoryLists, 'publishChanges'>;
  readonly api: StoryApi;
  readonly clock: Clock;
  readonly settings: SyncSettings;
}

/** IDs that are asked for and stored together: what a kill can lose, and only to be asked for again. */
const BATCH_SIZE = 50;
/** IDs of gaps that one run asks for; the rest is for the next. */
const MAX_GAP_IDS = 3000;
/** A gap that is so many IDs behind the newest stays empty: nobody fills it any more. */
const MAX_GAP_DISTANCE = 20_000;
const MAX_RETRIED = 1000;
const MAX_FAILING = 1000;
/** The part of a refresh that retries what failed before, where there is enough else to refresh. */
const RETRY_SHARE = 1 / 4;

/**
 * One run of the worker (E13, E14): what is new since the newest known ID, what earlier runs could not get, and the scores
 * that have grown stale. What is still to be asked for is written down before anything newer is stored, so that a run can
 * be killed at any moment and the next one goes on.
 */
export class StorySync {
  readonly #parts: SyncParts;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal, watch: (progress: SyncProgress) => void = () => {}): Promise<SyncTally> {
    const tally: SyncTally = { added: 0, refreshed: 0, removed: 0, waiting: 0, failed: 0, trouble: null };
    const memory = await this.#fetchNew(tally, signal, watch);
    if (memory !== null) {
      const failing = new Set(memory.failing);
      for (const tier of this.#parts.settings.tiers) {
        signal.throwIfAborted();
        await this.#refresh(tier, failing, tally, signal, watch);
      }
      const after = [...failing].slice(-MAX_FAILING);
      if (JSON.stringify(after) !== JSON.stringify(memory.failing ?? []))
        await this.#parts.store.saveSyncState({ ...memory, failing: after });
    }
    if (tally.added + tally.refreshed + tally.removed > 0) await this.#parts.store.maintain();
    return tally;
  }

  /** What is noted for the next run; `null` where the API could not be reached at all. */
  async #fetchNew(
    tally: SyncTally,
    signal: AbortSignal,
    watch: (progress: SyncProgress) => void,
  ): Promise<SyncState | null> {
    const { store, lists, api } = this.#parts;
    const latest = await store.latestId();
    const before = (await store.loadSyncState()) ?? EMPTY_SYNC_STATE;
    const newest = await api.newest(signal);
    if (!newest.ok) {
      tally.trouble = newest.why;
      return null;
    }
    const liked = latest === null ? await api.liked(signal) : null;
    const highest = Math.max(latest ?? 0, ...newest.value);
    const gaps = latest === null ? before.gaps : [...before.gaps, ...gapBetween(latest, newest.value)];
    const { now: gapIds, later } = sliceGaps(gaps, MAX_GAP_IDS);
    const fresh = newest.value.filter((id) => latest === null || id > latest);
    const wanted = new Set([...before.retry, ...gapIds, ...fresh, ...(liked?.ok ? liked.value : [])]);
    const todo = [...wanted].sort((a, b) => a - b);

    // Until they were asked for, all of them are still to be asked for, whatever happens to this run.
    let memory: SyncState = { ...before, gaps, retry: before.retry };
    if (gaps.length > before.gaps.length) await store.saveSyncState(memory);
    const waiting = new Set<number>();
    await inBatches(todo, BATCH_SIZE, 'new stories', { signal, watch }, async (ids) => {
      const answer = await this.#fetch(ids, tally, signal);
      const owed = [...answer.missing, ...answer.failed].filter((id) => id > highest - MAX_GAP_DISTANCE);
      for (const id of owed) waiting.add(id);
      if (owed.length > 0) {
        memory = { ...memory, retry: [...new Set([...memory.retry, ...owed])].slice(-MAX_RETRIED) };
        await store.saveSyncState(memory);
      }
      const isNew = (id: number): boolean => latest === null || id > latest;
      await store.upsert(
        answer.found.map((story) => ({
          story,
          ...(isNew(story.id) && !before.retry.includes(story.id) && { before: null }),
        })),
      );
      tally.added += answer.found.length;
    });
    tally.waiting = waiting.size;
    const after: SyncState = { ...before, gaps: later, retry: [...waiting].slice(-MAX_RETRIED) };
    if (!isSameState(after, memory)) await store.saveSyncState(after);
    if (tally.added > 0) await lists.publishChanges();
    return after;
  }

  async #refresh(
    { youngerThan, after }: StalenessTier,
    failing: Set<number>,
    tally: SyncTally,
    signal: AbortSignal,
    watch: (progress: SyncProgress) => void,
  ): Promise<void> {
    const { store, lists, clock, settings } = this.#parts;
    const now = clock.now();
    // The stalest come first, and what always fails stays the stalest: look past it.
    const all = await store.stale(now - youngerThan, now - after, settings.limit + failing.size);
    const known = new Map(refreshOrder(all, failing, settings.limit).map((story) => [story.id, story]));
    let seen = false;
    await inBatches([...known.keys()], BATCH_SIZE, 'stale stories', { signal, watch }, async (ids) => {
      const { found, gone, missing, failed } = await this.#fetch(ids, tally, signal);
      for (const id of ids) failing.delete(id);
      for (const id of failed) failing.add(id);
      // One that the API does not tell is not asked for again before its turn comes round.
      const untold = missing.map((id) => known.get(id)).filter((story) => story !== undefined);
      const synced: Story[] = [...found, ...untold.map((story) => ({ ...story, updated: clock.now() }))];
      await store.upsert(synced.map((story) => ({ story, before: known.get(story.id) ?? null })));
      await store.remove(gone);
      seen ||= gone.length > 0 || found.some((story) => !isUnchanged(story, known));
      tally.refreshed += synced.length;
      tally.removed += gone.length;
    });
    if (seen) await lists.publishChanges();
  }

  async #fetch(ids: readonly number[], tally: SyncTally, signal: AbortSignal) {
    const answer = await this.#parts.api.stories(ids, this.#parts.clock.now(), signal);
    signal.throwIfAborted();
    tally.failed += answer.failed.length;
    tally.trouble ??= answer.why;
    return answer;
  }
}

/** The stalest first, with room for some of those that failed before, the longest ago first. */
function refreshOrder(
  stale: readonly Story[],
  failing: ReadonlySet<number>,
  limit: number,
): readonly Story[] {
  const others = stale.filter(({ id }) => !failing.has(id));
  const place = new Map([...failing].map((id, nth) => [id, nth]));
  const failed = stale
    .filter(({ id }) => failing.has(id))
    .sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  const room = Math.max(limit - others.length, Math.ceil(limit * RETRY_SHARE));
  const retried = failed.slice(0, room);
  return [...others.slice(0, limit - retried.length), ...retried];
}

function isUnchanged(story: Story, known: ReadonlyMap<number, Story>): boolean {
  const before = known.get(story.id);
  return before !== undefined && looksAlike(before, story);
}

type Range = readonly [from: number, to: number];

/** What lies between the newest story known and the oldest of the newest: a list holds only so many. */
function gapBetween(latest: number, newest: readonly number[]): Range[] {
  const oldest = Math.min(...newest);
  return Number.isFinite(oldest) && oldest > latest + 1 ? [[latest + 1, oldest - 1]] : [];
}

/** So many IDs of these ranges, and the ranges that are left. The newest come first: they are what people look for. */
function sliceGaps(gaps: readonly Range[], most: number): { now: number[]; later: Range[] } {
  const now: number[] = [];
  const later: Range[] = [];
  for (const [from, to] of gaps.toReversed()) {
    const start = Math.max(from, to - (most - now.length) + 1);
    for (let id = to; id >= start; id--) now.push(id);
    if (start > from) later.unshift([from, Math.min(to, start - 1)]);
  }
  return { now, later };
}

function isSameState(one: SyncState, other: SyncState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What a run of the worker did. */
export interface SyncTally {
  added: number;
  refreshed: number;
  removed: number;
  /** IDs that the next run asks for again. */
  waiting: number;
  failed: number;
  /** What went wrong, in words; the rest of the run is not touched by it. */
  trouble: string | null;
}

/** How far long work is. */
export interface SyncProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Works through a list batch by batch, and says how far it is. Stops between two batches. */
export async function inBatches<T>(
  all: readonly T[],
  size: number,
  stage: string,
  { signal, watch }: { readonly signal: AbortSignal; readonly watch: (progress: SyncProgress) => void },
  work: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  let done = 0;
  for (const batch of chunked(all, size)) {
    signal.throwIfAborted();
    await work(batch);
    done += batch.length;
    watch({ stage, done, total: all.length });
  }
}
