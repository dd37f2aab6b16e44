import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../time/clock.ts';
import { decodePage, encodePage, type PageToken } from './page-token.ts';
import { type Person, PersonalLists } from './personal-lists.ts';
import { indexAfter, merged } from './ranked-list.ts';
import { byRank, type ListedStory, type Rank, type Timespan } from './story.ts';
import { type HeldList, SLACK, type StoryLists } from './story-lists.ts';
import type { FeedPlace, HiddenAsk, HiddenPage, StoryChange, StoryStore } from './story-store.ts';

/** Stories on one page at most (E7). */
export const LARGEST_PAGE = 500;

export interface PageAsk {
  readonly timespan: Timespan;
  readonly limit: number;
  /** So many are passed over, from the beginning of the list or from where the page begins. */
  readonly skip?: number;
  /** From an earlier answer: goes on in the list as it was then. */
  readonly page?: string;
  /** Whose hidden stories are left out; nobody's for a guest. */
  readonly username?: string;
}

export interface StoryPage {
  readonly stories: readonly ListedStory[];
  /** The page after this one, of the same list; `null` at the end. */
  readonly next: string | null;
  /** The beginning of the same list, to be read with `skip`. */
  readonly list: string;
  /** When the list was ranked; changes since then are in it. */
  readonly rankedAt: number;
}

export type PageAnswer =
  | { readonly outcome: 'page'; readonly page: StoryPage }
  /** The token is none of ours, or of another list. */
  | { readonly outcome: 'not_a_page' }
  /** The list is too long ago to be told. */
  | { readonly outcome: 'gone' };

export interface StoryReaderParts {
  /** The name of the set. */
  readonly set: string;
  readonly store: StoryStore;
  readonly lists: StoryLists;
  readonly clock: Clock;
}

/** Reads the lists of one set page by page, for guests and for people who hide what they have seen. */
export class StoryReader {
  readonly #parts: StoryReaderParts;
  readonly #personal: PersonalLists;

  constructor(parts: StoryReaderParts) {
    this.#parts = parts;
    this.#personal = new PersonalLists(parts.store, parts.lists, parts.clock);
  }

  async page(ask: PageAsk): Promise<PageAnswer> {
    const { lists, set } = this.#parts;
    const { timespan, limit, skip = 0, username: person = null } = ask;
    const token = ask.page === undefined ? null : decodePage(ask.page);
    if (ask.page !== undefined && (token?.set !== set || token.timespan !== timespan))
      return { outcome: 'not_a_page' };
    if (token !== null && this.#isTooOld(token)) return { outcome: 'gone' };

    const held = await lists.list(timespan);
    const passed = token?.passed ?? 0;
    // A guest's list ends where it is cut (E7); somebody who hides goes on as long as there are stories (E11).
    const room = person === null ? Math.max(0, lists.size - passed) : Number.POSITIVE_INFINITY;
    const window: Window = {
      person,
      held,
      since: token === null ? lists.since(timespan) : token.since,
      after: token?.after ?? null,
      need: Math.min(skip + limit + 1, room),
    };
    if (token !== null && token.place > (lists.place ?? '')) await lists.catchUp(true);
    const pinned = token?.place ?? null;
    const { found: looked, asked } = await this.#lookFurther(window, pinned);
    let found = looked;
    // What the store was asked for may be newer than the lists, and all must be of one moment.
    if (asked && (await lists.catchUp(true))) {
      // The lists were too far behind and are gone: from the start, with new ones.
      if (lists.place === null) return this.page(ask);
      found = await this.#collect(window, await this.#undo(pinned));
    }
    if (found === null) return { outcome: 'gone' };
    const place = pinned ?? lists.place ?? '';
    const stories = found.slice(skip, skip + limit);
    const last = stories.at(-1);
    const pin = { set, timespan, since: window.since, place };
    const next =
      found.length <= skip + limit || last === undefined
        ? null
        : encodePage({
            ...pin,
            after: { score: last.score, id: last.id },
            passed: passed + skip + stories.length,
          });
    const list = encodePage({ ...pin, after: null, passed: 0 });
    return { outcome: 'page', page: { stories, next, list, rankedAt: held.rankedAt } };
  }

  async hide(username: string, ids: readonly number[]): Promise<void> {
    await this.#parts.store.hide(username, ids, this.#parts.clock.now());
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    await this.#parts.store.unhide(username, ids);
    await this.#personal.takenBack(username, ids);
  }

  hidden(username: string, ask: HiddenAsk): Promise<HiddenPage> {
    return this.#parts.store.hidden(username, ask);
  }

  #isTooOld({ since, timespan }: PageToken): boolean {
    const now = this.#parts.lists.since(timespan);
    return since !== null && now !== null && since < now - SLACK;
  }

