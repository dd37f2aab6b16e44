import type { Clock } from '../time/clock.ts';
import { DAY, HOUR } from '../time/duration.ts';
import { RankedList } from './ranked-list.ts';
import { type ListedStory, TIMESPANS, type Timespan } from './story.ts';
import type { CachedList, ChangePosition, StoryStore } from './story-store.ts';

/** Maximum age of a story in each list; `null` = any age. */
export const TIMESPAN_AGES_MS: Readonly<Record<Timespan, number | null>> = {
  Day: DAY,
  Week: 7 * DAY,
  Month: 30 * DAY,
  Year: 365 * DAY,
  All: null,
};

/** Lists keep stories this long beyond their maximum age, for pages begun earlier. */
export const RETENTION_SLACK_MS = 6 * HOUR;
/** A list filled to less than this share is refilled before it is shared. */
const MIN_FILL_RATIO = 0.95;
const MAX_SHARE_ATTEMPTS = 3;

export interface StoryListsOptions {
  readonly store: StoryStore;
  readonly clock: Clock;
  /** Time to live of each list before it is ranked again (E8). */
  readonly timesToLive: Readonly<Record<Timespan, number>>;
  /** Stories in one list, 2000 at most (E7). */
  readonly size: number;
}

/** A list loaded in this process. */
export interface LoadedList {
  readonly timespan: Timespan;
  readonly list: RankedList;
  readonly rankedAt: number;
  /** When the day's stories were last merged in; when it was ranked, for a new list. */
  dayMergedAt: number;
}

/** Lists derived from these, and patched together with them. */
export interface DerivedLists {
  lists(): Iterable<Pick<LoadedList, 'timespan' | 'list'>>;
  /** Evicts them: they can no longer be brought up to date. */
  clear(): void;
}

/** Where lists came from: this process, the shared cache, or a ranking. For cost accounting. */
export interface ListCounts {
  readonly held: number;
  readonly read: number;
  readonly ranked: number;
}

/**
 * The five lists of one set, cached in two layers (E8): in this process, and in the store for all replicas where ranking
 * is expensive. All loaded lists are at one position in the feed, and every change is patched into all of them together (E10).
 */
export class StoryLists {
  readonly #options: StoryListsOptions;
  readonly #loaded = new Map<Timespan, LoadedList>();
  readonly #loading = new Map<Timespan, Promise<LoadedList>>();
  readonly #derived = new Set<DerivedLists>();
  #position: ChangePosition | null = null;
  #polledAt = Number.NEGATIVE_INFINITY;
  #polling: Promise<boolean> | null = null;
  #counts = { held: 0, read: 0, ranked: 0 };

  constructor(options: StoryListsOptions) {
    this.#options = options;
  }

  /** Stories in one list. */
  get size(): number {
    return this.#options.size;
  }

