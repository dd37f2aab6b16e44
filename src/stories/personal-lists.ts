import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { indexAfter, RankedList, TOP_RANK } from './ranked-list.ts';
import { byRank, type ListedStory, listed, type Rank, type Timespan } from './story.ts';
import { type DerivedLists, type LoadedList, RETENTION_SLACK_MS, type StoryLists } from './story-lists.ts';
import type { StoryStore } from './story-store.ts';

/** Stories of a list that are looked at in one go. */
const BATCH_SIZE = 500;
const LIST_TTL_MS = 30 * MINUTE;
const MAX_LISTS = 100;

/** Whose hidden stories are left out; `null`: a guest's, who has none here. */
export type ReaderName = string | null;

export interface PersonalList {
  readonly reader: ReaderName;
  readonly timespan: Timespan;
  /** What the person did not hide when it was looked at; hidden since then may still be in it. */
  readonly list: RankedList;
  readonly madeAt: number;
  extending: Promise<void> | null;
}

/**
 * What somebody has not hidden, of each list, however far down: a guest's list, too, goes on where the shared one was cut,
 * so that a page of an older list can be told. Who hid the first 100,000 stories would have them all looked at for each
 * page; so what comes after them is remembered, and kept right like every other list.
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

  /** Looks at some more stories. Answers whether the store had to be asked for them. */
  async extend(personal: PersonalList, { list: base }: LoadedList): Promise<boolean> {
    if (personal.extending !== null) {
      await personal.extending;
      return false;
    }
    const { floor } = personal.list;
    const known = base.entries.slice(indexAfter(base.entries, floor)).slice(0, BATCH_SIZE);
    const atHand = known.length > 0 || base.floor === null;
    const work = atHand ? this.#fromBase(personal, base, known) : this.#fromStore(personal);
    personal.extending = work.finally(() => {
      personal.extending = null;
    });
    await personal.extending;
    return !atHand;
  }

  async hiddenAmong(person: ReaderName, ids: readonly number[]): Promise<ReadonlySet<number>> {
    return person === null ? NO_IDS : this.#store.hiddenAmong(person, ids);
  }

  /** What was taken back may belong where nobody looks any more. */
  async unhidden(username: string, ids: readonly number[]): Promise<void> {
    const mine = [...this.#cache.values()].filter((kept) => kept.reader === username);
    if (mine.length === 0) return;
    const stories = (await this.#store.find(ids)).map(listed);
    for (const { timespan, list } of mine) list.merge(stories, this.#base.since(timespan));
  }

  async #fromBase(personal: PersonalList, base: RankedList, known: readonly ListedStory[]): Promise<void> {
    const start = personal.list.floor;
    const last = known.at(-1) ?? null;
    const ids = known.map(({ id }) => id);
    const hidden = await this.hiddenAmong(personal.reader, ids);
    // Looked up again: while the answer was awaited the list may have changed.
    const rest = base.entries.slice(indexAfter(base.entries, start));
    const end =
      known.length < BATCH_SIZE && base.floor === null ? null : (earlier(last, base.floor) ?? start);
    const part = end === null ? rest : rest.slice(0, indexAfter(rest, end));
    personal.list.extend(
      part.filter(({ id }) => !hidden.has(id)),
      end,
    );
  }

  async #fromStore({ reader: person, timespan, list }: PersonalList): Promise<void> {
    const since = this.#base.since(timespan);
    const { stories, next } = await this.#store.best({
      since: since === null ? null : since - RETENTION_SLACK_MS,
      after: list.floor,
      limit: BATCH_SIZE,
      ...(person !== null && { notHiddenBy: person }),
    });
    list.extend(stories, next);
  }
}

const NO_IDS: ReadonlySet<number> = new Set();

/** The one of two places that comes first; `null` is after everything. */
function earlier(one: Rank | null, other: Rank | null): Rank | null {
  if (one === null || other === null) return one ?? other;
  return byRank(one, other) < 0 ? one : other;
}
