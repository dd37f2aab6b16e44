import type { ItemKey } from '../../../item/item.ts';
import { formatItemCursor, parseItemCursor } from '../../../ledger/filter.ts';
import {
  type AddedEntry,
  type AppliedChange,
  type Entry,
  type EntryFilter,
  type EntryId,
  type EntryListOptions,
  type EntryPage,
  type EntryRetention,
  type EntryState,
  type EntryStore,
  type EntrySweep,
  type EntryText,
  type HotStory,
  type ListedEntry,
  MAX_CHANGED_IDS,
  MAX_ENTRY_PAGE,
  type MarkedCounts,
  type NewEntry,
  type Regrouping,
  type SavedSearch,
  type StateChange,
  type UnreadCounts,
} from '../../../reader/entry-store.ts';
import { parseSearch } from '../../../reader/search-text.ts';
import type { Clock } from '../../../time/clock.ts';
import type { FirestoreConnection } from '../connection.ts';
import { createOrReplace } from '../query.ts';
import { EntryAdder } from './add-entries.ts';
import { changeState, undoChange } from './change-state.ts';
import { entryAt, entryData, keepersOf, textAt, textData, toEntryText, toStoredEntry } from './documents.ts';
import { EntryDocuments } from './entry-documents.ts';
import { entriesOf } from './entry-model.ts';
import { IndexCache } from './index-cache.ts';
import { KeptEntries } from './kept-entries.ts';
import { FirestorePeople } from './people.ts';
import type { ReadingState } from './reading-state.ts';
import { regroupStories } from './regroup-stories.ts';
import { EntrySearch, textStartOf, tokensOf } from './search.ts';
import { searchPage } from './search-page.ts';
import { countUnread, EntrySelection, hottest, type Position } from './select-entries.ts';
import { checkText } from './stored-entry.ts';
import { removeSource, sweepEntries } from './sweep-entries.ts';

export interface FirestoreEntryOptions {
  /** Owned by the caller. */
  readonly connection: FirestoreConnection;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Maximum delay until a list shows what another replica added. 5 seconds by default; checking costs a read. */
  readonly maxAgeMs?: number;
}

/**
 * The reader's entries on Firestore, shared by all replicas. Lists and counts are computed in memory from one small index for
 * each source, and from what the person chose; the documents of entries are read for the page that is shown.
 */
export class FirestoreEntryStore implements EntryStore {
  readonly #connection: FirestoreConnection;
  readonly #maxAgeMs: number | undefined;
  readonly #documents: EntryDocuments;
  readonly #cache: IndexCache;
  readonly #adder: EntryAdder;
  readonly #people: FirestorePeople;
  readonly #kept: KeptEntries;

  constructor({ connection, clock, maxAgeMs }: FirestoreEntryOptions) {
    this.#connection = connection;
    this.#maxAgeMs = maxAgeMs;
    this.#documents = new EntryDocuments(connection);
    this.#cache = new IndexCache(connection, clock, (ids) => this.#documents.evict(ids));
    this.#adder = new EntryAdder(connection, this.#cache, this.#documents);
    this.#people = new FirestorePeople(connection, (storyId) => this.#cache.model.storyWith(storyId));
    this.#kept = new KeptEntries(connection, this.#documents);
  }

  add(
    entries: readonly NewEntry[],
    now: number,
    storyOf: (entry: NewEntry) => EntryId | null,
  ): Promise<readonly AddedEntry[]> {
    return this.#adder.add({ entries, now, storyOf });
  }

