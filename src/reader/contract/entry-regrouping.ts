import { expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import type { StoryReason } from '../../same-story/story-reason.ts';
import type { EntryId } from '../entry-store.ts';
import { type EntryStoreSubject, T0 } from './entry-store-subject.ts';

const NO_REASONS: ReadonlyMap<EntryId, StoryReason | null> = new Map();

/** Stories that people split and join. */
export function regroupingCases(subject: EntryStoreSubject): void {
  const grouped = async (): Promise<string[][]> => {
    const { entries } = await subject.store.list('ann', {}, { order: 'oldest', limit: 50 });
    return entries.map(({ entry, others }) => [entry, ...others].map(({ title }) => title).sort());
  };
  const regroup = (...stories: EntryId[][]): Promise<void> =>
    subject.store.regroup({ stories, reasons: NO_REASONS });

  it('Q15 splits an entry from its story, and joins it again, in every process', async () => {
    const one = await subject.add('One');
    const two = await subject.add('Two', { sourceId: 'b', story: one });
    const three = await subject.add('Three', { sourceId: 'c', story: one });
    const other = await subject.reopen();
    expect((await other.story(two)).map(({ id }) => id)).toEqual([one, two, three]);
    await regroup([one, three], [two]);
    expect(await grouped()).toEqual([['One', 'Three'], ['Two']]);
    expect((await other.story(two)).map(({ title }) => title)).toEqual(['Two']);
    expect((await other.get(two))?.storyId).toBe(two);
    expect((await subject.store.unreadCounts('ann', ['a', 'b', 'c'])).all).toBe(2);
    await other.regroup({ stories: [[one, two, three]], reasons: NO_REASONS });
    expect(await grouped()).toEqual([['One', 'Three', 'Two']]);
    expect((await subject.store.get(two))?.storyId).toBe(one);
    expect(await subject.store.unreadCounts('ann', ['a', 'b', 'c'])).toEqual({
      all: 1,
      bySource: { a: 1, b: 1, c: 1 },
    });
    expect(await subject.store.story(99)).toEqual([]);
  });

  it('Q15 splits the first entry, and what several sources carry, from its story', async () => {
    const one = await subject.add('One');
    await subject.add('One', { sourceId: 'd' });
    const two = await subject.add('Two', { sourceId: 'b', story: one });
    const three = await subject.add('Three', { sourceId: 'c', story: one });
    await regroup([two, three], [one]);
    expect(await grouped()).toEqual([['One'], ['Three', 'Two']]);
    expect((await subject.store.story(three)).map(({ storyId }) => storyId)).toEqual([two, two]);
    const four = await subject.add('Four', { sourceId: 'e', story: one });
    expect((await subject.store.get(four))?.storyId).toBe(one);
    expect((await subject.store.unreadCounts('ann', ['a', 'b', 'c', 'd', 'e'])).all).toBe(2);
  });

  it('Q15 a joined story is read and kept if one of both was, and separating restores each', async () => {
    const one = await subject.add('One');
    const two = await subject.add('Two', { sourceId: 'b' });
    const three = await subject.add('Three', { sourceId: 'c' });
    await subject.change({ kind: 'read', ids: [two] });
    await subject.change({ kind: 'star', ids: [two] }, 'ann', T0 + 5);
    await subject.change({ kind: 'later', ids: [one] }, 'ben', T0 + 6);
    await regroup([one, two]);
    const state = async (id: EntryId, person = 'ann') => (await subject.store.statesOf(person, [id])).get(id);
    expect(await state(one)).toEqual({ read: true, starredAt: T0 + 5, laterAt: null });
    expect(await state(two, 'ben')).toEqual({ read: false, starredAt: null, laterAt: T0 + 6 });
    expect(await subject.store.markedCounts('ann')).toEqual({ starred: 1, later: 0 });
    expect(await subject.titles({ starred: true })).toHaveLength(1);
    expect(await subject.titles({ unread: true })).toEqual(['Three']);
    await regroup([one], [two]);
    expect(await state(one)).toEqual({ read: false, starredAt: null, laterAt: null });
    expect(await state(two)).toEqual({ read: true, starredAt: T0 + 5, laterAt: null });
    expect(await state(two, 'ben')).toEqual({ read: false, starredAt: null, laterAt: null });
    expect(await subject.titles({ starred: true })).toEqual(['Two']);
    expect((await subject.store.unreadCounts('ann', ['a', 'b', 'c'])).all).toBe(2);
    expect(await subject.isRead(three)).toBe(false);
  });

  it('Q15 what is unstarred or set unread in a joined story is so for all of it', async () => {
    const one = await subject.add('One');
    const two = await subject.add('Two', { sourceId: 'b' });
    await subject.change({ kind: 'star', ids: [two] });
    await subject.change({ kind: 'read', ids: [two] });
    await regroup([one, two]);
    await subject.change({ kind: 'unstar', ids: [one] });
    await subject.change({ kind: 'unread', ids: [one] });
    for (const id of [one, two])
      expect((await subject.store.statesOf('ann', [id])).get(id)).toEqual({
        read: false,
        starredAt: null,
        laterAt: null,
      });
    expect(await subject.store.markedCounts('ann')).toEqual({ starred: 0, later: 0 });
  });

  it('Q14 an entry keeps why it is in its story, until it is regrouped with another reason', async () => {
    const reason: StoryReason = {
      verdict: 'same',
      with: 'https://example.org/One' as ItemKey,
      title: 'One',
      by: 'rules',
      common: { names: ['Larkfield'], figures: ['12'], words: ['ferry'] },
    };
    const one = await subject.add('One');
    const two = await subject.add('Two', { sourceId: 'b', story: one, storyReason: reason });
    expect((await (await subject.reopen()).get(two))?.storyReason).toEqual(reason);
    expect((await subject.store.get(one))?.storyReason).toBeUndefined();
    await subject.store.regroup({ stories: [[one], [two]], reasons: new Map([[two, null]]) });
    expect((await subject.store.get(two))?.storyReason).toBeUndefined();
    const joined: StoryReason = { ...reason, by: 'person', person: 'ann', at: T0 };
    await subject.store.regroup({ stories: [[one, two]], reasons: new Map([[two, joined]]) });
    expect((await subject.store.get(two))?.storyReason).toEqual(joined);
  });
}
