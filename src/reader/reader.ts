import { writeAtom } from '../feeds/write-atom.ts';
import type { ItemKey } from '../item/item.ts';
import type { Movement } from '../item/learned.ts';
import { shorten } from '../item/shorten.ts';
import type { Learning } from '../learning/learning.ts';
import { Taste } from '../learning/taste.ts';
import { plainLine } from '../publishers/plain-text.ts';
import type { Clock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import {
  type Entry,
  type EntryId,
  type EntryListOptions,
  type EntryState,
  type EntryStore,
  type ListedEntry,
  MAX_ENTRY_PAGE,
  type SavedSearch,
  type StateChange,
} from './entry-store.ts';
import type { FeedAddresses, FeedList } from './feed-addresses.ts';
import { forYouPage, namesOf } from './for-you.ts';
import type { ReadAllScope, ReaderEvents } from './reader-events.ts';
import type { EntryList, NamedSource, ReaderLists } from './reader-lists.ts';

export interface ReaderDependencies {
  readonly entries: EntryStore;
  readonly lists: ReaderLists;
  readonly events: ReaderEvents;
  readonly feeds: FeedAddresses;
  readonly learning: Learning;
  readonly clock: Clock;
}

/** A story of a list, with the names of its sources. */
export interface ShownStory {
  readonly entry: Entry;
  readonly state: EntryState;
  readonly sources: readonly NamedSource[];
  readonly others: readonly (Pick<Entry, 'id' | 'title' | 'url' | 'publishedAt'> & {
    readonly sources: readonly NamedSource[];
  })[];
  /** What the person's reactions did to its place; absent where it was not asked for. */
  readonly learned?: Movement;
}

/** `for_you`: what the person probably wants comes first. */
export const READER_ORDERS = ['newest', 'oldest', 'for_you'] as const;
export interface ReaderListOptions extends Omit<EntryListOptions, 'order'> {
  readonly order: (typeof READER_ORDERS)[number];
}

/** Reactions that change no state of an entry. */
export const REACTIONS_OF_READERS = ['more', 'less', 'finished'] as const;
export type PersonsChange =
  | Exclude<StateChange, { kind: 'readAll' }>
  | { readonly kind: (typeof REACTIONS_OF_READERS)[number]; readonly ids: readonly EntryId[] };

export interface ShownPage {
  readonly entries: readonly ShownStory[];
  readonly next: string | null;
  readonly newestId: EntryId;
}

export interface HotEntry extends ShownStory {
  readonly sourceCount: number;
}

/** The entry of an item, as a timeline shows it. */
export interface ItemEntry {
  readonly id: EntryId;
  readonly storyId: EntryId;
  readonly state: EntryState;
  readonly sources: readonly NamedSource[];
}

/** Stands for all guests in the store; no person has this ID. A guest changes nothing, so everything is unread. */
const GUEST = 'guest';
const UNREAD: EntryState = { read: false, starredAt: null, laterAt: null };
const HOT_WITHIN_MS = DAY;
const MAX_HOT = 30;
const FEED_ENTRIES = 50;
const MAX_FEED_TITLE = 500;
const MAX_FEED_SUMMARY = 1_000;
export const MAX_SAVED_SEARCHES = 100;

/** What people do in the reader. A `person` of `null` is a guest. */
export class Reader {
  readonly #deps: ReaderDependencies;

  constructor(deps: ReaderDependencies) {
    this.#deps = deps;
  }

  /** `null`: there is no such source or folder. Throws a `BadCursorError` for an invalid cursor. */
  async list(person: string | null, list: EntryList, options: ReaderListOptions): Promise<ShownPage | null> {
    const { entries, lists, learning, clock } = this.#deps;
    const filter = await lists.filterOf(person, list);
    if (filter === null) return null;
    // Before the page, so that "mark all as read" covers nothing that the page may lack.
    const newestId = await entries.newestId();
    if (filter.sourceIds?.length === 0) return { entries: [], next: null, newestId };
    const { order, limit, cursor } = options;
    if (order === 'for_you' && person !== null) {
      const now = clock.now();
      const taste = (await learning.tasteOf(person)) ?? new Taste([], now);
      const page = await forYouPage(entries, {
        person,
        filter,
        taste,
        limit,
        ...(cursor && { cursor }),
        now,
      });
      const shown = page.entries.map((story) => ({ ...this.#show(story), learned: story.learned }));
      return { entries: shown, next: page.next, newestId };
    }
    const page = await entries.list(person ?? GUEST, filter, {
      ...options,
      order: order === 'oldest' ? 'oldest' : 'newest',
    });
    return { entries: page.entries.map((listed) => this.#show(listed)), next: page.next, newestId };
  }

  /** The stories that most sources told in the last day. `null`: there is no such folder. */
  async hot(
    person: string | null,
    list: Pick<EntryList, 'folder' | 'view'>,
  ): Promise<readonly HotEntry[] | null> {
    const { entries, lists, clock } = this.#deps;
    const sourceIds = await lists.sourceIds(person, list);
    if (sourceIds === null) return null;
    if (sourceIds?.length === 0) return [];
    const found = await entries.hot(person ?? GUEST, sourceIds, clock.now() - HOT_WITHIN_MS, MAX_HOT);
    return found.map((story) => ({ ...this.#show(story), sourceCount: story.sourceCount }));
  }

  /** `null`: there is no such entry. */
  async entry(person: string | null, id: EntryId): Promise<ShownStory | null> {
    const { entries } = this.#deps;
    const entry = await entries.get(id);
    if (entry === null) return null;
    const { sourceIds, publishedAt } = entry;
    const page = await entries.list(
      person ?? GUEST,
      { ...(sourceIds.length > 0 && { sourceIds }), since: publishedAt, before: publishedAt + 1 },
      { order: 'newest', limit: MAX_ENTRY_PAGE },
    );
    const story = page.entries.find(
      (listed) => listed.entry.id === id || listed.others.some((other) => other.id === id),
    );
    const all = story === undefined ? [] : [story.entry, ...story.others];
    const shown = this.#show({
      entry,
      state: story?.state ?? UNREAD,
      others: all.filter((other) => other.id !== id),
    });
    const taste = person === null ? null : await this.#deps.learning.tasteOf(person);
    return taste === null ? shown : { ...shown, learned: taste.move(entry, namesOf({ entry, others: all })) };
  }

  find(id: EntryId): Promise<Entry | null> {
    return this.#deps.entries.get(id);
  }

  /** The entries of items, by their keys; items without an entry are absent. */
  async ofItems(person: string | null, keys: readonly string[]): Promise<ReadonlyMap<string, ItemEntry>> {
    const { entries, lists } = this.#deps;
    if (keys.length === 0) return new Map();
    const found = await entries.findByKeys([...new Set(keys)] as ItemKey[]);
    const ids = [...found.values()].map(({ id }) => id);
    const states = person === null || ids.length === 0 ? new Map() : await entries.statesOf(person, ids);
    return new Map(
      [...found].map(([key, { id, storyId, sourceIds }]) => [
        key,
        { id, storyId, state: states.get(id) ?? UNREAD, sources: lists.named(sourceIds) },
      ]),
    );
  }

  /** Returns the token that takes the change back; `null` if nothing changed. */
  async change(person: string, change: PersonsChange): Promise<string | null> {
    const { entries, events, learning, clock } = this.#deps;
    if (isReaction(change)) return learning.react(person, change.kind, change.ids);
    const { undoToken } = await entries.change(person, change, clock.now());
    if (undoToken === null) return null;
    if (change.kind === 'star') await learning.react(person, 'star', change.ids, undoToken);
    else if (change.kind === 'unstar') await learning.takeBack(person, 'star', change.ids, undoToken);
    await events.publish(person, { type: 'state', change });
    return undoToken;
  }

  /** `null`: there is no such source or folder. */
  async readAll(person: string, scope: ReadAllScope): Promise<{ readonly undo: string | null } | null> {
    const { entries, lists, events, clock } = this.#deps;
    const sourceIds = await lists.sourceIds(person, scope);
    if (sourceIds === null) return null;
    if (sourceIds?.length === 0) return { undo: null };
    // What arrives later stays unread, whatever a client claims to have seen (R8).
    const upTo = Math.min(scope.upTo, await entries.newestId());
    const { undoToken } = await entries.change(
      person,
      {
        kind: 'readAll',
        upTo,
        ...(sourceIds !== undefined && { sourceIds }),
        ...(scope.before !== undefined && { before: scope.before }),
      },
      clock.now(),
    );
    if (undoToken !== null)
      await events.publish(person, { type: 'state', change: { ...scope, kind: 'readAll', upTo } });
    return { undo: undoToken };
  }

  /** False if the token is unknown or too old. */
  async undo(person: string, token: string): Promise<boolean> {
    const { entries, events, learning, clock } = this.#deps;
    if (learning.isToken(token)) return learning.undo(person, token);
    const done = await entries.undo(person, token, clock.now());
    if (!done) return false;
    await learning.undo(person, token);
    const upTo = await entries.newestId();
    await events.publish(person, { type: 'state', change: { kind: 'readAll', upTo, undo: true } });
    return true;
  }

  savedSearches(person: string): Promise<readonly SavedSearch[]> {
    return this.#deps.entries.savedSearches(person);
  }

  /** `unknown`: there is no such source or folder. `too_many`: one has to be removed first. */
  async saveSearch(person: string, search: SavedSearch): Promise<'saved' | 'unknown' | 'too_many'> {
    const { entries, lists } = this.#deps;
    const { sourceId, folder } = search;
    const named = { ...(sourceId !== null && { source: sourceId }), ...(folder !== null && { folder }) };
    if ((await lists.sourceIds(person, named)) === null) return 'unknown';
    const known = await entries.savedSearches(person);
    if (known.length >= MAX_SAVED_SEARCHES && !known.some(({ id }) => id === search.id)) return 'too_many';
    await entries.saveSearch(person, search);
    return 'saved';
  }

  removeSearch(person: string, id: string): Promise<boolean> {
    return this.#deps.entries.removeSearch(person, id);
  }

  /** Secret part of the address of the list's feed. `unknown`: there is no such source or folder. */
  async feedSecret(
    person: string,
    list: FeedList,
  ): Promise<{ readonly secret: string } | 'unknown' | 'no_account'> {
    const { lists, feeds } = this.#deps;
    if ((await lists.sourceIds(person, list)) === null) return 'unknown';
    const secret = await feeds.secretOf(person, list);
    return secret === null ? 'no_account' : { secret };
  }

  resetFeeds(person: string): Promise<void> {
    return this.#deps.feeds.reset(person);
  }

  /** The newest entries of a list as Atom, by the secret of its address; `null` for an unknown or replaced one. */
  async feed(
    secret: string,
    { title, self }: { readonly title: string; readonly self: string },
  ): Promise<string | null> {
    const found = await this.#deps.feeds.resolve(secret);
    if (found === null) return null;
    const { person, list } = found;
    const page = await this.list(person, list, { order: 'newest', limit: FEED_ENTRIES });
    if (page === null) return null;
    return writeAtom({
      name: `reader ${JSON.stringify([person, list])}`,
      title: `${title}: ${this.#titleOf(list)}`,
      author: title,
      self,
      updatedAt: Math.max(0, ...page.entries.map(({ entry }) => entry.arrivedAt)),
      entries: page.entries.map(({ entry, sources }) => ({
        name: `reader ${entry.key}`,
        title: shorten(plainLine(entry.title), MAX_FEED_TITLE) || entry.url,
        url: entry.url,
        updatedAt: entry.arrivedAt,
        publishedAt: entry.publishedAt,
        author: plainLine(sources.map(({ name }) => name).join(', ')),
        categories: [],
        summary: shorten(plainLine(entry.excerpt ?? ''), MAX_FEED_SUMMARY),
        enclosures: entry.enclosures,
      })),
    });
  }

  #titleOf({ view, source, folder, text }: FeedList): string {
    const [named] = source === undefined ? [] : this.#deps.lists.named([source]);
    const words = [named?.name, folder, view === 'all' ? undefined : VIEW_TITLES[view], text];
    return words.filter((word) => word !== undefined).join(' · ') || 'All';
  }

  #show({ entry, state, others }: ListedEntry): ShownStory {
    const { lists } = this.#deps;
    return {
      entry,
      state,
      sources: lists.named(entry.sourceIds),
      others: others.map(({ id, title, url, publishedAt, sourceIds }) => ({
        id,
        title,
        url,
        publishedAt,
        sources: lists.named(sourceIds),
      })),
    };
  }
}

function isReaction(
  change: PersonsChange,
): change is Exclude<PersonsChange, Exclude<StateChange, { kind: 'readAll' }>> {
  return REACTIONS_OF_READERS.some((kind) => kind === change.kind);
}

const VIEW_TITLES = { unread: 'Unread', starred: 'Starred', later: 'Read later', home: 'Home' } as const;
