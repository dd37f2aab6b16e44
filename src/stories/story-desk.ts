import { calendarDate } from '../time/calendar-day.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { StoryLists } from './story-lists.ts';
import type { PageAnswer, PageAsk, StoryReader } from './story-reader.ts';
import {
  addUse,
  type HiddenAsk,
  type HiddenPage,
  NO_USE,
  type StoryStore,
  type StoryUse,
} from './story-store.ts';
import type { Tally, WorkProgress } from './work-progress.ts';

/** One set of stories with all that works on it. */
export interface StorySet {
  /** What a request calls it: `hackernews`, or the ID of a pipeline. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly store: StoryStore;
  readonly lists: StoryLists;
  readonly reader: StoryReader;
  /** One run of the worker. */
  work(signal: AbortSignal, watch?: (progress: WorkProgress) => void): Promise<Tally>;
}

/** Does work and says what it read and wrote. */
export type Measure = <T>(
  work: () => Promise<T>,
) => Promise<{ readonly value: T; readonly used: Omit<StoryUse, 'requests'> }>;

export interface StoryDeskParts {
  /** At least one; the first is meant where a request names none. */
  readonly sets: readonly StorySet[];
  readonly pageSize: number;
  readonly clock: Clock;
  readonly measure: Measure;
}

const COUNT_EVERY = 5 * MINUTE;

/** All sets of stories, as people read them. */
export class StoryDesk implements AsyncDisposable {
  readonly sets: readonly StorySet[];
  /** Stories on a page where nobody says how many. */
  readonly pageSize: number;
  readonly #clock: Clock;
  readonly #measure: Measure;
  readonly #uses = new Map<StorySet, StoryUse>();
  #countedAt: number;

  constructor({ sets, pageSize, clock, measure }: StoryDeskParts) {
    this.sets = sets;
    this.pageSize = pageSize;
    this.#clock = clock;
    this.#measure = measure;
    this.#countedAt = clock.monotonic();
  }

  /** `null`: there is no such set. */
  find(name: string | undefined): StorySet | null {
    return (name === undefined ? this.sets[0] : this.sets.find((set) => set.name === name)) ?? null;
  }

  async page(set: StorySet, ask: PageAsk): Promise<PageAnswer> {
    const { value, used } = await this.#measure(() => set.reader.page(ask));
    this.#uses.set(set, addUse(this.#uses.get(set) ?? NO_USE, { ...used, requests: 1 }));
    if (this.#clock.monotonic() - this.#countedAt >= COUNT_EVERY) await this.#count();
    return value;
  }

  /** IDs of different sets never meet: one list of hidden stories serves all. */
  async hide(username: string, ids: readonly number[]): Promise<void> {
    await this.sets[0]?.reader.hide(username, ids);
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    for (const { reader } of this.sets) await reader.unhide(username, ids);
  }

  async hidden(username: string, ask: HiddenAsk): Promise<HiddenPage> {
    return (await this.sets[0]?.reader.hidden(username, ask)) ?? { stories: [], more: false };
  }

  /** What reading a set cost today, all copies together, as far as they have told. */
  async useToday(set: StorySet): Promise<StoryUse> {
    return addUse(await set.store.useOf(this.#day()), this.#uses.get(set) ?? NO_USE);
  }

  async clearCache(): Promise<void> {
    for (const { lists } of this.sets) await lists.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#count();
  }

  async #count(): Promise<void> {
    this.#countedAt = this.#clock.monotonic();
    const uses = [...this.#uses];
    this.#uses.clear();
    for (const [{ store }, use] of uses) await store.countUse(this.#day(), use);
  }

  #day(): string {
    return calendarDate(this.#clock.now(), 'UTC');
  }
}