  async get(id: EntryId): Promise<Entry | null> {
    await this.#refresh();
    return (await this.#documents.entries([id])).get(id) ?? null;
  }

  async story(id: EntryId): Promise<readonly Entry[]> {
    await this.#refresh();
    const ids = [...entriesOf(this.#cache.model.storyOf(id))].sort((a, b) => a - b);
    const entries = await this.#documents.entries(ids);
    return ids.flatMap((one) => entries.get(one) ?? []);
  }

  async findByKeys(keys: readonly ItemKey[]): Promise<ReadonlyMap<ItemKey, Entry>> {
    const found = await this.#connection.getAll([...new Set(keys)].map(entryAt));
    const entries = found.flatMap((document) => toStoredEntry(document)?.entry ?? []);
    return new Map(entries.map((entry) => [entry.key, entry]));
  }

  async recent(since: number, limit: number): Promise<readonly Entry[]> {
    await this.#refresh();
    const ids = new Set<EntryId>();
    for (const index of this.#cache.model.sources())
      for (let row = 0; row < index.length; row++)
        if (!index.isGone(row) && index.arrivedAt(row) >= since) ids.add(index.id(row));
    const newest = [...ids].sort((a, b) => b - a).slice(0, limit);
    const entries = await this.#documents.entries(newest);
    return newest.flatMap((id) => entries.get(id) ?? []);
  }

  async regroup(regrouping: Regrouping): Promise<void> {
    await regroupStories({ cache: this.#cache, documents: this.#documents }, regrouping);
  }

  async text(id: EntryId): Promise<EntryText | null> {
    return toEntryText(await this.#connection.get(textAt(id)));
  }

  async saveText(id: EntryId, text: EntryText): Promise<void> {
    checkText(text.html);
    const [document] = await this.#documents.snapshots([id]);
    const key = document && toStoredEntry(document)?.entry.key;
    if (key === undefined) return;
    await this.#connection.mutate(
      entryAt(key),
      (snapshot) => {
        const before = toStoredEntry(snapshot);
        if (before === null) return { value: undefined, writes: [] };
        const stored = { ...before, textStart: textStartOf(text.html) };
        const data = entryData(stored, tokensOf(stored), keepersOf(snapshot));
        return {
          value: undefined,
          writes: [
            createOrReplace(snapshot, entryAt(key), data),
            { do: 'set', at: textAt(id), data: textData(id, text) },
          ],
        };
      },
      document,
    );
  }

  async list(person: string, filter: EntryFilter, options: EntryListOptions): Promise<EntryPage> {
    const { order, limit, cursor } = options;
    checkLimit(limit);
    const after = toPosition(cursor);
    const terms = filter.text === undefined ? null : parseSearch(filter.text);
    const state = await this.#load(person);
    const selection = new EntrySelection(this.#cache.model, state, filter);
    if (terms !== null) {
      const parts = { connection: this.#connection, documents: this.#documents, model: this.#cache.model };
      const search = new EntrySearch(terms, filter.sourceNames);
      const { entries, next } = await searchPage(parts, selection, search, { order, limit, after });
      return { entries: await this.#listed(entries, state), next: next && toCursor(next) };
    }
    const positions = selection.stories(order, limit + 1, after);
    const shown = positions.slice(0, limit);
    const last = positions.length > limit ? shown.at(-1) : undefined;
    return {
      entries: await this.#listed(
        shown.map(({ id }) => id),
        state,
      ),
      next: last === undefined ? null : toCursor(last),
    };
  }

  async hot(
    person: string,
    sourceIds: readonly string[] | undefined,
    since: number,
    limit: number,
  ): Promise<readonly HotStory[]> {
    checkLimit(limit);
    const state = await this.#load(person);
    const stories = hottest(this.#cache.model, sourceIds, since, limit);
    const counts = new Map(stories.map(({ id, sourceCount }) => [id, sourceCount]));
    const listed = await this.#listed([...counts.keys()], state);
    return listed.map((story) => ({ ...story, sourceCount: counts.get(story.entry.id) ?? 0 }));
  }

  async statesOf(person: string, ids: readonly EntryId[]): Promise<ReadonlyMap<EntryId, EntryState>> {
    const state = await this.#load(person);
    const states = new Map<EntryId, EntryState>();
    for (const id of ids) {
      const story = this.#cache.model.storyOf(id);
      if (story !== undefined) states.set(id, state.stateOf(story));
    }
    return states;
  }

  async unreadCounts(person: string, sourceIds: readonly string[]): Promise<UnreadCounts> {
    return countUnread(this.#cache.model, await this.#load(person), sourceIds);
  }

  async unreadOfGroups(person: string, groups: readonly (readonly string[])[]): Promise<readonly number[]> {
    const state = await this.#load(person);
    return groups.map((sourceIds) => countUnread(this.#cache.model, state, sourceIds).all);
  }

  async markedCounts(person: string): Promise<MarkedCounts> {
    const state = await this.#load(person);
    const count = (how: 'starredAt' | 'laterAt'): number =>
      state.kept(how, (id) => this.#cache.model.storyWith(id)).length;
    return { starred: count('starredAt'), later: count('laterAt') };
  }

  /** Always read, so that what a list shows next is at least as new. */
  async newestId(): Promise<EntryId> {
    await this.#cache.refresh(0);
    return this.#cache.heads.newest;
  }

  async change(person: string, change: StateChange, now: number): Promise<AppliedChange> {
    if (change.kind !== 'readAll' && change.ids.length > MAX_CHANGED_IDS)
      throw new RangeError(`One change has at most ${MAX_CHANGED_IDS} entries.`);
    // What a source carries at this time decides what "read all" covers.
    await (change.kind === 'readAll' ? this.#cache.refresh(0) : this.#refresh());
    const parts = { people: this.#people, kept: this.#kept, cache: this.#cache };
    return { undoToken: await changeState(parts, person, change, now) };
  }

  async undo(person: string, token: string, now: number): Promise<boolean> {
    await this.#refresh();
    return undoChange({ people: this.#people, kept: this.#kept, cache: this.#cache }, person, token, now);
  }

  async savedSearches(person: string): Promise<readonly SavedSearch[]> {
    return (await this.#people.load(person)).record.searches;
  }

  async saveSearch(person: string, search: SavedSearch): Promise<void> {
    await this.#people.edit(person, ({ record }) => {
      const isKnown = record.searches.some(({ id }) => id === search.id);
      const searches = isKnown
        ? record.searches.map((one) => (one.id === search.id ? search : one))
        : [...record.searches, search];
      return { value: undefined, next: { ...record, searches } };
    });
  }

  async removeSearch(person: string, id: string): Promise<boolean> {
    return this.#people.edit(person, ({ record }) => {
      const searches = record.searches.filter((search) => search.id !== id);
      const isThere = searches.length < record.searches.length;
      return { value: isThere, next: isThere ? { ...record, searches } : null };
    });
  }

  sweep(limits: EntryRetention, now: number, signal?: AbortSignal): Promise<EntrySweep> {
    return sweepEntries(this.#sweepParts, limits, now, signal);
  }

  async removePerson(person: string): Promise<void> {
    await this.#people.remove(person);
    await this.#kept.removePerson(person);
  }

  removeSource(sourceId: string): Promise<void> {
    return removeSource(this.#sweepParts, sourceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  get #sweepParts(): Parameters<typeof sweepEntries>[0] {
    return { connection: this.#connection, cache: this.#cache, documents: this.#documents };
  }

  #refresh(): Promise<void> {
    return this.#cache.refresh(this.#maxAgeMs);
  }

  async #load(person: string): Promise<ReadingState> {
    const [state] = await Promise.all([this.#people.load(person), this.#refresh()]);
    return state;
  }

  /** Entries with their states and the others of their stories. One that was removed meanwhile is left out. */
  async #listed(ids: readonly EntryId[], state: ReadingState): Promise<ListedEntry[]> {
    const stories = new Map(ids.map((id) => [id, this.#cache.model.storyOf(id)]));
    const related = [...stories].flatMap(([id, story]) => [id, ...entriesOf(story)]);
    const entries = await this.#documents.entries(related);
    return ids.flatMap((id): ListedEntry[] => {
      const [entry, story] = [entries.get(id), stories.get(id)];
      if (entry === undefined || story === undefined) return [];
      const others = [...entriesOf(story)]
        .flatMap((other) => (other === id ? [] : (entries.get(other) ?? [])))
        .sort((a, b) => b.publishedAt - a.publishedAt || b.id - a.id)
        .map(({ id: otherId, title, url, sourceIds, publishedAt }) => ({
          id: otherId,
          title,
          url,
          sourceIds,
          publishedAt,
        }));
      return [{ entry, state: state.stateOf(story), others }];
    });
  }
}

function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ENTRY_PAGE)
    throw new RangeError(`A page has 1 to ${MAX_ENTRY_PAGE} entries.`);
}

function toPosition(cursor: string | undefined): Position | null {
  if (cursor === undefined) return null;
  const { at, id } = parseItemCursor(cursor);
  return { publishedAt: at, id };
}

function toCursor({ publishedAt, id }: Position): string {
  return formatItemCursor({ at: publishedAt, id });
}
