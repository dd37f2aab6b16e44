import { chunked } from '../item/chunked.ts';
import type { Clock } from '../time/clock.ts';
import { looksAlike, type Story, type StoryApi } from './story.ts';
import type { StoryLists } from './story-lists.ts';
import { EMPTY_SYNC_STATE, type StoryStore, type SyncState } from './story-store.ts';

/** Stories younger than `youngerThan` are refreshed when last synced longer ago than `after` (E13). */
export interface StalenessTier {
  readonly youngerThan: number;
  readonly after: number;
}

export interface SyncSettings {
  /** Youngest first. */
  readonly tiers: readonly StalenessTier[];
  /** Limit of stories refreshed by each tier in one run. */
  readonly limit: number;
}

export interface SyncDependencies {
  readonly store: StoryStore;
  readonly lists: Pick<StoryLists, 'publishChanges'>;
  readonly api: StoryApi;
  readonly clock: Clock;
  readonly settings: SyncSettings;
}

/** IDs fetched and stored together: the most that a killed run fetches twice. */
const BATCH_SIZE = 50;
/** IDs of gaps fetched in one run; the rest is left for the next. */
const MAX_GAP_IDS = 3000;
/** A gap this many IDs behind the newest is given up. */
const MAX_GAP_DISTANCE = 20_000;
const MAX_RETRIED = 1000;
const MAX_FAILING = 1000;
/** Share of a refresh for stories that failed before, if there are enough others. */
const RETRY_SHARE = 1 / 4;

/**
 * One run of the worker (E13, E14): stories since the newest known ID, those that earlier runs failed to fetch, and stale
 * scores. Pending IDs are saved before anything newer is stored, so that a run can
 * be killed at any moment and the next one continues.
 */
export class StorySync {
  readonly #deps: SyncDependencies;

  constructor(deps: SyncDependencies) {
    this.#deps = deps;
  }

  async run(
    signal: AbortSignal,
    onProgress: (progress: SyncProgress) => void = () => {},
  ): Promise<SyncTally> {
    const tally = emptyTally();
    const state = await this.#fetchNew(tally, signal, onProgress);
    if (state !== null) {
      const failing = new Set(state.failing);
      for (const tier of this.#deps.settings.tiers) {
        signal.throwIfAborted();
        await this.#refresh(tier, failing, tally, signal, onProgress);
      }
      const after = [...failing].slice(-MAX_FAILING);
      if (JSON.stringify(after) !== JSON.stringify(state.failing ?? []))
        await this.#deps.store.saveSyncState({ ...state, failing: after });
    }
    if (tally.added + tally.refreshed + tally.removed > 0) await this.#deps.store.maintain();
    return tally;
  }

  /** Returns the state for the next run; `null` if the API could not be reached at all. */
  async #fetchNew(
    tally: SyncTally,
    signal: AbortSignal,
    onProgress: (progress: SyncProgress) => void,
  ): Promise<SyncState | null> {
    const { store, lists, api } = this.#deps;
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

    // Save them as pending before they are fetched, in case this run is killed.
    let state: SyncState = { ...before, gaps, retry: before.retry };
    if (gaps.length > before.gaps.length) await store.saveSyncState(state);
    const waiting = new Set<number>();
    await inBatches(todo, BATCH_SIZE, 'new stories', { signal, onProgress }, async (ids) => {
      const answer = await this.#fetch(ids, tally, signal);
      const pending = [...answer.missing, ...answer.failed].filter((id) => id > highest - MAX_GAP_DISTANCE);
      for (const id of pending) waiting.add(id);
      if (pending.length > 0) {
        state = { ...state, retry: [...new Set([...state.retry, ...pending])].slice(-MAX_RETRIED) };
        await store.saveSyncState(state);
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
    if (!isSameState(after, state)) await store.saveSyncState(after);
    if (tally.added > 0) await lists.publishChanges();
    return after;
  }

  async #refresh(
    { youngerThan, after }: StalenessTier,
    failing: Set<number>,
    tally: SyncTally,
    signal: AbortSignal,
    onProgress: (progress: SyncProgress) => void,
  ): Promise<void> {
    const { store, lists, clock, settings } = this.#deps;
    const now = clock.now();
    // The stalest come first, and a story that always fails stays the stalest: read past those.
    const all = await store.stale(now - youngerThan, now - after, settings.limit + failing.size);
    const known = new Map(refreshOrder(all, failing, settings.limit).map((story) => [story.id, story]));
    let listsChanged = false;
    await inBatches([...known.keys()], BATCH_SIZE, 'stale stories', { signal, onProgress }, async (ids) => {
      const { found, gone, missing, failed } = await this.#fetch(ids, tally, signal);
      for (const id of ids) failing.delete(id);
      for (const id of failed) failing.add(id);
      // A story missing from the API counts as synced, so that it waits for its next refresh.
      const absent = missing.map((id) => known.get(id)).filter((story) => story !== undefined);
      const synced: Story[] = [...found, ...absent.map((story) => ({ ...story, updated: clock.now() }))];
      await store.upsert(synced.map((story) => ({ story, before: known.get(story.id) ?? null })));
      await store.remove(gone);
      listsChanged ||= gone.length > 0 || found.some((story) => !isUnchanged(story, known));
      tally.refreshed += synced.length;
      tally.removed += gone.length;
    });
    if (listsChanged) await lists.publishChanges();
  }

  async #fetch(ids: readonly number[], tally: SyncTally, signal: AbortSignal) {
    const answer = await this.#deps.api.stories(ids, this.#deps.clock.now(), signal);
    signal.throwIfAborted();
    tally.failed += answer.failed.length;
    tally.trouble ??= answer.why;
    return answer;
  }
}

