import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '../time/clock.ts';
import { PersonalLists, type ReaderName } from './personal-lists.ts';
import { indexAfter, mergeRanked } from './ranked-list.ts';
import { byRank, type ListedStory, type Rank, TIMESPANS, type Timespan } from './story.ts';
import { type LoadedList, RETENTION_SLACK_MS, type StoryLists } from './story-lists.ts';
import type { ChangePosition, HiddenPage, HiddenRequest, StoryChange, StoryStore } from './story-store.ts';

/** Most stories on one page (E7). */
export const MAX_PAGE_SIZE = 500;

export interface StoryPageRequest {
  readonly timespan: Timespan;
  readonly limit: number;
  /** Number of stories to skip, from the start of the list or of the page. */
  readonly skip?: number;
  /** Page token of an earlier response: continues the list as it was then. */
  readonly page?: string;
  /** Leaves out the stories that this user has hidden; absent for a guest. */
  readonly username?: string;
}

export interface StoryPage {
  readonly stories: readonly ListedStory[];
  /** Token of the next page of the same list; `null` at the end. */
  readonly next: string | null;
  /** Token of the start of the same list, for use with `skip`. */
  readonly list: string;
  /** When the list was ranked; later changes are patched in. */
  readonly rankedAt: number;
}

export type StoryPageResult =
  | { readonly outcome: 'page'; readonly page: StoryPage }
  /** The token is invalid, or of another list. */
  | { readonly outcome: 'not_a_page' }
  /** The list is too old to be reconstructed. */
  | { readonly outcome: 'gone' };

export interface StoryReaderDependencies {
  readonly set: string;
  readonly store: StoryStore;
  readonly lists: StoryLists;
  readonly clock: Clock;
}

/** Reads the lists of one set page by page, for guests and for users who hide stories. */
export class StoryReader {
  readonly #deps: StoryReaderDependencies;
  readonly #personal: PersonalLists;

  constructor(deps: StoryReaderDependencies) {
    this.#deps = deps;
    this.#personal = new PersonalLists(deps.store, deps.lists, deps.clock);
  }

  async page(ask: StoryPageRequest): Promise<StoryPageResult> {
    const { lists, set } = this.#deps;
    const { timespan, limit, skip = 0, username: reader = null } = ask;
    const token = ask.page === undefined ? null : decodePageToken(ask.page);
    if (ask.page !== undefined && (token?.set !== set || token.timespan !== timespan))
      return { outcome: 'not_a_page' };
    if (token !== null && this.#isTooOld(token)) return { outcome: 'gone' };

    const loaded = await lists.list(timespan);
    const skipped = token?.skipped ?? 0;
    // A guest's list ends at its size limit (E7); that of a user who hides stories continues to the last story (E11).
    const remaining = reader === null ? Math.max(0, lists.size - skipped) : Number.POSITIVE_INFINITY;
    const window: ListWindow = {
      reader,
      loaded,
      since: token === null ? lists.since(timespan) : token.since,
      after: token?.after ?? null,
      need: Math.min(skip + limit + 1, remaining),
    };
    if (token !== null && token.position > (lists.position ?? '')) await lists.catchUp(true);
    const pinned = token?.position ?? null;
    const { found: firstFound, readStore } = await this.#findMore(window, pinned);
    let found = firstFound;
    // What was read from the store may be newer than the lists, and the page must show one moment.
    if (readStore && (await lists.catchUp(true))) {
      // The lists were too far behind and were evicted: start over with new ones.
      if (lists.position === null) return this.page(ask);
      found = await this.#collect(window, await this.#undo(pinned));
    }
    if (found === null) return { outcome: 'gone' };
    const position = pinned ?? lists.position ?? '';
    const stories = found.slice(skip, skip + limit);
    const last = stories.at(-1);
    const pin = { set, timespan, since: window.since, position };
    const next =
      found.length <= skip + limit || last === undefined
        ? null
        : encodePageToken({
            ...pin,
            after: { score: last.score, id: last.id },
            skipped: skipped + skip + stories.length,
          });
    const list = encodePageToken({ ...pin, after: null, skipped: 0 });
    return { outcome: 'page', page: { stories, next, list, rankedAt: loaded.rankedAt } };
  }

  async hide(username: string, ids: readonly number[]): Promise<void> {
    await this.#deps.store.hide(username, ids, this.#deps.clock.now());
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    await this.#deps.store.unhide(username, ids);
    await this.#personal.unhidden(username, ids);
  }

  hidden(username: string, ask: HiddenRequest): Promise<HiddenPage> {
    return this.#deps.store.hidden(username, ask);
  }

  #isTooOld({ since, timespan }: PageToken): boolean {
    const now = this.#deps.lists.since(timespan);
    return since !== null && now !== null && since < now - RETENTION_SLACK_MS;
  }