  get counts(): ListCounts {
    return { ...this.#counts };
  }

  /** The last change patched into the loaded lists; `null` while there are none. */
  get position(): ChangePosition | null {
    return this.#position;
  }

  /** Registers lists to be patched with these. */
  addDerived(derived: DerivedLists): void {
    this.#derived.add(derived);
  }

  /** Returns a list from the nearest cache layer. Concurrent requests share one load. */
  async list(timespan: Timespan): Promise<LoadedList> {
    await this.catchUp();
    const loaded = this.#fresh(timespan);
    if (loaded !== null) {
      this.#counts.held++;
      await this.#mergeDay(loaded);
      return loaded;
    }
    const loading = this.#loading.get(timespan) ?? this.#load(timespan);
    this.#loading.set(timespan, loading);
    try {
      return await loading;
    } finally {
      if (this.#loading.get(timespan) === loading) this.#loading.delete(timespan);
    }
  }

  /**
   * Patches changes of this or another replica into the loaded lists. Where polling costs something, it is done at an
   * interval, or immediately with `now`. Returns whether there were changes.
   */
  async catchUp(now = false): Promise<boolean> {
    const { clock, store } = this.#options;
    if (!now && this.#polling !== null) return this.#polling;
    // A poll already in progress may be too early for this caller.
    while (this.#polling !== null) await this.#polling;
    const due = clock.monotonic() - this.#polledAt >= store.abilities.pollIntervalMs;
    if (this.#position === null || !(now || due)) return false;
    this.#polling = this.#poll(this.#position).finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  /** Call after changing stories: updates every loaded list and the shared cache. */
  async publishChanges(): Promise<void> {
    const { cache } = this.#options.store.abilities;
    // A worker's replica that serves no requests has no loaded lists.
    if (cache !== null) for (const timespan of TIMESPANS) await this.#readCache(timespan);
    await this.catchUp(true);
    if (cache === null) return;
    // Too many changes to patch in: the shared lists are out of date.
    if (this.#position === null) return cache.clear();
    for (const loaded of this.#loaded.values()) {
      if (!this.#isAlive(loaded.timespan, loaded.rankedAt)) continue;
      await this.#fillUp(loaded);
      await cache.set(loaded.timespan, { stories: loaded.list.entries, rankedAt: loaded.rankedAt });
    }
  }

  /** Clears both layers. */
  async clear(): Promise<void> {
    this.#loading.clear();
    this.#clearLoaded();
    await this.#options.store.abilities.cache?.clear();
  }

  /** The latest time that is too old for a list. */
  since(timespan: Timespan): number | null {
    const age = TIMESPAN_AGES_MS[timespan];
    return age === null ? null : this.#options.clock.now() - age;
  }

  #fresh(timespan: Timespan): LoadedList | null {
    const loaded = this.#loaded.get(timespan);
    return loaded !== undefined && this.#isAlive(timespan, loaded.rankedAt) ? loaded : null;
  }

  #isAlive(timespan: Timespan, rankedAt: number): boolean {
    return this.#options.clock.now() - rankedAt < this.#options.timesToLive[timespan];
  }

  async #load(timespan: Timespan): Promise<LoadedList> {
    return (await this.#readCache(timespan)) ?? (await this.#rank(timespan));
  }

  async #readCache(timespan: Timespan): Promise<LoadedList | null> {
    const fresh = this.#fresh(timespan);
    if (fresh !== null) return fresh;
    const cached = await this.#options.store.abilities.cache?.get(timespan);
    if (cached == null || !this.#isAlive(timespan, cached.rankedAt)) return null;
    this.#counts.read++;
    const { rankedAt, hasChanges, writtenMsAgo, position } = cached;
    const dayMergedAt = hasChanges ? this.#options.clock.now() - writtenMsAgo : Number.NEGATIVE_INFINITY;
    const loaded = this.#store({ timespan, list: this.#listOf(cached), rankedAt, dayMergedAt }, position);
    await this.#mergeDay(loaded);
    return loaded;
  }

  #listOf({ stories, uncut }: CachedList): RankedList {
    const { size } = this.#options;
    const complete = uncut && stories.length < size * MIN_FILL_RATIO;
    return new RankedList(stories, complete ? null : (stories.at(-1) ?? null), size);
  }

  /**
   * Merges the day's list into every other one (E8). Stories that another program stored are not in the feed, so it is
   * merged whenever the last merge is older than that list's time to live.
   */
  async #mergeDay(loaded: LoadedList): Promise<void> {
    const { store, clock, timesToLive } = this.#options;
    if (loaded.timespan === 'Day' || store.abilities.cache === null) return;
    const now = clock.now();
    if (now - loaded.dayMergedAt < timesToLive.Day) return;
    const day = await this.list('Day');
    loaded.list.merge(day.list.entries, this.#oldestKept(loaded.timespan));
    loaded.dayMergedAt = now;
  }

  async #rank(timespan: Timespan): Promise<LoadedList> {
    const { store, clock, size } = this.#options;
    const { cache } = store.abilities;
    const since = this.since(timespan);
    this.#counts.ranked++;
    const old = this.#loaded.get(timespan)?.list.entries ?? [];
    // With an index, a few hours more cost nothing.
    const from = since === null || cache !== null ? since : since - RETENTION_SLACK_MS;
    const ranking = await store.ranking(from, size);
    const list = new RankedList(
      ranking.stories,
      ranking.complete ? null : (ranking.stories.at(-1) ?? null),
      size,
    );
    const aged = since === null ? [] : old.filter(({ time }) => time <= since);
    list.merge(aged, this.#oldestKept(timespan));
    const now = clock.now();
    const loaded = this.#store({ timespan, list, rankedAt: now, dayMergedAt: now }, ranking.position);
    await this.catchUp(true);
    if (timespan === 'Day') this.#spread(list.entries);
    if (cache !== null) await this.#writeCache(loaded);
    return loaded;
  }

  /** Writes again if stories changed during the write: the cached list must contain all earlier changes. */
  async #writeCache(loaded: LoadedList): Promise<void> {
    for (let attempt = 0; attempt < MAX_SHARE_ATTEMPTS; attempt++) {
      const { timespan, list, rankedAt } = loaded;
      await this.#options.store.abilities.cache?.set(timespan, { stories: list.entries, rankedAt });
      if (!(await this.catchUp(true))) return;
    }
  }

  #store(loaded: LoadedList, position: ChangePosition): LoadedList {
    this.#loaded.set(loaded.timespan, loaded);
    // Changes are patched in from the earliest position; patching one in twice is harmless.
    if (this.#position === null) this.#polledAt = this.#options.clock.monotonic();
    if (this.#position === null || position < this.#position) this.#position = position;
    return loaded;
  }

  async #poll(position: ChangePosition): Promise<boolean> {
    const { store, clock } = this.#options;
    this.#polledAt = clock.monotonic();
    const part = await store.changesSince(position);
    if (part === null) {
      // The feed does not reach back that far: lists are ranked again, or read from the shared cache.
      this.#clearLoaded();
      return true;
    }
    for (const { timespan, list } of this.#all()) list.apply(part.changes, this.#oldestKept(timespan));
    this.#position = part.position;
    return part.changes.length > 0;
  }

  #spread(stories: readonly ListedStory[]): void {
    for (const { timespan, list } of this.#all())
      if (timespan !== 'Day') list.merge(stories, this.#oldestKept(timespan));
  }

  *#all(): Iterable<Pick<LoadedList, 'timespan' | 'list'>> {
    yield* this.#loaded.values();
    for (const derived of this.#derived) yield* derived.lists();
  }

  #clearLoaded(): void {
    this.#loaded.clear();
    this.#position = null;
    for (const derived of this.#derived) derived.clear();
  }

  #oldestKept(timespan: Timespan): number | null {
    const since = this.since(timespan);
    return since === null ? null : since - RETENTION_SLACK_MS;
  }

  /** A list that has lost many stories has to be read beyond its floor. */
  async #fillUp({ timespan, list }: LoadedList): Promise<void> {
    const { store, size } = this.#options;
    while (list.floor !== null && list.entries.length < size * MIN_FILL_RATIO) {
      const { stories, next } = await store.best({
        since: this.since(timespan),
        after: list.floor,
        limit: size - list.entries.length,
      });
      list.extend(stories, next);
    }
  }
}
