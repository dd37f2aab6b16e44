import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Rank, Story } from '../story.ts';
import { type BestRequest, EMPTY_SYNC_STATE, type StoryStore } from '../story-store.ts';
import { expectedBest, sampleStories, sampleStory } from './sample-stories.ts';

export interface StoryStoresUnderTest {
  /** The same set opened by two replicas, and another set beside it. */
  readonly mine: StoryStore;
  readonly theirs: StoryStore;
  readonly other: StoryStore;
  dispose(): Promise<void>;
}

/** Contract of every story store. */
export function describeStoryStore(
  name: string,
  make: (clock: ManualClock) => Promise<StoryStoresUnderTest>,
): void {
  describe(`${name} as a store of stories`, () => {
    const NOW = Date.UTC(2026, 10, 15, 12, 34, 56);
    let under: StoryStoresUnderTest;
    let store: StoryStore;
    beforeEach(async () => {
      under = await make(new ManualClock(NOW));
      store = under.mine;
    });
    afterEach(async () => {
      await under.dispose();
    });
    const put = (...stories: Story[]): Promise<void> => store.upsert(stories.map((one) => ({ story: one })));
    const idsOf = (stories: readonly { readonly id: number }[]): number[] => stories.map(({ id }) => id);

    /** All pages of `best`, read in order. */
    async function readAll(ask: Partial<BestRequest> & { readonly max?: number }): Promise<number[]> {
      const found: number[] = [];
      let after: Rank | null = ask.after ?? null;
      for (;;) {
        const page = await store.best({ since: null, limit: 50, ...ask, after });
        found.push(...idsOf(page.stories));
        if (page.next === null || found.length >= (ask.max ?? Number.POSITIVE_INFINITY)) return found;
        after = page.next;
      }
    }

    describe('stories', () => {
      it('are read as they were last stored', async () => {
        const first = sampleStory(42_345_678, { score: 7, time: NOW - HOUR, updated: NOW, kids: [1, 2, 3] });
        await put(first);
        expect(await store.find([42_345_678, 5])).toEqual([first]);
        const second = { ...first, score: 9, title: 'Another title', kids: [], updated: NOW + 1 };
        await put(second);
        expect(await under.theirs.find([42_345_678])).toEqual([second]);
        expect(await readAll({})).toEqual([42_345_678]);
      });

      it('are absent once removed, and removing is idempotent', async () => {
        await put(sampleStory(1, { time: NOW }), sampleStory(2, { time: NOW }));
        await store.remove([1, 99]);
        await store.remove([1]);
        expect(idsOf(await store.find([1, 2]))).toEqual([2]);
        expect(await readAll({})).toEqual([2]);
        expect(await readAll({ since: NOW - DAY })).toEqual([2]);
      });

      it('E14 may have empty fields, future times, IDs beyond 32 bits and titles of 100 KB', async () => {
        const odd = [
          sampleStory(1, { by: '', title: '', url: '', score: 0, descendants: 0, kids: [], time: NOW }),
          sampleStory(2, { time: NOW + 400 * DAY, score: 3 }),
          sampleStory(2 ** 32 + 7, { time: NOW, score: 2 }),
          sampleStory(2 ** 50 + 7, { time: NOW, score: 1 }),
          sampleStory(5, { time: NOW, score: 5, title: 'ü'.repeat(50_000) }),
          sampleStory(6, { time: 0, score: 6, title: 'no \u0000 and \ud83d\ude00 “so”' }),
        ];
        await put(...odd);
        expect(await readAll({ since: NOW - DAY })).toEqual([5, 2, 2 ** 32 + 7, 2 ** 50 + 7, 1]);
        expect((await readAll({})).at(0)).toBe(6);
        expect(await store.find([5])).toEqual([odd[4]]);
        expect(await store.find([6])).toEqual([odd[5]]);
      });

      it('of another set do not appear in this one', async () => {
        await put(sampleStory(1, { time: NOW }));
        await under.other.upsert([{ story: sampleStory(2 ** 52 + 1, { time: NOW, score: 99 }) }]);
        expect(await readAll({})).toEqual([1]);
        expect(idsOf((await under.other.best({ since: null, after: null, limit: 9 })).stories)).toEqual([
          2 ** 52 + 1,
        ]);
        expect(await store.latestId()).toBe(1);
        const head = await store.head();
        await under.other.remove([2 ** 52 + 1]);
        expect((await store.changesSince(head))?.changes).toEqual([]);
      });
    });

    describe('the best', () => {
      it('E7 are ordered by score, of equal ones the newest ID first, and only the younger ones', async () => {
        await put(
          sampleStory(1, { score: 5, time: NOW - 2 * DAY }),
          sampleStory(2, { score: 5, time: NOW - HOUR }),
          sampleStory(3, { score: 9, time: NOW - 3 * HOUR }),
          sampleStory(4, { score: 5, time: NOW - DAY }),
          sampleStory(5, { score: 1, time: NOW - DAY + 1 }),
        );
        expect(await readAll({})).toEqual([3, 4, 2, 1, 5]);
        // Exactly a day old is not younger than a day.
        expect(await readAll({ since: NOW - DAY })).toEqual([3, 2, 5]);
      });

      it('E12 are correct for every age, in pages of any size from any position', async () => {
        const stories = sampleStories(600, NOW, 900);
        await put(...stories);
        const ages = [0.02, 0.4, 1, 2.5, 7, 8, 17, 30, 64, 100, 365, 512, 700, 2000];
        for (const age of ages) {
          const since = NOW - age * DAY;
          expect(await readAll({ since, limit: 100, max: 200 }), `${age} days`).toEqual(
            expectedBest(stories, since, 600).slice(0, 200),
          );
        }
        expect(await readAll({ limit: 97 })).toEqual(expectedBest(stories, null, 600));
        const { stories: ranked, complete } = await store.ranking(NOW - 365 * DAY, 150);
        expect(idsOf(ranked)).toEqual(expectedBest(stories, NOW - 365 * DAY, 150));
        expect(complete).toBe(false);
        expect((await store.ranking(NOW - DAY, 150)).complete).toBe(true);
      });

      it('are correct after scores and times changed', async () => {
        const stories = sampleStories(150, NOW, 40);
        await put(...stories);
        const changed = stories.map((one, n) =>
          n % 3 === 0
            ? { ...one, score: one.score * 2 + n }
            : n % 7 === 0
              ? { ...one, time: NOW - n * HOUR }
              : one,
        );
        await put(...changed);
        await store.remove([1000, 1001]);
        const left = changed.filter(({ id }) => id > 1001);
        for (const age of [1, 7, 30, 365]) {
          const since = NOW - age * DAY;
          expect(await readAll({ since })).toEqual(expectedBest(left, since, 150));
        }
      });

      it('E11 leave out the stories that a user hid, and still fill the page', async () => {
        const stories = sampleStories(300, NOW, 40);
        await put(...stories);
        const order = expectedBest(stories, null, 300);
        await store.hide('ann', order.slice(0, 260), NOW);
        expect(await readAll({ notHiddenBy: 'ann' })).toEqual(order.slice(260));
        expect(await readAll({ notHiddenBy: 'bob', max: 300 })).toEqual(order);
      });
    });

    describe('the queries of the worker', () => {
      it('E13 the newest ID is the highest, not the last stored', async () => {
        expect(await store.latestId()).toBeNull();
        await put(sampleStory(9, { time: NOW }));
        await put(sampleStory(10, { time: NOW }), sampleStory(3, { time: NOW }));
        expect(await under.theirs.latestId()).toBe(10);
      });

      it('E13 the stalest come first, of those that are young enough, up to the limit', async () => {
        await put(
          sampleStory(1, { time: NOW - 2 * HOUR, updated: NOW - 3 * HOUR }),
          sampleStory(2, { time: NOW - 2 * HOUR, updated: NOW - 2 * HOUR }),
          sampleStory(3, { time: NOW - 20 * HOUR, updated: NOW - 5 * HOUR }),
          sampleStory(4, { time: NOW - 2 * DAY, updated: NOW - 9 * HOUR }),
          sampleStory(5, { time: NOW - 2 * HOUR, updated: NOW - HOUR + 1 }),
          sampleStory(6, { time: NOW + DAY, updated: NOW - 4 * HOUR }),
        );
        expect(idsOf(await store.stale(NOW - DAY, NOW - HOUR, 200))).toEqual([3, 6, 1, 2]);
        expect(idsOf(await store.stale(NOW - DAY, NOW - HOUR, 2))).toEqual([3, 6]);
        expect(idsOf(await store.stale(NOW - 7 * DAY, NOW - 6 * HOUR, 200))).toEqual([4]);
        await put(sampleStory(3, { time: NOW - 20 * HOUR, updated: NOW }));
        expect(idsOf(await store.stale(NOW - DAY, NOW - HOUR, 2))).toEqual([6, 1]);
      });

      it('the saved sync state is loaded by the next run, in every replica', async () => {
        expect(await store.loadSyncState()).toBeNull();
        const state = { ...EMPTY_SYNC_STATE, retry: [5, 7], gaps: [[10, 20]] as const, takenUpTo: NOW };
        await store.saveSyncState(state);
        expect(await under.theirs.loadSyncState()).toEqual(state);
        const backfill = { ...EMPTY_SYNC_STATE, backfill: { from: 1, to: 9, next: 4 } };
        await store.saveSyncState(backfill);
        expect(await under.theirs.loadSyncState()).toEqual(backfill);
        await store.maintain();
        expect(await store.loadSyncState()).toEqual(backfill);
      });
    });

    it('the usage of reads is summed by day over all replicas', async () => {
      expect(await store.usageOf('2026-11-15')).toEqual({ requests: 0, reads: 0, writes: 0 });
      await store.addUsage('2026-11-15', { requests: 3, reads: 2, writes: 1 });
      await under.theirs.addUsage('2026-11-15', { requests: 1, reads: 0, writes: 0 });
      await store.addUsage('2026-11-16', { requests: 9, reads: 9, writes: 9 });
      expect(await store.usageOf('2026-11-15')).toEqual({ requests: 4, reads: 2, writes: 1 });
      expect(await under.other.usageOf('2026-11-15')).toMatchObject({ requests: 0 });
    });

    describe('the feed', () => {
      it('E10 reports to every replica the changes that lists show, in order, and no others', async () => {
        const start = await under.theirs.head();
        const first = sampleStory(1, { time: NOW, score: 1 });
        await put(first);
        await put({ ...first, score: 2 });
        // Only the time of the sync, which no list shows.
        await put({ ...first, score: 2, updated: NOW + 5, kids: [] });
        await store.remove([1]);
        const { kids: _kids, updated: _updated, ...shown } = first;
        const part = await under.theirs.changesSince(start);
        expect(part?.changes).toEqual([
          { before: null, after: shown },
          { before: shown, after: { ...shown, score: 2 } },
          { before: { ...shown, score: 2 }, after: null },
        ]);
        expect(await under.theirs.changesSince(part?.position ?? '')).toMatchObject({ changes: [] });
        expect((part?.position ?? '') > start).toBe(true);
      });

      it('returns null for a position that it does not reach back to', async () => {
        expect(await store.changesSince('nonsense')).toBeNull();
      });

      it('a ranking has its position in the feed', async () => {
        await put(sampleStory(1, { time: NOW }));
        const { position } = await store.ranking(null, 10);
        await put(sampleStory(2, { time: NOW }));
        const part = await store.changesSince(position);
        expect(part?.changes.map(({ after }) => after?.id)).toContain(2);
      });
    });

    describe('hidden stories', () => {
      it('E3 hiding and unhiding are idempotent', async () => {
        await store.hide('ann', [7], NOW);
        await store.hide('ann', [7], NOW + 5);
        await store.hide('ann', [7, 7, 8], NOW + 6);
        expect(await under.theirs.hiddenAmong('ann', [6, 7, 8])).toEqual(new Set([7, 8]));
        expect(await store.hiddenAmong('bob', [6, 7])).toEqual(new Set());
        await store.unhide('ann', [7, 9]);
        await store.unhide('ann', [7]);
        expect(await store.hiddenAmong('ann', [6, 7, 8])).toEqual(new Set([8]));
        await store.unhide('unknown', [7]);
      });

      it('E3 hiding twice keeps the time of the first, whichever replica hides; unhidden, it can be hidden again', async () => {
        await store.hide('ann', [7], NOW);
        await store.hide('ann', [7], NOW + 5);
        await under.theirs.hide('ann', [8, 7, 9], NOW + 6);
        await store.hide('ann', [9], NOW + 7);
        expect((await store.hidden('ann', { limit: 9 })).stories).toEqual([
          { id: 9, addedAt: NOW + 6 },
          { id: 8, addedAt: NOW + 6 },
          { id: 7, addedAt: NOW },
        ]);
        await store.unhide('ann', [7]);
        await store.hide('ann', [7], NOW + 8);
        expect((await under.theirs.hidden('ann', { limit: 1 })).stories).toEqual([
          { id: 7, addedAt: NOW + 8 },
        ]);
      });

      it('E3 are listed in pages, the last hidden first, each once', async () => {
        const ids = Array.from({ length: 25 }, (_, n) => n * 3);
        await store.hide('ann', ids.slice(0, 20), NOW);
        await store.hide('ann', ids.slice(20), NOW + 1);
        const seen: number[] = [];
        for (let after: { id: number; addedAt: number } | undefined; ; ) {
          const page = await store.hidden('ann', { limit: 7, ...(after && { after }) });
          seen.push(...idsOf(page.stories));
          after = page.stories.at(-1);
          if (!page.more) break;
        }
        expect(new Set(seen.slice(0, 5))).toEqual(new Set(ids.slice(20)));
        expect(seen.toSorted((a, b) => a - b)).toEqual(ids);
        expect(await store.hidden('bob', { limit: 7 })).toEqual({ stories: [], more: false });
      });

      it('belong to users of any name', async () => {
        for (const name of ['a/b', '.', '..', '__x__', 'Jörg Ä', 'x'.repeat(300)]) {
          await store.hide(name, [1], NOW);
          expect(await under.theirs.hiddenAmong(name, [1, 2]), name).toEqual(new Set([1]));
        }
        expect(await store.hiddenAmong('a', [1])).toEqual(new Set());
      });
    });
  });
}