  /** Reads as many stories as it takes to fill the page, in batches, so that other requests are not blocked (E11, E12). */
  async #findMore(window: ListWindow, pinned: ChangePosition | null): Promise<SearchResult> {
    let readStore = false;
    for (;;) {
      const found = await this.#collect(window, await this.#undo(pinned));
      const personal = this.#personal.of(window.reader, window.loaded.timespan);
      if (found === null || found.length >= window.need || personal.list.floor === null)
        return { found, readStore };
      readStore = (await this.#personal.extend(personal, window.loaded)) || readStore;
      if (readStore) await yieldToEventLoop();
    }
  }

  /** Changes to undo to see a list as of a position in the feed; `null` when that is too old. */
  async #undo(pinned: ChangePosition | null): Promise<Undo | null> {
    const { lists, store } = this.#deps;
    if (pinned === null || pinned === lists.position) return NO_UNDO;
    const part = await store.changesSince(pinned);
    return part === null ? null : undoOf(part.changes);
  }

  async #collect(
    { reader, loaded, since, after, need }: ListWindow,
    undo: Undo | null,
  ): Promise<readonly ListedStory[] | null> {
    if (undo === null) return null;
    const { changed, before } = undo;
    const { entries, floor } = this.#personal.of(reader, loaded.timespan).list;
    const now = entries.slice(indexAfter(entries, after));
    const then = before.filter(
      (story) =>
        (after === null || byRank(after, story) < 0) && (floor === null || byRank(story, floor) <= 0),
    );
    const unchanged = changed.size === 0 ? now : now.filter(({ id }) => !changed.has(id));
    const all = then.length === 0 ? unchanged : mergeRanked(unchanged, then);
    const young = since === null ? all : all.filter(({ time }) => time > since);
    const found: ListedStory[] = [];
    for (let at = 0; at < young.length && found.length < need; ) {
      const some = young.slice(at, at + need - found.length);
      at += some.length;
      const hidden = await this.#personal.hiddenAmong(
        reader,
        some.map(({ id }) => id),
      );
      found.push(...some.filter(({ id }) => !hidden.has(id)));
    }
    return found;
  }
}

interface SearchResult {
  /** `null` when the list is too old to be reconstructed. */
  readonly found: readonly ListedStory[] | null;
  /** Whether stories were read from the store. */
  readonly readStore: boolean;
}

/** The requested part of a reader's list. */
interface ListWindow {
  readonly reader: ReaderName;
  readonly loaded: LoadedList;
  readonly since: number | null;
  readonly after: Rank | null;
  readonly need: number;
}

interface Undo {
  readonly changed: ReadonlySet<number>;
  /** Earlier versions of the changed stories, best first. */
  readonly before: readonly ListedStory[];
}

const NO_UNDO: Undo = { changed: new Set(), before: [] };

function undoOf(changes: readonly StoryChange[]): Undo {
  const first = new Map<number, ListedStory | null>();
  for (const { before, after } of changes) {
    const id = before?.id ?? after?.id;
    if (id !== undefined && !first.has(id)) first.set(id, before);
  }
  const before = [...first.values()].filter((story) => story !== null).sort(byRank);
  return { changed: new Set(first.keys()), before };
}

/**
 * Pins a list (which one, its position in the feed, its age limit) and where in it the page begins: all that is needed to
 * continue the same list, in every replica and after a restart.
 */
export interface PageToken {
  readonly set: string;
  readonly timespan: Timespan;
  readonly since: number | null;
  readonly position: ChangePosition;
  /** `null` = from the start. */
  readonly after: Rank | null;
  /** Number of stories of the list before it. */
  readonly skipped: number;
}

const TOKEN_VERSION = 1;

export function encodePageToken({ set, timespan, since, position, after, skipped }: PageToken): string {
  const rank = after === null ? [null, null] : [after.score, after.id];
  const facts = [TOKEN_VERSION, set, TIMESPANS.indexOf(timespan), since, position, ...rank, skipped];
  return Buffer.from(JSON.stringify(facts)).toString('base64url');
}

/** `null` for an invalid token. */
export function decodePageToken(text: string): PageToken | null {
  let facts: unknown;
  try {
    facts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(facts) || facts.length !== 8 || facts[0] !== TOKEN_VERSION) return null;
  const [, set, number, since, position, score, id, skipped] = facts as unknown[];
  const timespan = typeof number === 'number' ? TIMESPANS[number] : undefined;
  if (typeof set !== 'string' || timespan === undefined || typeof position !== 'string') return null;
  if (since !== null && !Number.isSafeInteger(since)) return null;
  if (typeof skipped !== 'number' || !Number.isSafeInteger(skipped) || skipped < 0) return null;
  const start = score === null && id === null;
  if (!start && (!Number.isSafeInteger(score) || !Number.isSafeInteger(id))) return null;
  const after = start ? null : { score: score as number, id: id as number };
  return { set, timespan, since: since as number | null, position, after, skipped };
}
