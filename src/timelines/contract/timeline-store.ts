import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TimelineEntry, TimelineName, TimelineStore } from '../timeline-store.ts';

const LOCAL: TimelineName = 'timeline:local';
const HOME: TimelineName = 'timeline:home:ann';

export interface TimelineStoreUnderTest {
  readonly store: TimelineStore;
  /** Time without a reader after which this store evicts a home. */
  readonly idleMs: number;
  now(): number;
  passTime(ms: number): Promise<void>;
  /** Tombstones are stored for each named timeline, not for all timelines. */
  readonly deletesBySlot?: boolean;
}

/** Begins a rebuild whose lease expires at once, so that the next one overtakes it. */
export async function beginExpiredRebuild(store: TimelineStore, timeline: TimelineName): Promise<string> {
  const token = await store.beginRebuild(timeline, 0);
  if (token === null) throw new Error(`the rebuild of ${timeline} did not begin`);
  return token;
}

/** Contract of every timeline store. The factory makes an empty store with this cap. */
export function describeTimelineStore(
  name: string,
  open: (cap: number) => Promise<TimelineStoreUnderTest>,
): void {
  describe(`${name}: the timeline store's contract`, () => {
    let store: TimelineStore;
    let tested: TimelineStoreUnderTest;
    beforeEach(async () => {
      tested = await open(5);
      store = tested.store;
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });

    const entry = (createdAt: number, id = `d${createdAt}`): TimelineEntry => ({ id, createdAt });
    const ids = async (timeline: TimelineName, range = {}): Promise<readonly string[] | null> =>
      (await store.page(timeline, { limit: 100, ...range }))?.entries.map((found) => found.id) ?? null;
    const built = async (timeline: TimelineName, entries: readonly TimelineEntry[]): Promise<void> => {
      const token = await beginExpiredRebuild(store, timeline);
      expect(await store.merge(timeline, { entries, floor: null }, token)).toBe(true);
    };

    it('C1 keeps the newest N and trims the others in the same step', async () => {
      await built(LOCAL, []);
      for (let i = 1; i <= 8; i++) await store.add(entry(i), [LOCAL]);
      expect(await ids(LOCAL)).toEqual(['d8', 'd7', 'd6', 'd5', 'd4']);
      expect(await store.size(LOCAL)).toBe(5);
      expect((await store.page(LOCAL, { limit: 1 }))?.floor).toEqual(entry(4));
    });

    it('C1 sorts by time, then by ID, whatever the order of arrival', async () => {
      await built(LOCAL, []);
      for (const late of [entry(2, 'b'), entry(1, 'z'), entry(2, 'c'), entry(2, 'a')])
        await store.add(late, [LOCAL]);
      expect(await ids(LOCAL)).toEqual(['c', 'b', 'a', 'z']);
    });

    it('adds nothing below the floor of a trim', async () => {
      await built(
        LOCAL,
        [5, 6, 7, 8, 9, 10].map((at) => entry(at)),
      );
      expect(await store.add(entry(5), [LOCAL])).toEqual([]);
      await store.remove('d8', [LOCAL]);
      expect(await store.add(entry(4), [LOCAL])).toEqual([]);
      expect(await ids(LOCAL)).toEqual(['d10', 'd9', 'd7', 'd6']);
    });

    it('C14 returns the newest first, exclusive at both ends', async () => {
      await built(
        LOCAL,
        [1, 2, 3, 4, 5].map((at) => entry(at)),
      );
      expect(await ids(LOCAL, { before: entry(4) })).toEqual(['d3', 'd2', 'd1']);
      expect(await ids(LOCAL, { after: entry(3) })).toEqual(['d5', 'd4']);
      expect(await ids(LOCAL, { after: entry(1), before: entry(4) })).toEqual(['d3', 'd2']);
      expect(await ids(LOCAL, { after: entry(4), before: entry(2) })).toEqual([]);
      expect(await ids(LOCAL, { limit: 2 })).toEqual(['d5', 'd4']);
    });

    it('C15 a position stays valid when its drop is deleted', async () => {
      await built(
        LOCAL,
        [1, 2, 3, 4, 5].map((at) => entry(at)),
      );
      await store.remove('d3', [LOCAL]);
      expect(await ids(LOCAL, { before: entry(3) })).toEqual(['d2', 'd1']);
      expect(await ids(LOCAL, { after: entry(3) })).toEqual(['d5', 'd4']);
    });

    it('C7 does not create a home without a reader, and returns the timelines that contain the drop', async () => {
      expect(await store.add(entry(1), [HOME, LOCAL])).toEqual([LOCAL]);
      expect(await ids(HOME)).toBeNull();
      expect(await store.size(HOME)).toBeNull();
      await built(HOME, []);
      expect(await store.add(entry(2), [HOME, LOCAL])).toEqual([HOME, LOCAL]);
      expect(await ids(HOME)).toEqual(['d2']);
    });

    it('C12 adding is idempotent', async () => {
      await built(LOCAL, []);
      expect(await store.add(entry(1), [LOCAL])).toEqual([LOCAL]);
      expect(await store.add(entry(1), [LOCAL])).toEqual([LOCAL]);
      expect(await ids(LOCAL)).toEqual(['d1']);
    });

    it('a shared timeline created by a drop has its floor at that drop', async () => {
      await store.add(entry(7), [LOCAL]);
      expect(await store.page(LOCAL, { limit: 5 })).toMatchObject({ entries: [entry(7)], floor: entry(7) });
      expect(await store.add(entry(6), [LOCAL])).toEqual([]);
    });

    it('C9 C12 a shared timeline is not created by a drop that may be older than others', async () => {
      expect(await store.add(entry(7), [LOCAL], { onlyIfPresent: true })).toEqual([]);
      expect(await ids(LOCAL)).toBeNull();
      await built(LOCAL, [entry(8)]);
      expect(await store.add(entry(7), [LOCAL], { onlyIfPresent: true })).toEqual([LOCAL]);
      expect(await ids(LOCAL)).toEqual(['d8', 'd7']);
    });

    it('C12 a lost shared timeline that is recreated by an older drop does not hide the newer ones', async () => {
      await store.add(entry(5), [LOCAL]);
      await store.add(entry(8), [LOCAL]);
      await store.evict(LOCAL);
      await store.add(entry(6), [LOCAL]);
      expect((await store.page(LOCAL, { limit: 5 }))?.floor?.createdAt).toBeGreaterThan(8);
      expect(await store.add(entry(10), [LOCAL])).toEqual([LOCAL]);
      expect(await ids(LOCAL)).toEqual(['d10']);
    });

    it('C8 a delete wins, whether it comes before or after the drop', async () => {
      await built(HOME, []);
      await store.add(entry(1), [HOME, LOCAL]);
      await store.remove('d1', [HOME, LOCAL]);
      await store.remove('d2', [HOME, LOCAL]);
      expect(await store.add(entry(1), [HOME, LOCAL])).toEqual([]);
      expect(await store.add(entry(2), [HOME, LOCAL])).toEqual([]);
      expect(await ids(HOME)).toEqual([]);
      expect(await ids(LOCAL)).toEqual([]);
    });

    it('C8 C13 a drop that was deleted elsewhere leaves a home that was not named, and the page stays full', async () => {
      if (tested.deletesBySlot) return;
      await built(
        HOME,
        [1, 2, 3, 4].map((at) => entry(at)),
      );
      await store.remove('d3', [LOCAL]);
      await store.remove('d4', [LOCAL]);
      expect(await ids(HOME, { limit: 2 })).toEqual(['d2', 'd1']);
      expect(await store.size(HOME)).toBe(2);
    });

    it('C8 a rebuild does not bring a deleted drop back', async () => {
      const token = await beginExpiredRebuild(store, HOME);
      await store.remove('d2', [HOME]);
      await store.merge(HOME, { entries: [entry(1), entry(2), entry(3)], floor: null }, token);
      expect(await ids(HOME)).toEqual(['d3', 'd1']);
    });

    it('C16 cannot be read during a rebuild, and keeps the drops that arrive meanwhile', async () => {
      const token = await beginExpiredRebuild(store, HOME);
      expect(await ids(HOME)).toBeNull();
      expect(await store.add(entry(9), [HOME])).toEqual([HOME]);
      expect(await store.merge(HOME, { entries: [entry(1)], floor: null }, token)).toBe(true);
      expect(await ids(HOME)).toEqual(['d9', 'd1']);
    });

    it('C16 refuses a rebuild that was invalidated by an eviction or another rebuild', async () => {
      const first = await beginExpiredRebuild(store, HOME);
      await store.evict(HOME);
      expect(await store.merge(HOME, { entries: [entry(1)], floor: null }, first)).toBe(false);
      const second = await beginExpiredRebuild(store, HOME);
      const third = await beginExpiredRebuild(store, HOME);
      expect(await store.merge(HOME, { entries: [entry(1)], floor: null }, second)).toBe(false);
      expect(await store.merge(HOME, { entries: [entry(2)], floor: null }, third)).toBe(true);
      expect(await ids(HOME)).toEqual(['d2']);
    });

    it('C13 merges into the existing window, down to the higher of the two floors', async () => {
      expect(await store.merge(HOME, { entries: [entry(1)], floor: null })).toBe(false);
      await built(
        HOME,
        [1, 5].map((at) => entry(at)),
      );
      await store.merge(HOME, { entries: [4, 3].map((at) => entry(at)), floor: entry(3) });
      expect(await store.page(HOME, { limit: 9 })).toMatchObject({
        entries: [entry(5), entry(4), entry(3)],
        floor: entry(3),
      });
    });

    it('C13 keeps its entries when the merged list reaches further down', async () => {
      const token = await beginExpiredRebuild(store, HOME);
      await store.merge(HOME, { entries: [8, 7].map((at) => entry(at)), floor: entry(7) }, token);
      await store.merge(HOME, { entries: [9, 3].map((at) => entry(at)), floor: null });
      expect(await store.page(HOME, { limit: 9 })).toMatchObject({
        entries: [entry(9), entry(8), entry(7)],
        floor: entry(7),
      });
    });

    it('C17 the floor stays when its drop is deleted', async () => {
      const token = await beginExpiredRebuild(store, HOME);
      await store.merge(HOME, { entries: [8, 7].map((at) => entry(at)), floor: entry(7) }, token);
      await store.remove('d7', [HOME]);
      await store.remove('d8', [HOME]);
      const window = await store.page(HOME, { limit: 9 });
      expect(window?.entries).toEqual([]);
      expect(window?.floor?.createdAt).toBeGreaterThanOrEqual(7);
      expect(await store.add(entry(6), [HOME])).toEqual([]);
    });

    it('C17 a trimmed timeline whose drops were all deleted differs from an empty one', async () => {
      await built(HOME, []);
      for (let i = 1; i <= 6; i++) await store.add(entry(i), [HOME]);
      for (let i = 1; i <= 6; i++) await store.remove(`d${i}`, [HOME]);
      expect((await store.page(HOME, { limit: 9 }))?.floor?.createdAt).toBeGreaterThanOrEqual(2);
      expect(await store.add(entry(7), [HOME])).toEqual([HOME]);
      expect(await ids(HOME)).toEqual(['d7']);
    });

    it('C16 one rebuild at a time; another may begin when its lease has expired', async () => {
      const first = await store.beginRebuild(HOME, tested.idleMs / 3);
      expect(first).not.toBeNull();
      expect(await store.beginRebuild(HOME, tested.idleMs / 3)).toBeNull();
      await tested.passTime(tested.idleMs / 2);
      const second = await store.beginRebuild(HOME, tested.idleMs / 3);
      expect(second).not.toBeNull();
      expect(await store.merge(HOME, { entries: [], floor: null }, first ?? '')).toBe(false);
      expect(await store.merge(HOME, { entries: [entry(1)], floor: null }, second ?? '')).toBe(true);
      expect(await ids(HOME)).toEqual(['d1']);
      expect(await store.beginRebuild(HOME, 1000)).not.toBeNull();
    });

    it('C13 an update of an existing timeline is fenced like a rebuild', async () => {
      expect(await store.beginUpdate(HOME)).toBeNull();
      expect(await store.size(HOME)).toBeNull();
      await built(HOME, [entry(1)]);
      const token = await store.beginUpdate(HOME);
      expect(await ids(HOME)).toBeNull();
      expect(await store.merge(HOME, { entries: [entry(2)], floor: null }, token ?? '')).toBe(true);
      expect(await ids(HOME)).toEqual(['d2', 'd1']);
    });

    it('C13 accepts no drops of an author whom it was severed from, until they are joined again', async () => {
      const other: TimelineName = 'timeline:home:bob';
      for (const home of [HOME, other]) await built(home, []);
      await store.sever(HOME, 'bad');
      expect(await ids(HOME)).toBeNull();
      await built(HOME, []);
      expect(await store.add(entry(1), [HOME, other, LOCAL], { author: 'bad' })).toEqual([other, LOCAL]);
      expect(await store.add(entry(2), [HOME, other], { author: 'good' })).toEqual([HOME, other]);
      expect(await ids(HOME)).toEqual(['d2']);
      await store.join(HOME, 'bad');
      expect(await store.add(entry(3), [HOME, other], { author: 'bad' })).toEqual([HOME, other]);
    });

    it('C13 C16 a rebuild joins the home to the authors that its owner follows, unless an unfollow came meanwhile', async () => {
      await store.sever(HOME, 'back');
      const token = await beginExpiredRebuild(store, HOME);
      await store.merge(HOME, { entries: [], floor: null, following: ['back', 'good'] }, token);
      expect(await store.add(entry(1), [HOME], { author: 'back' })).toEqual([HOME]);
      const outdated = await beginExpiredRebuild(store, HOME);
      await store.sever(HOME, 'back');
      expect(await store.merge(HOME, { entries: [], floor: null, following: ['back'] }, outdated)).toBe(
        false,
      );
      await built(HOME, []);
      expect(await store.add(entry(2), [HOME], { author: 'back' })).toEqual([]);
    });

    it('C13 a change invalidates a rebuild under way', async () => {
      const token = await beginExpiredRebuild(store, HOME);
      expect(await store.beginUpdate(HOME)).toBeNull();
      expect(await store.merge(HOME, { entries: [entry(1)], floor: null }, token)).toBe(false);
      expect(await ids(HOME)).toBeNull();
    });

    it('C16 aborting a rebuild does not end another one', async () => {
      const first = await beginExpiredRebuild(store, HOME);
      const second = await beginExpiredRebuild(store, HOME);
      await store.evict(HOME, first);
      expect(await store.merge(HOME, { entries: [], floor: null }, second)).toBe(true);
      const third = await beginExpiredRebuild(store, HOME);
      await store.evict(HOME, third);
      expect(await store.size(HOME)).toBeNull();
    });

    it('C10 a home that was not read for the configured time is evicted and accepts nothing', async () => {
      await built(HOME, [entry(1)]);
      await tested.passTime(tested.idleMs * 1.5);
      expect(await store.add(entry(2), [HOME])).toEqual([]);
      expect(await ids(HOME)).toBeNull();
    });

    it('C10 reading and streaming prevent the eviction of a home, writing does not', async () => {
      await built(HOME, [entry(1)]);
      for (let n = 0; n < 4; n++) {
        await tested.passTime(tested.idleMs / 2);
        if (n % 2 === 0) await store.page(HOME, { limit: 1 });
        else await store.touch([HOME]);
      }
      expect(await ids(HOME)).toEqual(['d1']);
      await store.remove('d1', [HOME]);
      await store.add(entry(2), [HOME]);
      await tested.passTime(tested.idleMs / 2);
      await store.add(entry(3), [HOME]);
      await tested.passTime(tested.idleMs);
      expect(await ids(HOME)).toBeNull();
    });

    it('C11 writing only to active readers evicts the homes of the others', async () => {
      await built(HOME, [entry(1)]);
      await tested.passTime(tested.idleMs / 2);
      await built('timeline:home:bob', []);
      await store.add(entry(1), [LOCAL]);
      const activeSince = tested.now() - tested.idleMs / 4;
      const written = await store.add(entry(2), [HOME, 'timeline:home:bob', LOCAL], { activeSince });
      expect(written).toEqual(['timeline:home:bob', LOCAL]);
      expect(await ids(HOME)).toBeNull();
    });

    it('C11 stores which authors are merged in on reading', async () => {
      const token = await beginExpiredRebuild(store, HOME);
      const pullAuthors = { version: '3', authors: ['big'] };
      await store.merge(HOME, { entries: [], floor: null, pullAuthors }, token);
      expect((await store.page(HOME, { limit: 1 }))?.pullAuthors).toEqual(pullAuthors);
      await store.merge(HOME, { entries: [entry(1)], floor: null });
      expect((await store.page(HOME, { limit: 1 }))?.pullAuthors).toEqual(pullAuthors);
    });

    it('C15 knows the position of a drop, also after it was deleted', async () => {
      await built(LOCAL, [entry(7, 'a'), entry(7, 'b')]);
      expect(await store.timeOf(LOCAL, 'a')).toBe(7);
      expect(await store.timeOf(LOCAL, 'c')).toBeNull();
      await store.remove('a', [LOCAL]);
      await store.remove('a', [LOCAL]);
      await store.remove('c', [LOCAL]);
      expect(await store.timeOf(LOCAL, 'a')).toBe(7);
      expect(await store.timeOf(LOCAL, 'c')).toBeNull();
      await store.add(entry(7, 'a'), [LOCAL]);
      expect(await ids(LOCAL)).toEqual(['b']);
    });

    it('C18 the entries of an evicted shared timeline can still be read, without deleted ones', async () => {
      await built(LOCAL, [entry(1), entry(2, 'a'), entry(2, 'b')]);
      await store.evict(LOCAL);
      await store.add(entry(9), [LOCAL]);
      await store.evict(LOCAL);
      await store.remove('a', [LOCAL]);
      const left = async (range = {}) =>
        (await store.evictedEntries(LOCAL, { limit: 9, ...range })).map(({ id }) => id);
      expect(await left()).toEqual(['d9', 'b', 'd1']);
      expect(await left({ limit: 2 })).toEqual(['d9', 'b']);
      expect(await left({ before: entry(2, 'b') })).toEqual(['d1']);
      await built(HOME, [entry(1)]);
      await store.evict(HOME);
      expect(await store.evictedEntries(HOME, { limit: 9 })).toEqual([]);
    });

    it('C18 a drop that is too old for a shared timeline is among the evicted entries', async () => {
      await store.add(entry(5), [LOCAL]);
      expect(await store.add(entry(3), [LOCAL])).toEqual([]);
      expect(await store.evictedEntries(LOCAL, { limit: 9, before: entry(5) })).toEqual([entry(3)]);
      await store.remove('d3', [LOCAL]);
      expect(await store.evictedEntries(LOCAL, { limit: 9 })).toEqual([]);
    });

    it('an evicted timeline does not exist, which is not the same as empty', async () => {
      await built(HOME, []);
      expect(await ids(HOME)).toEqual([]);
      await store.evict(HOME);
      expect(await ids(HOME)).toBeNull();
    });
  });
}
