import { expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import { HOUR } from '../../time/duration.ts';
import { type EntryStoreSubject, entryOf, newEntry, T0 } from './entry-store-subject.ts';

const full = newEntry('Everything', {
  author: 'Jo Öster',
  excerpt: 'A short text.',
  imageUrl: 'https://example.org/p.png',
  language: 'en',
  publishedAt: T0 - HOUR,
  points: 12,
  enclosures: [
    {
      url: 'https://example.org/a.mp3',
      type: 'audio/mpeg',
      lengthBytes: 1_234_567,
      durationSeconds: 61,
    },
    { url: 'https://example.org/a.pdf', type: 'application/pdf', lengthBytes: null, durationSeconds: null },
  ],
});

/** Articles, their sources and texts. */
export function articleCases(subject: EntryStoreSubject): void {
  it('R1 an empty store has nothing', async () => {
    const { store } = subject;
    expect(await store.newestId()).toBe(0);
    expect(await store.get(1)).toBeNull();
    expect(await store.text(1)).toBeNull();
    expect(await store.recent(0, 10)).toEqual([]);
    expect((await store.findByKeys(['x' as ItemKey])).size).toBe(0);
    expect(await store.list('ann', {}, { order: 'newest', limit: 10 })).toEqual({ entries: [], next: null });
    expect(await store.unreadCounts('ann', ['a'])).toEqual({ all: 0, bySource: {} });
    expect(await store.savedSearches('ann')).toEqual([]);
    expect(await store.hot('ann', undefined, 0, 10)).toEqual([]);
    expect(await store.undo('ann', 'unknown', T0)).toBe(false);
    await store.removePerson('ann');
    await store.removeSource('a');
  });

  it('R1 returns every field of an article as it was added, in every process', async () => {
    const { store } = subject;
    const [added] = await store.add([full], T0, () => null);
    const { content: _, sourceId, sourceName: __, ...fields } = full;
    const entry = entryOf(added);
    expect(added?.outcome).toBe('new');
    expect(entry).toEqual({
      ...fields,
      id: entry.id,
      storyId: entry.id,
      arrivedAt: T0,
      sourceIds: [sourceId],
    });
    expect(await store.get(entry.id)).toEqual(entry);
    expect(await store.findByKeys([full.key, 'unknown' as ItemKey])).toEqual(new Map([[full.key, entry]]));
    const again = await subject.reopen();
    expect(await again.get(entry.id)).toEqual(entry);
    expect(await again.newestId()).toBe(await store.newestId());
  });

  it('R1 IDs are safe integers that grow with the arrival, whatever the clock says', async () => {
    const ids = [
      await subject.add('one', { at: T0 }),
      await subject.add('two', { at: T0 }),
      await subject.add('three', { at: T0 - HOUR }),
      await subject.add('four', { at: T0 + HOUR }),
    ];
    expect(ids.every(Number.isSafeInteger)).toBe(true);
    expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
    expect(await subject.store.newestId()).toBeGreaterThanOrEqual(ids[3] ?? Number.NaN);
    const batch = await subject.store.add([newEntry('five'), newEntry('six')], T0 + HOUR, () => null);
    expect(batch.map(({ entry }) => entry.title)).toEqual(['five', 'six']);
    expect(entryOf(batch[1]).id).toBeGreaterThan(entryOf(batch[0]).id);
    expect(entryOf(batch[0]).id).toBeGreaterThan(ids[3] ?? Number.NaN);
  });

  it('R1 an article of several sources is one entry with all of them, the first one first', async () => {
    const { store } = subject;
    const id = await subject.add('Shared', { sourceId: 'z' });
    const again = newEntry('Shared', { sourceId: 'b', sourceName: 'B' });
    const [carried] = await store.add([again], T0 + 1, () => null);
    expect(carried).toMatchObject({ outcome: 'carried', entry: { id, sourceIds: ['z', 'b'] } });
    const [known] = await store.add([again], T0 + 2, () => null);
    expect(known).toMatchObject({ outcome: 'known', entry: { id, sourceIds: ['z', 'b'], arrivedAt: T0 } });
    expect(await subject.titles({ sourceIds: ['b'] })).toEqual(['Shared']);
    expect(await subject.titles()).toEqual(['Shared']);
  });

  it('R1 an article twice in one reading is one entry', async () => {
    const added = await subject.store.add([newEntry('Twice'), newEntry('Twice')], T0, () => null);
    expect(added.map(({ outcome }) => outcome)).toEqual(['new', 'known']);
    expect(entryOf(added[0]).id).toBe(entryOf(added[1]).id);
  });

  it('Q6 an article keeps its files, gains those that a source adds, and loses none', async () => {
    const { store } = subject;
    const [recording, notes] = full.enclosures;
    if (recording === undefined || notes === undefined) throw new Error('two files are needed');
    const one = { ...full, enclosures: [recording] };
    const id = entryOf((await store.add([one], T0, () => null))[0]).id;
    expect((await store.add([one], T0 + 1, () => null))[0]?.outcome).toBe('known');
    expect((await store.get(id))?.enclosures).toEqual([recording]);
    expect((await store.add([full], T0 + 2, () => null))[0]?.outcome).toBe('edited');
    await store.add([{ ...full, enclosures: [] }], T0 + 3, () => null);
    const { entries } = await store.list('ann', {}, { order: 'newest', limit: 1 });
    expect(entries[0]?.entry.enclosures).toEqual([recording, notes]);
  });

  it('R1 an article is never from the future', async () => {
    const id = await subject.add('Tomorrow', { publishedAt: T0 + 24 * HOUR });
    expect((await subject.store.get(id))?.publishedAt).toBe(T0);
  });

  it('R1 an edit by the first source is taken, an edit by another one is not', async () => {
    const { store } = subject;
    const id = entryOf((await store.add([full], T0, () => null))[0]).id;
    const edited = { ...full, title: 'Edited', imageUrl: 'https://example.org/q.png' };
    const [first] = await store.add([edited], T0 + 1, () => null);
    expect(first).toMatchObject({ outcome: 'edited', entry: { id, title: 'Edited', arrivedAt: T0 } });
    expect(await store.get(id)).toMatchObject({ title: 'Edited', imageUrl: 'https://example.org/q.png' });
    const other = { ...full, sourceId: 'b', title: 'By another' };
    expect((await store.add([other], T0 + 2, () => null))[0]?.outcome).toBe('carried');
    expect((await store.add([other], T0 + 3, () => null))[0]?.outcome).toBe('known');
    expect((await store.get(id))?.title).toBe('Edited');
    // What a source no longer gives is kept.
    await store.add([{ ...edited, excerpt: null, imageUrl: null }], T0 + 4, () => null);
    expect(await store.get(id)).toMatchObject({
      excerpt: full.excerpt,
      imageUrl: 'https://example.org/q.png',
    });
  });

  it('R1 keeps the content of the feed as the text, and its edits', async () => {
    const { store } = subject;
    const id = await subject.add('Content', { content: '<p>First</p>' });
    expect(await store.text(id)).toEqual({
      html: '<p>First</p>',
      origin: 'feed',
      byline: null,
      fetchedAt: T0,
    });
    const edited = newEntry('Content', { content: '<p>Second</p>' });
    expect((await store.add([edited], T0 + 1, () => null))[0]?.outcome).toBe('edited');
    expect((await store.text(id))?.html).toBe('<p>Second</p>');
    expect((await store.add([edited], T0 + 2, () => null))[0]?.outcome).toBe('known');
  });

  it('R1 a text of the page replaces that of the feed and stays', async () => {
    const { store } = subject;
    const id = await subject.add('Page', { content: '<p>Feed</p>' });
    const page = {
      html: `<p>${'日本語 text '.repeat(5_000)}</p>`,
      origin: 'page',
      byline: 'Jo',
      fetchedAt: T0 + 5,
    } as const;
    await store.saveText(id, page);
    expect(await store.text(id)).toEqual(page);
    await store.add([newEntry('Page', { content: '<p>Feed, edited</p>' })], T0 + 9, () => null);
    expect(await store.text(id)).toEqual(page);
    await store.saveText(1, page);
    expect(await store.text(1)).toBeNull();
  });

  it('R1 recent returns what arrived since, newest first', async () => {
    await subject.add('old', { at: T0 });
    await subject.add('middle', { at: T0 + 10, publishedAt: T0 - HOUR });
    await subject.add('new', { at: T0 + 20, publishedAt: T0 - 2 * HOUR });
    const titles = async (since: number, limit: number): Promise<string[]> =>
      (await subject.store.recent(since, limit)).map(({ title }) => title);
    expect(await titles(T0 + 10, 10)).toEqual(['new', 'middle']);
    expect(await titles(0, 2)).toEqual(['new', 'middle']);
  });

  it('R9 an entry joins the story of another one, and one whose story is unknown begins its own', async () => {
    const first = await subject.add('First');
    const second = await subject.add('Second', { sourceId: 'b', story: first });
    const third = await subject.add('Third', { sourceId: 'c', story: second });
    const alone = await subject.add('Alone', { sourceId: 'd', story: 12_345 });
    const storyOf = async (id: number): Promise<number | undefined> => (await subject.store.get(id))?.storyId;
    expect(await storyOf(second)).toBe(first);
    expect(await storyOf(third)).toBe(first);
    expect(await storyOf(alone)).toBe(alone);
  });
}
