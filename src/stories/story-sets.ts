import { calendarDate } from '../time/calendar-day.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Story } from './story.ts';
import type { StoryLists } from './story-lists.ts';
import type { StoryPageRequest, StoryPageResult, StoryReader } from './story-reader.ts';
import {
  type HiddenPage,
  type HiddenRequest,
  NO_USAGE,
  type StoryStore,
  type StoryUsage,
  sumUsage,
} from './story-store.ts';
import type { SyncProgress, SyncTally } from './story-sync.ts';

/** A set of stories with its store, lists, reader and worker. */
export interface StorySet {
  /** Name in requests: `hackernews`, or the ID of a pipeline. */
  readonly name: string;
  /** Display name. */
  readonly title: string;
  /** Address of the comments on a story, to which its ID is appended; `null` where there are none. */
  readonly comments: string | null;
  readonly store: StoryStore;
  readonly lists: StoryLists;
  readonly reader: StoryReader;
  /** One run of the worker. */
  sync(signal: AbortSignal, onProgress?: (progress: SyncProgress) => void): Promise<SyncTally>;
}

/** Runs some work and reports what it read and wrote. */
export type Measure = <T>(
  work: () => Promise<T>,
) => Promise<{ readonly value: T; readonly used: Omit<StoryUsage, 'requests'> }>;

export interface StorySetsOptions {
  /** At least one; the first is the default. */
  readonly sets: readonly StorySet[];
  readonly pageSize: number;
  readonly clock: Clock;
  readonly measure: Measure;
}

const FLUSH_INTERVAL_MS = 5 * MINUTE;

/** All sets of stories. */
export class StorySets implements AsyncDisposable {
  readonly sets: readonly StorySet[];
  /** Default number of stories on a page. */
  readonly pageSize: number;
  readonly #clock: Clock;
  readonly #measure: Measure;
  readonly #usage = new Map<StorySet, StoryUsage>();
  #flushedAt: number;

  constructor({ sets, pageSize, clock, measure }: StorySetsOptions) {
    this.sets = sets;
    this.pageSize = pageSize;
    this.#clock = clock;
    this.#measure = measure;
    this.#flushedAt = clock.monotonic();
  }

  /** `null`: unknown set. */
  find(name: string | undefined): StorySet | null {
    return (name === undefined ? this.sets[0] : this.sets.find((set) => set.name === name)) ?? null;
  }

  async page(set: StorySet, ask: StoryPageRequest): Promise<StoryPageResult> {
    const { value, used } = await this.#measure(() => set.reader.page(ask));
    this.#usage.set(set, sumUsage(this.#usage.get(set) ?? NO_USAGE, { ...used, requests: 1 }));
    if (this.#clock.monotonic() - this.#flushedAt >= FLUSH_INTERVAL_MS) await this.#flushUsage();
    return value;
  }

  /** IDs of different sets never collide, so one list of hidden stories serves all. */
  async hide(username: string, ids: readonly number[]): Promise<void> {
    await this.sets[0]?.reader.hide(username, ids);
  }

  /** The stories with these IDs, of whichever set. */
  async stories(ids: readonly number[]): Promise<readonly Story[]> {
    return (await Promise.all(this.sets.map(({ store }) => store.find(ids)))).flat();
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    for (const { reader } of this.sets) await reader.unhide(username, ids);
  }

  async hidden(username: string, ask: HiddenRequest): Promise<HiddenPage> {
    return (await this.sets[0]?.reader.hidden(username, ask)) ?? { stories: [], more: false };
  }

  /** What reading a set cost today in all replicas, up to their last flush. */
  async usageToday(set: StorySet): Promise<StoryUsage> {
    return sumUsage(await set.store.usageOf(this.#day()), this.#usage.get(set) ?? NO_USAGE);
  }

  async clearCache(): Promise<void> {
    for (const { lists } of this.sets) await lists.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushUsage();
  }

  async #flushUsage(): Promise<void> {
    this.#flushedAt = this.#clock.monotonic();
    const uses = [...this.#usage];
    this.#usage.clear();
    for (const [{ store }, use] of uses) await store.addUsage(this.#day(), use);
  }

  #day(): string {
    return calendarDate(this.#clock.now(), 'UTC');
  }
}
