import type { ItemKey } from '../../item/item.ts';
import type { AddedEntry, EntryFilter, EntryId, EntryStore, NewEntry, StateChange } from '../entry-store.ts';

export interface EntryStoreUnderTest {
  readonly store: EntryStore;
  /** The same store as another process opens it; `dispose` closes it. */
  reopen(): Promise<EntryStore>;
  dispose(): Promise<void>;
}

export const T0 = Date.parse('2026-01-05T08:00:00Z');

/** A store under test and short ways to fill and read it. */
export class EntryStoreSubject {
  #made: EntryStoreUnderTest | null = null;

  async open(make: () => Promise<EntryStoreUnderTest>): Promise<void> {
    this.#made = await make();
  }

  async close(): Promise<void> {
    await this.#made?.dispose();
    this.#made = null;
  }

  get store(): EntryStore {
    return this.#opened.store;
  }

  get #opened(): EntryStoreUnderTest {
    if (this.#made === null) throw new Error('The store under test is not open.');
    return this.#made;
  }

  reopen(): Promise<EntryStore> {
    return this.#opened.reopen();
  }

  /** Adds one article and returns its ID. `story`: the ID of an entry about the same event. */
  async add(
    title: string,
    fields: Partial<NewEntry> & { readonly at?: number; readonly story?: EntryId } = {},
  ): Promise<EntryId> {
    const { at = T0, story = null, ...rest } = fields;
    const [added] = await this.store.add([newEntry(title, rest)], at, () => story);
    return entryOf(added).id;
  }

  async titles(
    filter: EntryFilter = {},
    person = 'ann',
    order: 'newest' | 'oldest' = 'newest',
  ): Promise<string[]> {
    const page = await this.store.list(person, filter, { order, limit: 50 });
    return page.entries.map(({ entry }) => entry.title);
  }

  /** Titles of all pages. */
  async paged(
    filter: EntryFilter,
    limit: number,
    order: 'newest' | 'oldest' = 'newest',
  ): Promise<string[][]> {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = await this.store.list('ann', filter, {
        order,
        limit,
        ...(cursor !== null && { cursor }),
      });
      pages.push(page.entries.map(({ entry }) => entry.title));
      cursor = page.next;
    } while (cursor !== null && pages.length < 100);
    return pages;
  }

  async change(change: StateChange, person = 'ann', at = T0): Promise<string | null> {
    return (await this.store.change(person, change, at)).undoToken;
  }

  async isRead(id: EntryId, person = 'ann'): Promise<boolean | undefined> {
    return (await this.store.statesOf(person, [id])).get(id)?.read;
  }
}

export function newEntry(title: string, fields: Partial<NewEntry> = {}): NewEntry {
  const slug = encodeURIComponent(title);
  return {
    key: `https://example.org/${slug}` as ItemKey,
    url: `https://example.org/${slug}`,
    title,
    author: null,
    excerpt: null,
    imageUrl: null,
    language: null,
    publishedAt: T0,
    points: null,
    enclosures: [],
    sourceId: 'a',
    sourceName: 'Source A',
    content: null,
    ...fields,
  };
}

export function entryOf(added: AddedEntry | undefined): AddedEntry['entry'] {
  if (added === undefined) throw new Error('The store returned no entry.');
  return added.entry;
}
