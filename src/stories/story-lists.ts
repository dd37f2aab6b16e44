import type { Clock } from '../time/clock.ts';
import { DAY, HOUR } from '../time/duration.ts';
import { RankedList } from './ranked-list.ts';
import { type ListedStory, TIMESPANS, type Timespan } from './story.ts';
import type { CachedList, ChangePosition, StoryStore } from './story-store.ts';

/** How old a story of each list may be; `null` = any age. */
export const TIMESPAN_AGES_MS: Readonly<Record<Timespan, number | null>> = {
  Day: DAY,
  Week: 7 * DAY,
  Month: 30 * DAY,
  Year: 365 * DAY,
  All: null,
};

/** Lists hold stories for so long beyond their age, for pages that were begun before. */
export const RETENTION_SLACK_MS = 6 * HOUR;
/** A list that has lost more than this share of its stories is filled up before others read it. */
const MIN_FILL_RATIO = 0.95;
const MAX_SHARE_ATTEMPTS = 3;

export interface StoryListsOptions {
  readonly store: StoryStore;
  readonly clock: Clock;
  /** How long each list is kept before it is ranked anew (E8). */
  readonly timesToLive: Readonly<Record<Timespan, number>>;
  /** Stories in one list, 2000 at most (E7). */
  readonly size: number;
}

/** A list at hand. */
export interface LoadedList {
  readonly timespan: Timespan;
  readonly list: RankedList;
  readonly rankedAt: number;
  /** When the day's stories were merged in last; of a ranked list, when it was ranked. */
  dayMergedAt: number;
}

/** Lists that are derived from these, and kept fresh together with them. */
export interface DerivedLists {
  lists(): Iterable<Pick<LoadedList, 'timespan' | 'list'>>;
  /** They cannot be brought up to date any more. */
  clear(): void;
}

/** How lists were come by, for whoever counts costs. */
export interface ListCounts {
  readonly held: number;
  readonly read: number;
  readonly ranked: number;
}