  /** Looks at as many stories as it takes to fill the page, some at a time, so that nobody waits for it (E11, E12). */
  async #lookFurther(window: Window, pinned: FeedPlace | null): Promise<Looked> {
    let asked = false;
    for (;;) {
      const found = await this.#collect(window, await this.#undo(pinned));
      const personal = this.#personal.of(window.person, window.held.timespan);
      if (found === null || found.length >= window.need || personal.list.floor === null)
        return { found, asked };
      asked = (await this.#personal.extend(personal, window.held)) || asked;
      if (asked) await nextTurn();
    }
  }

  /** What must be taken back to see a list as it was at a place of the feed; `null` when that is too long ago. */
  async #undo(pinned: FeedPlace | null): Promise<Undo | null> {
    const { lists, store } = this.#parts;
    if (pinned === null || pinned === lists.place) return NOTHING;
    const part = await store.changesSince(pinned);
    return part === null ? null : undoOf(part.changes);
  }

  async #collect(
    { person, held, since, after, need }: Window,
    undo: Undo | null,
  ): Promise<readonly ListedStory[] | null> {
    if (undo === null) return null;
    const { changed, before } = undo;
    const { entries, floor } = this.#personal.of(person, held.timespan).list;
    const now = entries.slice(indexAfter(entries, after));
    const then = before.filter(
      (story) =>
        (after === null || byRank(after, story) < 0) && (floor === null || byRank(story, floor) <= 0),
    );
    const unchanged = changed.size === 0 ? now : now.filter(({ id }) => !changed.has(id));
    const all = then.length === 0 ? unchanged : merged(unchanged, then);
    const young = since === null ? all : all.filter(({ time }) => time > since);
    const found: ListedStory[] = [];
    for (let at = 0; at < young.length && found.length < need; ) {
      const some = young.slice(at, at + need - found.length);
      at += some.length;
      const hidden = await this.#personal.hiddenAmong(
        person,
        some.map(({ id }) => id),
      );
      found.push(...some.filter(({ id }) => !hidden.has(id)));
    }
    return found;
  }
}

interface Looked {
  /** `null` when the list is too long ago to be told. */
  readonly found: readonly ListedStory[] | null;
  /** Whether the store was asked for stories. */
  readonly asked: boolean;
}

/** Which part of whose list is asked for. */
interface Window {
  readonly person: Person;
  readonly held: HeldList;
  readonly since: number | null;
  readonly after: Rank | null;
  readonly need: number;
}

interface Undo {
  readonly changed: ReadonlySet<number>;
  /** As they were; best first. */
  readonly before: readonly ListedStory[];
}

const NOTHING: Undo = { changed: new Set(), before: [] };

function undoOf(changes: readonly StoryChange[]): Undo {
  const first = new Map<number, ListedStory | null>();
  for (const { before, after } of changes) {
    const id = before?.id ?? after?.id;
    if (id !== undefined && !first.has(id)) first.set(id, before);
  }
  const before = [...first.values()].filter((story) => story !== null).sort(byRank);
  return { changed: new Set(first.keys()), before };
}