/** Stalest first, with a share for those that failed before, the longest ago first. */
function refreshOrder(
  stale: readonly Story[],
  failing: ReadonlySet<number>,
  limit: number,
): readonly Story[] {
  const others = stale.filter(({ id }) => !failing.has(id));
  const position = new Map([...failing].map((id, nth) => [id, nth]));
  const failed = stale
    .filter(({ id }) => failing.has(id))
    .sort((a, b) => (position.get(a.id) ?? 0) - (position.get(b.id) ?? 0));
  const share = Math.max(limit - others.length, Math.ceil(limit * RETRY_SHARE));
  const retried = failed.slice(0, share);
  return [...others.slice(0, limit - retried.length), ...retried];
}

function isUnchanged(story: Story, known: ReadonlyMap<number, Story>): boolean {
  const before = known.get(story.id);
  return before !== undefined && looksAlike(before, story);
}

type Range = readonly [from: number, to: number];

/** The IDs between the newest known story and the oldest in the API's list of newest, which is limited. */
function gapBetween(latest: number, newest: readonly number[]): Range[] {
  const oldest = Math.min(...newest);
  return Number.isFinite(oldest) && oldest > latest + 1 ? [[latest + 1, oldest - 1]] : [];
}

/** The first IDs of these ranges up to a limit, and the remaining ranges. Newest first: they are the most wanted. */
function sliceGaps(gaps: readonly Range[], max: number): { now: number[]; later: Range[] } {
  const now: number[] = [];
  const later: Range[] = [];
  for (const [from, to] of gaps.toReversed()) {
    const start = Math.max(from, to - (max - now.length) + 1);
    for (let id = to; id >= start; id--) now.push(id);
    if (start > from) later.unshift([from, Math.min(to, start - 1)]);
  }
  return { now, later };
}

function isSameState(one: SyncState, other: SyncState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Result of a run of the worker. */
export interface SyncTally {
  added: number;
  refreshed: number;
  removed: number;
  /** IDs that the next run retries. */
  waiting: number;
  failed: number;
  /** Reason of one of the failures; the rest of the run is not affected by it. */
  trouble: string | null;
}

export function emptyTally(): SyncTally {
  return { added: 0, refreshed: 0, removed: 0, waiting: 0, failed: 0, trouble: null };
}

/** Progress of long work. */
export interface SyncProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Processes a list batch by batch and reports progress. Stops between two batches. */
export async function inBatches<T>(
  all: readonly T[],
  size: number,
  stage: string,
  {
    signal,
    onProgress,
  }: { readonly signal: AbortSignal; readonly onProgress: (progress: SyncProgress) => void },
  work: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  let done = 0;
  for (const batch of chunked(all, size)) {
    signal.throwIfAborted();
    await work(batch);
    done += batch.length;
    onProgress({ stage, done, total: all.length });
  }
}
