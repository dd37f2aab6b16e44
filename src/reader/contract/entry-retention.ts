import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../time/duration.ts';
import { type EntryStoreSubject, newEntry, T0 } from './entry-store-subject.ts';

const LIMITS = { entriesMs: 90 * DAY, textsMs: 30 * DAY, keepPerSource: 0 };

/** Retention, and the removal of people and sources. */
export function retentionCases(subject: EntryStoreSubject): void {
  it('R15 removes texts, then entries, by age', async () => {
    const { store } = subject;
    const old = await subject.add('old', { content: '<p>xylophone</p>' });
    const young = await subject.add('young', { at: T0 + 40 * DAY, content: '<p>y</p>' });
    expect(await store.sweep(LIMITS, T0 + 31 * DAY)).toEqual({ entries: 0, texts: 1 });
    expect(await store.text(old)).toBeNull();
    expect(await store.get(old)).not.toBeNull();
    expect(await store.text(young)).not.toBeNull();
    expect(await store.sweep(LIMITS, T0 + 91 * DAY)).toEqual({ entries: 1, texts: 1 });
    expect(await store.get(old)).toBeNull();
    expect(await subject.titles()).toEqual(['young']);
    expect(await subject.titles({ text: 'xylophone' })).toEqual([]);
    expect(await store.unreadCounts('ann', ['a'])).toEqual({ all: 1, bySource: { a: 1 } });
    const never = { entriesMs: null, textsMs: null, keepPerSource: 0 };
    expect(await store.sweep(never, T0 + 999 * DAY)).toEqual({ entries: 0, texts: 0 });
  });

  it('R15 keeps the newest of each source, and what anybody starred or wants to read later', async () => {
    const { store } = subject;
    const ids: number[] = [];
    for (let n = 0; n < 6; n++)
      ids.push(await subject.add(`a${n}`, { publishedAt: T0 - HOUR * n, content: '<p>x</p>' }));
    await subject.add('b0', { sourceId: 'b', publishedAt: T0 - DAY });
    const starred = await subject.add('Elsewhere', { sourceId: 'c', story: ids[4] ?? 0 });
    await subject.change({ kind: 'later', ids: [ids[3] ?? 0] }, 'ben');
    await subject.change({ kind: 'star', ids: [starred] }, 'ann');
    expect(await store.sweep({ ...LIMITS, keepPerSource: 2 }, T0 + 91 * DAY)).toEqual({
      entries: 2,
      texts: 4,
    });
    expect(await subject.titles({ sourceIds: ['a'] })).toEqual(['a0', 'a1', 'a3', 'a4']);
    expect(await subject.titles({ sourceIds: ['b', 'c'] })).toEqual(['Elsewhere', 'b0']);
    expect(await store.text(ids[3] ?? 0)).not.toBeNull();
    expect(await store.text(ids[0] ?? 0)).toBeNull();
  });

  it('R15 an article that retention removed does not come back with the next reading', async () => {
    const { store } = subject;
    await subject.add('old');
    await subject.add('new', { at: T0 + 91 * DAY });
    await store.sweep(LIMITS, T0 + 91 * DAY);
    const again = await store.add([newEntry('old'), newEntry('newer')], T0 + 92 * DAY, () => null);
    expect(again.map(({ entry, outcome }) => [entry.title, outcome])).toEqual([['newer', 'new']]);
    expect(await subject.titles({}, 'ann', 'oldest')).toEqual(['new', 'newer']);
  });

  it('R15 what remains of a story that was read stays read', async () => {
    const one = await subject.add('One');
    await subject.change({ kind: 'readAll', upTo: one, sourceIds: ['a'] });
    const two = await subject.add('Two', { at: T0 + 60 * DAY, sourceId: 'b', story: one });
    expect(await subject.isRead(two)).toBe(true);
    await subject.store.sweep(LIMITS, T0 + 91 * DAY);
    expect(await subject.isRead(two)).toBe(true);
    expect((await subject.store.unreadCounts('ann', ['a', 'b'])).all).toBe(0);
    const three = await subject.add('Three', { at: T0 + 91 * DAY, sourceId: 'c', story: two });
    expect(await subject.isRead(three)).toBe(true);
    expect(await subject.titles()).toEqual(['Two']);
  });

  it('R15 sweeping in the middle of an undo does no harm', async () => {
    const id = await subject.add('One', { at: T0 });
    const token = await subject.change({ kind: 'read', ids: [id] }, 'ann', T0 + 91 * DAY);
    await subject.store.sweep(LIMITS, T0 + 91 * DAY);
    expect(await subject.store.undo('ann', token ?? '', T0 + 91 * DAY)).toBe(true);
    expect((await subject.store.statesOf('ann', [id])).size).toBe(0);
  });

  it('R15 a stopped sweep ends early', async () => {
    await subject.add('One');
    const swept = await subject.store.sweep(LIMITS, T0 + 91 * DAY, AbortSignal.abort());
    expect(swept).toEqual({ entries: 0, texts: 0 });
  });

  it('R6 removing a person removes everything about that person only', async () => {
    const { store } = subject;
    const id = await subject.add('One');
    const search = { id: 's', name: 'S', text: 's', folder: null, sourceId: null, unread: false };
    for (const person of ['ann', 'ben']) {
      await subject.change({ kind: 'star', ids: [id] }, person);
      await subject.change({ kind: 'readAll', upTo: id }, person);
      await store.saveSearch(person, search);
    }
    const token = await subject.change({ kind: 'later', ids: [id] });
    await store.removePerson('ann');
    expect((await store.statesOf('ann', [id])).get(id)).toEqual({
      read: false,
      starredAt: null,
      laterAt: null,
    });
    expect((await store.statesOf('ben', [id])).get(id)).toMatchObject({ read: true, starredAt: T0 });
    expect(await store.savedSearches('ann')).toEqual([]);
    expect(await store.savedSearches('ben')).toHaveLength(1);
    expect(await store.undo('ann', token ?? '', T0)).toBe(false);
    expect(await store.unreadCounts('ann', ['a'])).toEqual({ all: 1, bySource: { a: 1 } });
  });

  it('R15 removing a source removes its entries, unless others carry them or a person wants them', async () => {
    const { store } = subject;
    await subject.add('Only here', { content: '<p>x</p>' });
    const shared = await subject.add('Shared');
    await store.add([newEntry('Shared', { sourceId: 'b' })], T0, () => null);
    const starred = await subject.add('Starred');
    const later = await subject.add('Later');
    await subject.change({ kind: 'star', ids: [starred] });
    await subject.change({ kind: 'later', ids: [later] }, 'ben');
    await subject.change({ kind: 'readAll', upTo: await store.newestId(), sourceIds: ['a'] });
    await store.removeSource('a');
    expect((await store.get(shared))?.sourceIds).toEqual(['b']);
    expect((await store.get(starred))?.sourceIds).toEqual([]);
    expect((await subject.titles()).toSorted()).toEqual(['Later', 'Shared', 'Starred']);
    expect(await subject.titles({ sourceIds: ['a'] })).toEqual([]);
    expect(await subject.titles({ starred: true })).toEqual(['Starred']);
    expect(await subject.isRead(shared)).toBe(true);
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 0, bySource: {} });
    await subject.change({ kind: 'unstar', ids: [starred] });
    await store.sweep({ entriesMs: null, textsMs: null, keepPerSource: 100 }, T0 + HOUR);
    expect((await subject.titles()).toSorted()).toEqual(['Later', 'Shared']);
    // The source is added again.
    const back = await subject.add('Only here', { at: T0 + HOUR });
    expect(await subject.isRead(back)).toBe(false);
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 1, bySource: { a: 1 } });
  });
}
