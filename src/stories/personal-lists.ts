import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { indexAfter, RankedList, TOP_RANK } from './ranked-list.ts';
import { byRank, type ListedStory, listed, type Rank, type Timespan } from './story.ts';
import { type DerivedLists, type LoadedList, RETENTION_SLACK_MS, type StoryLists } from './story-lists.ts';
import type { StoryStore } from './story-store.ts';

/** Stories read per batch. */
const BATCH_SIZE = 500;
const LIST_TTL_MS = 30 * MINUTE;
const MAX_LISTS = 100;

/** Name of the user whose hidden stories are left out; `null`: a guest. */
export type ReaderName = string | null;

export interface PersonalList {
  readonly reader: ReaderName;
  readonly timespan: Timespan;
  /** Stories that were not hidden when they were read; some may have been hidden since. */
  readonly list: RankedList;
  readonly madeAt: number;
  extending: Promise<void> | null;
}

/**
 * The stories that a reader has not hidden, of each list, without a size limit: a guest's list also continues where the shared one
 * was cut, for pages of older lists. Caching them avoids reading all hidden stories again for each
 * page of a user who has hidden 100,000; changes are patched in as into every other list.
 */
export class PersonalLists implements DerivedLists {
  readonly #store: StoryStore;
  readonly #base: StoryLists;
  readonly #clock: Clock;
  readonly #cache = new Map<string, PersonalList>();

  constructor(store: StoryStore, base: StoryLists, clock: Clock) {
    this.#store = store;
    this.#base = base;
    this.#clock = clock;
    base.addDerived(this);
  }

  lists(): Iterable<PersonalList> {
    return this.#cache.values();
  }

  clear(): void {
    this.#cache.clear();
  }

  of(person: ReaderName, timespan: Timespan): PersonalList {
    const key = person === null ? timespan : `${timespan} ${person}`;
    const known = this.#cache.get(key);
    const now = this.#clock.now();
    this.#cache.delete(key);
    const list =
      known !== undefined && now - known.madeAt < LIST_TTL_MS
        ? known
        : { reader: person, timespan, list: new RankedList([], TOP_RANK), madeAt: now, extending: null };
    this.#cache.set(key, list);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MAX_LISTS && oldest !== undefined) this.#cache.delete(oldest);
    return list;
  }

  /** Reads one more batch. Returns whether it came from the store. */
  async extend(personal: PersonalList, { list: base }: LoadedList): Promise<boolean> {
    if (personal.extending !== null) {
      await personal.extending;
      return false;
    }
    const { floor } = personal.list;
    const known = base.entries.slice(indexAfter(base.entries, floor)).slice(0, BATCH_SIZE);
    const isInBase = known.length > 0 || base.floor === null;
    const work = isInBase ? this.#fromBase(personal, base, known) : this.#fromStore(personal);
    personal.extending = work.finally(() => {
      personal.extending = null;
    });
    await personal.extending;
    return !isInBase;
  }

  async hiddenAmong(person: ReaderName, ids: readonly number[]): Promise<ReadonlySet<number>> {
    return person === null ? NO_IDS : this.#store.hiddenAmong(person, ids);
  }

  /** An unhidden story may rank within the part already read. */
  async unhidden(username: string, ids: readonly number[]): Promise<void> {
    const mine = [...this.#cache.values()].filter((list) => list.reader === username);
    if (mine.length === 0) return;
    const stories = (await this.#store.find(ids)).map(listed);
    for (const { timespan, list } of mine) list.merge(stories, this.#base.since(timespan));
  }

  async #fromBase(personal: PersonalList, base: RankedList, known: readonly ListedStory[]): Promise<void> {
    const start = personal.list.floor;
    const last = known.at(-1) ?? null;
    const ids = known.map(({ id }) => id);
    const hidden = await this.hiddenAmong(personal.reader, ids);
    // Computed again: the list may have changed during the await.
    const rest = base.entries.slice(indexAfter(base.entries, start));
    const end =
      known.length < BATCH_SIZE && base.floor === null ? null : (earlier(last, base.floor) ?? start);
    const part = end === null ? rest : rest.slice(0, indexAfter(rest, end));
    personal.list.extend(
      part.filter(({ id }) => !hidden.has(id)),
      end,
    );
  }

  async #fromStore({ reader, timespan, list }: PersonalList): Promise<void> {
    const since = this.#base.since(timespan);
    const { stories, next } = await this.#store.best({
      since: since === null ? null : since - RETENTION_SLACK_MS,
      after: list.floor,
      limit: BATCH_SIZE,
      ...(reader !== null && { notHiddenBy: reader }),
    });
    list.extend(stories, next);
  }
}

const NO_IDS: ReadonlySet<number> = new Set();

/** The earlier of two ranks; `null` is after everything. */
function earlier(one: Rank | null, other: Rank | null): Rank | null {
  if (one === null || other === null) return one ?? other;
  return byRank(one, other) < 0 ? one : other;
}
