import { expect, it } from 'vitest';
import { BadCursorError } from '../../ledger/filter.ts';
import { DAY, HOUR } from '../../time/duration.ts';
import { MAX_ENTRY_PAGE } from '../entry-store.ts';
import { type EntryStoreSubject, newEntry, T0 } from './entry-store-subject.ts';

/** Lists, their pages and "hot". */
export function listCases(subject: EntryStoreSubject): void {
  it('R11 lists by time of publication, newest or oldest first, and by arrival where it is equal', async () => {
    await subject.add('two', { publishedAt: T0 - 20 });
    await subject.add('three', { publishedAt: T0 - 10 });
    await subject.add('four', { publishedAt: T0 - 10, sourceId: 'b' });
    await subject.add('one', { publishedAt: T0 - 30 });
    expect(await subject.titles()).toEqual(['four', 'three', 'two', 'one']);
    expect(await subject.titles({}, 'ann', 'oldest')).toEqual(['one', 'two', 'three', 'four']);
    const filter = { sourceIds: ['a'] };
    expect(await subject.titles(filter)).toEqual(['three', 'two', 'one']);
    expect(await subject.titles(filter, 'ann', 'oldest')).toEqual(['one', 'two', 'three']);
    expect(await subject.titles({ sourceIds: ['b', 'unknown', 'a'] })).toHaveLength(4);
    expect(await subject.titles({ sourceIds: [] })).toEqual([]);
    expect(await subject.titles({ since: T0 - 20, before: T0 - 10 })).toEqual(['two']);
    expect(await subject.titles({ since: T0 - 10, sourceIds: ['a'] })).toEqual(['three']);
  });

  it('R11 pages have everything once, in order, for every filter and order', async () => {
    const { store } = subject;
    const batch = Array.from({ length: 57 }, (_, n) =>
      newEntry(`n${String(n).padStart(2, '0')}`, {
        publishedAt: T0 - ((n * 7) % 19),
        sourceId: ['a', 'b', 'c'][n % 3] ?? 'a',
      }),
    );
    const added = await store.add(batch, T0, () => null);
    const ids = added.map(({ entry }) => entry.id);
    await subject.change({ kind: 'read', ids: ids.filter((_, n) => n % 4 === 0) });
    await subject.change({ kind: 'star', ids: ids.filter((_, n) => n % 5 === 0) });
    const expected = (keep: (n: number) => boolean): string[] =>
      added
        .map(({ entry }, n) => ({ entry, n }))
        .filter(({ n }) => keep(n))
        .sort((x, y) => y.entry.publishedAt - x.entry.publishedAt || y.entry.id - x.entry.id)
        .map(({ entry }) => entry.title);
    const cases = [
      { filter: {}, keep: () => true },
      { filter: { sourceIds: ['a', 'c'] }, keep: (n: number) => n % 3 !== 1 },
      { filter: { unread: true }, keep: (n: number) => n % 4 !== 0 },
      { filter: { unread: true, sourceIds: ['b'] }, keep: (n: number) => n % 4 !== 0 && n % 3 === 1 },
      { filter: { starred: true }, keep: (n: number) => n % 5 === 0 },
      { filter: { starred: true, unread: true }, keep: (n: number) => n % 5 === 0 && n % 4 !== 0 },
    ];
    for (const { filter, keep } of cases) {
      const pages = await subject.paged(filter, 7);
      expect(pages.flat()).toEqual(expected(keep));
      expect(pages.slice(0, -1).every((page) => page.length === 7)).toBe(true);
      expect((await subject.paged(filter, 10, 'oldest')).flat()).toEqual(expected(keep).reverse());
    }
  });

  it('R11 pages stay complete while entries arrive and are read', async () => {
    for (let n = 0; n < 9; n++) await subject.add(`n${n}`, { publishedAt: T0 - 100 * n });
    const filter = { unread: true };
    const first = await subject.store.list('ann', filter, { order: 'newest', limit: 3 });
    expect(first.entries.map(({ entry }) => entry.title)).toEqual(['n0', 'n1', 'n2']);
    await subject.change({ kind: 'read', ids: first.entries.map(({ entry }) => entry.id) });
    await subject.add('newest', { publishedAt: T0 });
    await subject.add('between', { publishedAt: T0 - 350 });
    const second = await subject.store.list('ann', filter, {
      order: 'newest',
      limit: 4,
      cursor: first.next ?? '',
    });
    expect(second.entries.map(({ entry }) => entry.title)).toEqual(['n3', 'between', 'n4', 'n5']);
  });

  it('R11 the last page has no cursor, and an unusable cursor is rejected', async () => {
    await subject.add('one');
    await subject.add('two');
    expect((await subject.store.list('ann', {}, { order: 'newest', limit: 2 })).next).toBeNull();
    for (const cursor of ['', 'x', '-1', '9'.repeat(400), 'null', '{}', 'é'])
      await expect(subject.store.list('ann', {}, { order: 'newest', limit: 2, cursor })).rejects.toThrow(
        BadCursorError,
      );
    for (const limit of [0, -1, 1.5, MAX_ENTRY_PAGE + 1])
      await expect(subject.store.list('ann', {}, { order: 'newest', limit })).rejects.toThrow(RangeError);
  });

  it('R9 a story is listed once: the first entry that the filter matches, with all others', async () => {
    const one = await subject.add('One', { publishedAt: T0 - 50 });
    await subject.add('Two', { sourceId: 'b', story: one, publishedAt: T0 - 20 });
    await subject.add('Three', { sourceId: 'c', story: one, publishedAt: T0 - 30 });
    await subject.add('Other', { sourceId: 'b', publishedAt: T0 - 40 });
    expect(await subject.titles()).toEqual(['Other', 'One']);
    expect(await subject.titles({ sourceIds: ['b', 'c'] })).toEqual(['Two', 'Other']);
    expect(await subject.titles({ sourceIds: ['c'] })).toEqual(['Three']);
    expect(await subject.titles({ since: T0 - 35 })).toEqual(['Two']);
    const page = await subject.store.list('ann', {}, { order: 'newest', limit: 5 });
    const listed = page.entries.find(({ entry }) => entry.id === one);
    expect(listed?.others.map(({ title }) => title)).toEqual(['Two', 'Three']);
    expect(listed?.others[0]).toMatchObject({ sourceIds: ['b'], publishedAt: T0 - 20 });
    expect(page.entries.find(({ entry }) => entry.title === 'Other')?.others).toEqual([]);
  });

  it('R9 a story is once over all pages', async () => {
    const one = await subject.add('One', { publishedAt: T0 - 5 });
    for (let n = 1; n < 6; n++)
      await subject.add(`Again ${n}`, { sourceId: `s${n}`, story: one, publishedAt: T0 - n * 2 });
    await subject.add('Last', { publishedAt: T0 - 100 });
    const all = ['a', 's1', 's2', 's3', 's4', 's5'];
    for (const filter of [{}, { unread: true }, { sourceIds: all }, { unread: true, sourceIds: all }])
      expect(await subject.paged(filter, 1)).toEqual([['One'], ['Last']]);
  });

  it('R6 lists what is starred and what is wanted later, with the state', async () => {
    const one = await subject.add('One', { publishedAt: T0 - 3 });
    const two = await subject.add('Two', { publishedAt: T0 - 2, sourceId: 'b' });
    await subject.add('Three', { publishedAt: T0 - 1 });
    await subject.change({ kind: 'star', ids: [two, one] }, 'ann', T0 + 5);
    await subject.change({ kind: 'later', ids: [two] }, 'ann', T0 + 6);
    await subject.change({ kind: 'read', ids: [two] });
    expect(await subject.titles({ starred: true })).toEqual(['Two', 'One']);
    expect(await subject.titles({ later: true })).toEqual(['Two']);
    expect(await subject.titles({ starred: true, later: true, sourceIds: ['b'] })).toEqual(['Two']);
    expect(await subject.titles({ starred: true, sourceIds: ['a'] })).toEqual(['One']);
    expect(await subject.titles({ starred: true, before: T0 - 2 })).toEqual(['One']);
    expect(await subject.titles({ later: true, unread: true })).toEqual([]);
    expect(await subject.titles({ starred: true }, 'ben')).toEqual([]);
    const page = await subject.store.list('ann', { later: true }, { order: 'newest', limit: 5 });
    expect(page.entries[0]?.state).toEqual({ read: true, starredAt: T0 + 5, laterAt: T0 + 6 });
  });

  it('R14 "hot" lists what most of the sources told since, each story once', async () => {
    const two = await subject.add('Two sources', { publishedAt: T0 - HOUR });
    await subject.add('Two again', { sourceId: 'b', story: two, publishedAt: T0 - HOUR });
    const three = await subject.add('Three sources', { publishedAt: T0 - 2 * HOUR });
    await subject.add('Three again', { sourceId: 'b', story: three, publishedAt: T0 - HOUR });
    await subject.store.add(
      [newEntry('Three again', { sourceId: 'c', publishedAt: T0 - HOUR })],
      T0,
      () => null,
    );
    await subject.add('Alone', { publishedAt: T0 });
    const old = await subject.add('Old', { publishedAt: T0 - 3 * DAY });
    await subject.add('Old again', { sourceId: 'b', story: old, publishedAt: T0 - 3 * DAY });
    const hot = async (sources: string[] | undefined, limit = 10): Promise<[string, number][]> =>
      (await subject.store.hot('ann', sources, T0 - DAY, limit)).map(({ entry, sourceCount }) => [
        entry.title,
        sourceCount,
      ]);
    expect(await hot(undefined)).toEqual([
      ['Three sources', 3],
      ['Two sources', 2],
    ]);
    expect(await hot(undefined, 1)).toHaveLength(1);
    expect(await hot(['b', 'c'])).toEqual([['Three again', 2]]);
    await subject.change({ kind: 'read', ids: [three] });
    const [first] = await subject.store.hot('ann', undefined, T0 - DAY, 1);
    expect(first).toMatchObject({ state: { read: true }, others: [{ title: 'Three again' }] });
  });
}