/**
 * The five lists of one set, in two layers (E8): at hand in this process, and kept in the store for all copies where ranking
 * is dear. All lists at hand are of one place in the feed, and every change is patched into each of them at once (E10).
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

  /** The change up to which all lists at hand are told; `null` while there are none. */
  get position(): ChangePosition | null {
    return this.#position;
  }

  /** Lists that are to be patched with these. */
  addDerived(following: DerivedLists): void {
    this.#derived.add(following);
  }

  /** A list, from the nearest place that has it. Any number of equal requests at once cost one. */
  async list(timespan: Timespan): Promise<LoadedList> {
    await this.catchUp();
    const held = this.#fresh(timespan);
    if (held !== null) {
      this.#counts.held++;
      await this.#mergeDay(held);
      return held;
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
   * Brings the lists at hand up to what was changed, here or in another copy. Where looking costs it is done now and
   * then, or `now`. Answers whether anything was new.
   */
  async catchUp(now = false): Promise<boolean> {
    const { clock, store } = this.#options;
    if (!now && this.#polling !== null) return this.#polling;
    // A look that was begun before may have been too early for who asks now.
    while (this.#polling !== null) await this.#polling;
    const due = clock.monotonic() - this.#polledAt >= store.abilities.pollIntervalMs;
    if (this.#position === null || !(now || due)) return false;
    this.#polling = this.#poll(this.#position).finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  /** For whoever changed stories: every list shows it at once, and the lists that all copies share do too. */
  async publishChanges(): Promise<void> {
    const { cache } = this.#options.store.abilities;
    // A worker's copy that serves nobody has no list at hand, and others keep theirs.
    if (cache !== null) for (const timespan of TIMESPANS) await this.#readCache(timespan);
    await this.catchUp(true);
    if (cache === null) return;
    // So much was changed that it could not be patched in: then what others share is out of date.
    if (this.#position === null) return cache.clear();
    for (const held of this.#loaded.values()) {
      if (!this.#isAlive(held.timespan, held.rankedAt)) continue;
      await this.#fillUp(held);
      await cache.set(held.timespan, { stories: held.list.entries, rankedAt: held.rankedAt });
    }
  }

  /** Empties both layers. */
  async clear(): Promise<void> {
    this.#loading.clear();
    this.#clearLoaded();
    await this.#options.store.abilities.cache?.clear();
  }

  /** The youngest moment that does not belong to a list any more. */
  since(timespan: Timespan): number | null {
    const age = TIMESPAN_AGES_MS[timespan];
    return age === null ? null : this.#options.clock.now() - age;
  }

  #fresh(timespan: Timespan): LoadedList | null {
    const held = this.#loaded.get(timespan);
    return held !== undefined && this.#isAlive(timespan, held.rankedAt) ? held : null;
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
    const { rankedAt, hasChanges, writtenMsAgo, position: place } = cached;
    const dayMergedAt = hasChanges ? this.#options.clock.now() - writtenMsAgo : Number.NEGATIVE_INFINITY;
    const held = this.#store({ timespan, list: this.#listOf(cached), rankedAt, dayMergedAt }, place);
    await this.#mergeDay(held);
    return held;
  }

  #listOf({ stories, uncut }: CachedList): RankedList {
    const { size } = this.#options;
    const complete = uncut && stories.length < size * MIN_FILL_RATIO;
    return new RankedList(stories, complete ? null : (stories.at(-1) ?? null), size);
  }

  /**
   * Every other list has the fresh stories of the day in it (E8), also those that another program stored: no feed tells of
   * them, so the day's list is merged in whenever the last merge is older than that list may be.
   */
  async #mergeDay(held: LoadedList): Promise<void> {
    const { store, clock, timesToLive } = this.#options;
    if (held.timespan === 'Day' || store.abilities.cache === null) return;
    const now = clock.now();
    if (now - held.dayMergedAt < timesToLive.Day) return;
    const day = await this.list('Day');
    held.list.merge(day.list.entries, this.#comesIn(held.timespan));
    held.dayMergedAt = now;
  }

  async #rank(timespan: Timespan): Promise<LoadedList> {
    const { store, clock, size } = this.#options;
    const { cache } = store.abilities;
    const since = this.since(timespan);
    this.#counts.ranked++;
    const old = this.#loaded.get(timespan)?.list.entries ?? [];
    // Where an index answers, a few hours more cost nothing.
    const from = since === null || cache !== null ? since : since - RETENTION_SLACK_MS;
    const ranking = await store.ranking(from, size);
    const list = new RankedList(
      ranking.stories,
      ranking.complete ? null : (ranking.stories.at(-1) ?? null),
      size,
    );
    const aged = since === null ? [] : old.filter(({ time }) => time <= since);
    list.merge(aged, this.#comesIn(timespan));
    const now = clock.now();
    const held = this.#store({ timespan, list, rankedAt: now, dayMergedAt: now }, ranking.position);
    await this.catchUp(true);
    if (timespan === 'Day') this.#spread(list.entries);
    if (cache !== null) await this.#writeCache(held);
    return held;
  }

  /** What changed while the list was being written is written again: it must hold all that came before it. */
  async #writeCache(held: LoadedList): Promise<void> {
    for (let round = 0; round < MAX_SHARE_ATTEMPTS; round++) {
      const { timespan, list, rankedAt } = held;
      await this.#options.store.abilities.cache?.set(timespan, { stories: list.entries, rankedAt });
      if (!(await this.catchUp(true))) return;
    }
  }

  #store(held: LoadedList, place: ChangePosition): LoadedList {
    this.#loaded.set(held.timespan, held);
    // Changes are patched in from the earliest place on; to patch one in twice does no harm.
    if (this.#position === null) this.#polledAt = this.#options.clock.monotonic();
    if (this.#position === null || place < this.#position) this.#position = place;
    return held;
  }

  async #poll(place: ChangePosition): Promise<boolean> {
    const { store, clock } = this.#options;
    this.#polledAt = clock.monotonic();
    const part = await store.changesSince(place);
    if (part === null) {
      // So far behind that the feed does not help any more: lists are ranked anew, or read where they are shared.
      this.#clearLoaded();
      return true;
    }
    for (const { timespan, list } of this.#all()) list.apply(part.changes, this.#comesIn(timespan));
    this.#position = part.position;
    return part.changes.length > 0;
  }

  #spread(stories: readonly ListedStory[]): void {
    for (const { timespan, list } of this.#all())
      if (timespan !== 'Day') list.merge(stories, this.#comesIn(timespan));
  }

  *#all(): Iterable<Pick<LoadedList, 'timespan' | 'list'>> {
    yield* this.#loaded.values();
    for (const following of this.#derived) yield* following.lists();
  }

  #clearLoaded(): void {
    this.#loaded.clear();
    this.#position = null;
    for (const following of this.#derived) following.clear();
  }

  #comesIn(timespan: Timespan): number | null {
    const since = this.since(timespan);
    return since === null ? null : since - RETENTION_SLACK_MS;
  }

  /** A list from which many fell out does not tell any more where it ends. */
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
