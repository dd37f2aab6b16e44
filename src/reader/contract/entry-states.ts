import { expect, it } from 'vitest';
import { HOUR } from '../../time/duration.ts';
import { MAX_CHANGED_IDS, UNDO_WITHIN_MS } from '../entry-store.ts';
import { type EntryStoreSubject, newEntry, T0 } from './entry-store-subject.ts';

const NOTHING = { read: false, starredAt: null, laterAt: null };

/** What people did with entries: read, starred, read later, read all, undo, counts. */
export function stateCases(subject: EntryStoreSubject): void {
  it('R6 keeps read, starred and read later for each person, in every process', async () => {
    const { store } = subject;
    const id = await subject.add('One');
    expect(await store.statesOf('ann', [id, 99])).toEqual(new Map([[id, NOTHING]]));
    await subject.change({ kind: 'read', ids: [id] });
    await subject.change({ kind: 'star', ids: [id] }, 'ann', T0 + 1);
    await subject.change({ kind: 'later', ids: [id] }, 'ann', T0 + 2);
    const expected = { read: true, starredAt: T0 + 1, laterAt: T0 + 2 };
    expect((await store.statesOf('ann', [id])).get(id)).toEqual(expected);
    expect((await store.statesOf('ben', [id])).get(id)).toEqual(NOTHING);
    expect((await (await subject.reopen()).statesOf('ann', [id])).get(id)).toEqual(expected);
    await subject.change({ kind: 'unread', ids: [id] });
    await subject.change({ kind: 'unstar', ids: [id] });
    await subject.change({ kind: 'notLater', ids: [id] });
    expect((await store.statesOf('ann', [id])).get(id)).toEqual(NOTHING);
  });

  it('R6 a change by another process is seen', async () => {
    const id = await subject.add('One');
    const other = await subject.reopen();
    expect((await subject.store.unreadCounts('ann', ['a'])).all).toBe(1);
    await other.change('ann', { kind: 'read', ids: [id] }, T0);
    expect(await subject.isRead(id)).toBe(true);
    expect((await subject.store.unreadCounts('ann', ['a'])).all).toBe(0);
    await other.add([newEntry('Two')], T0, () => null);
    expect((await subject.store.unreadCounts('ann', ['a'])).all).toBe(1);
  });

  it('R6 a change that changes nothing has nothing to undo, and unknown entries are ignored', async () => {
    const id = await subject.add('One');
    expect(await subject.change({ kind: 'unread', ids: [id] })).toBeNull();
    expect(await subject.change({ kind: 'notLater', ids: [id] })).toBeNull();
    expect(await subject.change({ kind: 'read', ids: [4, 5] })).toBeNull();
    expect(await subject.change({ kind: 'read', ids: [] })).toBeNull();
    expect(await subject.change({ kind: 'star', ids: [id, 4] })).toEqual(expect.any(String));
    expect(await subject.change({ kind: 'star', ids: [id] }, 'ann', T0 + 9)).toBeNull();
    expect((await subject.store.statesOf('ann', [id])).get(id)?.starredAt).toBe(T0);
    const tooMany = Array.from({ length: MAX_CHANGED_IDS + 1 }, (_, n) => n + 1);
    await expect(subject.change({ kind: 'read', ids: tooMany })).rejects.toThrow(RangeError);
  });

  it('R9 reading one entry of a story reads all, also one that arrives later', async () => {
    const one = await subject.add('One');
    const two = await subject.add('Two', { sourceId: 'b', story: one });
    await subject.change({ kind: 'read', ids: [two] });
    const three = await subject.add('Three', { sourceId: 'c', story: one });
    for (const id of [one, two, three]) expect(await subject.isRead(id)).toBe(true);
    await subject.change({ kind: 'star', ids: [three] });
    expect((await subject.store.statesOf('ann', [one])).get(one)?.starredAt).toBe(T0);
    await subject.change({ kind: 'unread', ids: [one] });
    expect(await subject.isRead(three)).toBe(false);
    expect(await subject.titles({ unread: true })).toEqual(['One']);
  });

  it('R7 counts unread stories by source and all, a story of several sources once', async () => {
    const { store } = subject;
    const one = await subject.add('One');
    await subject.add('Two');
    await subject.add('Three', { sourceId: 'b' });
    await subject.add('One elsewhere', { sourceId: 'b', story: one });
    await store.add([newEntry('Two', { sourceId: 'c' })], T0, () => null);
    const all = ['a', 'b', 'c', 'unknown'];
    expect(await store.unreadCounts('ann', all)).toEqual({ all: 3, bySource: { a: 2, b: 2, c: 1 } });
    expect(await store.unreadCounts('ann', ['b', 'c'])).toEqual({ all: 3, bySource: { b: 2, c: 1 } });
    expect(await store.unreadCounts('ann', ['a', 'c'])).toEqual({ all: 2, bySource: { a: 2, c: 1 } });
    expect(await store.unreadCounts('ann', [])).toEqual({ all: 0, bySource: {} });
    await subject.change({ kind: 'read', ids: [one] });
    expect(await store.unreadCounts('ann', all)).toEqual({ all: 2, bySource: { a: 1, b: 1, c: 1 } });
    expect(await store.unreadCounts('ben', all)).toEqual({ all: 3, bySource: { a: 2, b: 2, c: 1 } });
    await subject.add('Four', { sourceId: 'c' });
    expect(await store.unreadCounts('ann', all)).toEqual({ all: 3, bySource: { a: 1, b: 1, c: 2 } });
    expect(await (await subject.reopen()).unreadCounts('ann', all)).toEqual({
      all: 3,
      bySource: { a: 1, b: 1, c: 2 },
    });
  });

  it('R7 two entries of one source in one story count once', async () => {
    const one = await subject.add('One');
    await subject.add('Two', { story: one });
    expect(await subject.store.unreadCounts('ann', ['a'])).toEqual({ all: 1, bySource: { a: 1 } });
  });

  it('R7 counts the unread stories of groups of sources, each story once in a group', async () => {
    const { store } = subject;
    const one = await subject.add('One');
    await subject.add('One elsewhere', { sourceId: 'b', story: one });
    await subject.add('Two', { sourceId: 'b' });
    await subject.add('Three', { sourceId: 'c' });
    const groups = [['a', 'b'], ['b', 'c'], ['a', 'b', 'c'], ['c', 'unknown'], []];
    expect(await store.unreadOfGroups('ann', groups)).toEqual([2, 3, 3, 1, 0]);
    await subject.change({ kind: 'read', ids: [one] });
    expect(await store.unreadOfGroups('ann', groups)).toEqual([1, 2, 2, 1, 0]);
    expect(await store.unreadOfGroups('ben', groups)).toEqual([2, 3, 3, 1, 0]);
  });

  it('R6 counts the stories that a person starred or wants to read later', async () => {
    const { store } = subject;
    const one = await subject.add('One');
    const two = await subject.add('One elsewhere', { sourceId: 'b', story: one });
    const three = await subject.add('Three');
    expect(await store.markedCounts('ann')).toEqual({ starred: 0, later: 0 });
    await subject.change({ kind: 'star', ids: [one, two, three] });
    const token = await subject.change({ kind: 'later', ids: [three] });
    expect(await store.markedCounts('ann')).toEqual({ starred: 2, later: 1 });
    expect(await store.markedCounts('ben')).toEqual({ starred: 0, later: 0 });
    await subject.change({ kind: 'unstar', ids: [two] });
    await store.undo('ann', token ?? '', T0);
    expect(await store.markedCounts('ann')).toEqual({ starred: 1, later: 0 });
  });

  it('R8 "read all" covers what had arrived, in the chosen sources or in all', async () => {
    const { store } = subject;
    await subject.add('A1', { publishedAt: T0 - 3 });
    await subject.add('B1', { sourceId: 'b', publishedAt: T0 - 2 });
    const upTo = await store.newestId();
    await subject.add('A2', { publishedAt: T0 - HOUR });
    await subject.change({ kind: 'readAll', sourceIds: ['a'], upTo });
    expect(await subject.titles({ unread: true })).toEqual(['B1', 'A2']);
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 2, bySource: { a: 1, b: 1 } });
    await subject.change({ kind: 'readAll', upTo: await store.newestId() });
    expect(await subject.titles({ unread: true })).toEqual([]);
    await subject.add('C1', { sourceId: 'c' });
    expect(await subject.titles({ unread: true })).toEqual(['C1']);
    expect(await store.unreadCounts('ben', ['a', 'b', 'c'])).toMatchObject({ all: 4 });
  });

  it('R8 "read all" up to a time leaves what was published since', async () => {
    await subject.add('old', { publishedAt: T0 - HOUR });
    await subject.add('young', { publishedAt: T0 - 1 });
    const upTo = await subject.store.newestId();
    await subject.change({ kind: 'readAll', upTo, before: T0 - 1 });
    expect(await subject.titles({ unread: true })).toEqual(['young']);
    await subject.add('old and late', { publishedAt: T0 - HOUR });
    expect(await subject.titles({ unread: true })).toEqual(['young', 'old and late']);
    // A further mark leaves the first one in force.
    await subject.change({
      kind: 'readAll',
      upTo: await subject.store.newestId(),
      before: T0 - HOUR,
      sourceIds: ['a'],
    });
    expect(await subject.titles({ unread: true })).toEqual(['young', 'old and late']);
    expect((await subject.store.unreadCounts('ann', ['a'])).all).toBe(2);
  });

  it('R8 a known article that a source carries after "read all" of that source stays unread', async () => {
    const { store } = subject;
    const one = await subject.add('One');
    await subject.add('Two', { sourceId: 'b' });
    await subject.change({ kind: 'readAll', sourceIds: ['b'], upTo: await store.newestId() });
    await store.add([newEntry('One', { sourceId: 'b' })], T0 + 1, () => null);
    expect(await subject.isRead(one)).toBe(false);
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 1, bySource: { a: 1, b: 1 } });
    await subject.change({ kind: 'readAll', sourceIds: ['b'], upTo: await store.newestId() });
    expect(await subject.isRead(one)).toBe(true);
  });

  it('R8 "read all" reads the stories of its sources in other sources too, and what was set to unread before', async () => {
    const one = await subject.add('One');
    await subject.add('Two', { sourceId: 'b', story: one });
    const three = await subject.add('Three', { sourceId: 'b' });
    const four = await subject.add('Four', { sourceId: 'c' });
    await subject.change({ kind: 'read', ids: [three, four] });
    await subject.change({ kind: 'unread', ids: [three, four] });
    const upTo = await subject.store.newestId();
    await subject.change({ kind: 'readAll', sourceIds: ['b'], upTo });
    expect(await subject.titles({ unread: true })).toEqual(['Four']);
    await subject.change({ kind: 'unread', ids: [three] });
    expect(await subject.titles({ unread: true }, 'ann', 'oldest')).toEqual(['Three', 'Four']);
    expect(await subject.store.unreadCounts('ann', ['a', 'b', 'c'])).toEqual({
      all: 2,
      bySource: { b: 1, c: 1 },
    });
  });

  it('R8 undo restores every kind of change exactly, once', async () => {
    const { store } = subject;
    const one = await subject.add('One');
    const two = await subject.add('Two');
    const three = await subject.add('Three', { sourceId: 'b' });
    await subject.change({ kind: 'read', ids: [one] });
    await subject.change({ kind: 'star', ids: [two] }, 'ann', T0 + 3);
    await subject.change({ kind: 'readAll', sourceIds: ['b'], upTo: three });
    await subject.change({ kind: 'unread', ids: [three] });
    const ids = [one, two, three];
    const before = await store.statesOf('ann', ids);
    const counts = await store.unreadCounts('ann', ['a', 'b']);
    expect(counts).toEqual({ all: 2, bySource: { a: 1, b: 1 } });
    const changes = [
      { kind: 'read', ids },
      { kind: 'unread', ids },
      { kind: 'star', ids },
      { kind: 'unstar', ids },
      { kind: 'later', ids },
      { kind: 'readAll', upTo: three },
      { kind: 'readAll', sourceIds: ['a', 'b'], upTo: three, before: T0 + 1 },
    ] as const;
    for (const change of changes) {
      const token = await subject.change(change, 'ann', T0 + 10);
      expect(await store.statesOf('ann', ids)).not.toEqual(before);
      expect(await store.undo('ben', token ?? '', T0 + 11)).toBe(false);
      expect(await store.undo('ann', token ?? '', T0 + 11)).toBe(true);
      expect(await store.statesOf('ann', ids)).toEqual(before);
      expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual(counts);
      expect(await store.undo('ann', token ?? '', T0 + 12)).toBe(false);
    }
    // What was unread by choice is still so: it stays unread when its source is undone and read again up to an earlier entry.
    await subject.change({ kind: 'readAll', sourceIds: ['b'], upTo: one });
    expect(await subject.isRead(three)).toBe(false);
  });

  it('R8 undo of "read all" leaves an earlier one and later changes in force', async () => {
    const one = await subject.add('One');
    const first = await subject.change({ kind: 'readAll', upTo: one });
    const two = await subject.add('Two');
    const second = await subject.change({ kind: 'readAll', upTo: two });
    await subject.change({ kind: 'star', ids: [two] });
    expect(await subject.store.undo('ann', second ?? '', T0)).toBe(true);
    expect(await subject.store.statesOf('ann', [one, two])).toEqual(
      new Map([
        [one, { ...NOTHING, read: true }],
        [two, { ...NOTHING, starredAt: T0 }],
      ]),
    );
    expect(await subject.store.undo('ann', first ?? '', T0)).toBe(true);
    expect(await subject.titles({ unread: true })).toHaveLength(2);
  });

  it('R8 a change can be taken back for a day', async () => {
    const id = await subject.add('One');
    const token = await subject.change({ kind: 'read', ids: [id] });
    expect(await subject.store.undo('ann', token ?? '', T0 + UNDO_WITHIN_MS + 1)).toBe(false);
    expect(await subject.isRead(id)).toBe(true);
    expect(await subject.store.undo('ann', token ?? '', T0 + UNDO_WITHIN_MS)).toBe(true);
    expect(await subject.isRead(id)).toBe(false);
  });

  it('R12 keeps the saved searches of each person', async () => {
    const { store } = subject;
    const search = { id: 's1', name: 'Rust', text: 'rust', folder: null, sourceId: 'a', unread: true };
    await store.saveSearch('ann', search);
    await store.saveSearch('ann', { ...search, id: 's0', name: 'Zig', folder: 'Tech/Code', sourceId: null });
    await store.saveSearch('ann', { ...search, name: 'Rust again' });
    const names = async (person: string): Promise<string[]> =>
      (await store.savedSearches(person)).map(({ name }) => name);
    expect(await names('ann')).toEqual(['Rust again', 'Zig']);
    expect(await names('ben')).toEqual([]);
    expect((await store.savedSearches('ann'))[0]).toEqual({ ...search, name: 'Rust again' });
    expect(await store.removeSearch('ben', 's1')).toBe(false);
    expect(await store.removeSearch('ann', 's1')).toBe(true);
    expect(await names('ann')).toEqual(['Zig']);
  });
}
