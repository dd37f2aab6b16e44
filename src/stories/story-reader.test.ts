import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoryFile } from '../storage/sqlite/story-file.ts';
import type { SqliteStoryStore } from '../storage/sqlite/story-store.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { expectedBest, sampleStories, sampleStory, seededRandom } from './contract/sample-stories.ts';
import { byRank, type Story, TIMESPANS } from './story.ts';
import { StoryLists, TIMESPAN_AGES_MS } from './story-lists.ts';
import { type StoryPage, type StoryPageRequest, StoryReader } from './story-reader.ts';

const NOW = Date.UTC(2026, 10, 15, 12, 34, 56);
const TIMES = { Day: 30 * MINUTE, Week: 2 * DAY, Month: 7 * DAY, Year: 30 * DAY, All: 30 * DAY };

describe('a reader of lists', () => {
  let clock: ManualClock;
  let file: StoryFile;
  let store: SqliteStoryStore;
  let lists: StoryLists;
  let reader: StoryReader;
  beforeEach(async () => {
    clock = new ManualClock(NOW);
    file = StoryFile.open(':memory:', clock);
    store = await file.storeOf('hackernews');
    open(2000);
  });
  afterEach(async () => {
    await file[Symbol.asyncDispose]();
  });
  function open(size: number): void {
    lists = new StoryLists({ store, clock, timesToLive: TIMES, size });
    reader = new StoryReader({ set: 'hackernews', store, lists, clock });
  }
  const put = (...stories: Story[]): Promise<void> => store.upsert(stories.map((one) => ({ story: one })));
  async function page(ask: Partial<StoryPageRequest> = {}): Promise<StoryPage> {
    const answer = await reader.page({ timespan: 'All', limit: 500, ...ask });
    if (answer.outcome !== 'page') throw new Error(answer.outcome);
    return answer.page;
  }
  const idsOf = ({ stories }: StoryPage): number[] => stories.map(({ id }) => id);
  async function allPages(
    ask: Partial<StoryPageRequest>,
    between: () => Promise<void> = async () => {},
  ): Promise<number[]> {
    const ids: number[] = [];
    for (let token: string | undefined; ; ) {
      const read = await page({ ...ask, ...(token === undefined ? {} : { page: token }) });
      ids.push(...idsOf(read));
      if (read.next === null) return ids;
      token = read.next;
      await between();
    }
  }

  it('E7 gives each timespan its stories by score, at most 2000 to a guest', async () => {
    const stories = sampleStories(2600, NOW, 500);
    await put(...stories);
    for (const timespan of TIMESPANS) {
      const age = TIMESPAN_AGES_MS[timespan];
      const expected = expectedBest(stories, age === null ? null : NOW - age, 2000);
      expect(await allPages({ timespan, limit: 500 }), timespan).toEqual(expected);
      expect(idsOf(await page({ timespan, limit: 7, skip: 3 }))).toEqual(expected.slice(3, 10));
    }
    expect(idsOf(await page({ skip: 1999, limit: 5 }))).toHaveLength(1);
    expect(await page({ skip: 2000 })).toMatchObject({ stories: [], next: null });
  });

  it('E10 what the worker updates is in every list at once: new, changed and removed stories', async () => {
    const stories = sampleStories(300, NOW, 0.9);
    await put(...stories);
    for (const timespan of TIMESPANS) await page({ timespan });
    const last = expectedBest(stories, null, 300).at(-1) ?? 0;
    await put(
      sampleStory(9999, { time: NOW, score: 99_999 }),
      sampleStory(last, { time: NOW, score: 88_888 }),
    );
    await store.remove([1000]);
    for (const timespan of TIMESPANS) {
      const ids = idsOf(await page({ timespan }));
      expect(ids.slice(0, 2), timespan).toEqual([9999, last]);
      expect(ids).not.toContain(1000);
      expect(ids).toHaveLength(300);
    }
  });

  it('E7 a story that is too old leaves a list without a new ranking', async () => {
    await put(sampleStory(1, { time: NOW - DAY + MINUTE }), sampleStory(2, { time: NOW }));
    expect(idsOf(await page({ timespan: 'Day' }))).toEqual([2, 1]);
    await clock.jump(2 * MINUTE);
    expect(idsOf(await page({ timespan: 'Day' }))).toEqual([2]);
    expect(lists.counts.ranked).toBe(1);
  });

  it('E11 a user who hid the whole list and more still gets full pages', async () => {
    open(100);
    const stories = sampleStories(3000, NOW, 20);
    await put(...stories);
    const order = expectedBest(stories, null, 3000);
    await reader.hide('ann', order.slice(0, 2700));
    expect(await allPages({ username: 'ann', limit: 50 })).toEqual(order.slice(2700));
    expect(await allPages({ limit: 50 })).toEqual(order.slice(0, 100));
    // Hiding a story just read does not remove any from the next page.
    const first = await page({ username: 'ann', limit: 50 });
    await reader.hide('ann', idsOf(first));
    expect(idsOf(await page({ username: 'ann', limit: 50, page: first.next ?? '' }))).toEqual(
      order.slice(2750, 2800),
    );
    expect(idsOf(await page({ username: 'ann', limit: 10 }))).toEqual(order.slice(2750, 2760));
    // Unhidden stories are back.
    await reader.unhide('ann', [order[5] ?? 0, order[2760] ?? 0]);
    expect(idsOf(await page({ username: 'ann', limit: 3 }))).toEqual([order[5], ...order.slice(2750, 2752)]);
  });

  it('E10 a user’s list is as fresh as the shared one', async () => {
    open(100);
    const stories = sampleStories(500, NOW, 0.9);
    await put(...stories);
    const order = expectedBest(stories, null, 500);
    await reader.hide('ann', order.slice(0, 300));
    for (const timespan of TIMESPANS) await page({ username: 'ann', timespan, limit: 20 });
    const hidden = order[10] ?? 0;
    await put(
      sampleStory(9999, { time: NOW, score: 99_999 }),
      sampleStory(order[450] ?? 0, { time: NOW, score: 77_777 }),
      sampleStory(hidden, { time: NOW, score: 88_888 }),
    );
    for (const timespan of TIMESPANS) {
      const ids = idsOf(await page({ username: 'ann', timespan, limit: 20 }));
      expect(ids.slice(0, 3)).toEqual([9999, order[450], order[300]]);
    }
  });

  it('E7 pages of one list neither repeat nor leave out a story while scores change', async () => {
    open(400);
    const next = seededRandom(7);
    let stories = sampleStories(600, NOW, 6);
    await put(...stories);
    await reader.hide('ann', expectedBest(stories, null, 150));
    const changeScores = async (): Promise<void> => {
      const some = stories.map((one) =>
        next() < 0.3 ? { ...one, score: Math.floor(next() * 2000), updated: NOW + 1 } : one,
      );
      await put(
        ...some,
        sampleStory(50_000 + Math.floor(next() * 1e6), { time: NOW, score: Math.floor(next() * 2000) }),
      );
      await store.remove([1000 + Math.floor(next() * 600)]);
      stories = some;
      await clock.jump(5 * MINUTE);
    };
    for (const username of [undefined, 'ann'])
      for (const timespan of ['Week', 'All'] as const) {
        const who = username === undefined ? {} : { username };
        const whole = idsOf(await page({ timespan, limit: 500, ...who }));
        const pinned = await page({ timespan, limit: 1, ...who });
        expect((await allPages({ timespan, limit: 37, ...who }, changeScores)).slice(0, 500)).toEqual(whole);
        // The same by skipping in the pinned list.
        const skipped = await page({ timespan, limit: 100, skip: 200, page: pinned.list, ...who });
        expect(idsOf(skipped)).toEqual(whole.slice(200, 300));
      }
  });

  it('a page token works in another replica and after a restart', async () => {
    const stories = sampleStories(200, NOW, 6);
    await put(...stories);
    const whole = expectedBest(stories, null, 200);
    const first = await page({ limit: 50 });
    await put(...stories.map((one) => ({ ...one, score: one.score + (one.id % 90) })));
    open(2000);
    expect(idsOf(await page({ limit: 150, page: first.next ?? '' }))).toEqual(whole.slice(50));
    open(2000);
    expect(idsOf(await page({ limit: 150, page: first.next ?? '', username: 'ann' }))).toEqual(
      whole.slice(50),
    );
  });

  it('distinguishes page tokens of another list, invalid ones and expired ones', async () => {
    await put(...sampleStories(20, NOW, 0.5));
    const { list } = await page({ timespan: 'Day', limit: 5 });
    expect(await reader.page({ timespan: 'Week', limit: 5, page: list })).toEqual({ outcome: 'not_a_page' });
    for (const nonsense of ['', 'x', '!!', Buffer.from('[1]').toString('base64url'), `A${list}`])
      expect(await reader.page({ timespan: 'Day', limit: 5, page: nonsense }), nonsense).toEqual({
        outcome: 'not_a_page',
      });
    await clock.jump(7 * HOUR);
    expect(await reader.page({ timespan: 'Day', limit: 5, page: list })).toEqual({ outcome: 'gone' });
  });

  it('E8 many equal requests at once rank a list once; after its time to live it is ranked again', async () => {
    await put(...sampleStories(50, NOW, 0.5));
    await Promise.all(Array.from({ length: 40 }, () => page({ timespan: 'Day' })));
    expect(lists.counts.ranked).toBe(1);
    await clock.jump(29 * MINUTE);
    await page({ timespan: 'Day' });
    expect(lists.counts.ranked).toBe(1);
    await clock.jump(2 * MINUTE);
    await page({ timespan: 'Day' });
    expect(lists.counts.ranked).toBe(2);
    await lists.clear();
    await page({ timespan: 'Day' });
    expect(lists.counts.ranked).toBe(3);
  });

  it('E14 stories with empty fields, future times or huge titles break no page', async () => {
    await put(
      sampleStory(1, { by: '', title: '', url: '', score: 0, time: NOW }),
      sampleStory(2, { time: NOW + 900 * DAY, score: 5 }),
      sampleStory(3, { time: NOW, title: 'x'.repeat(100_000), score: 3 }),
      sampleStory(2 ** 33, { time: NOW, score: 4 }),
    );
    for (const timespan of TIMESPANS) expect(idsOf(await page({ timespan }))).toEqual([2, 2 ** 33, 3, 1]);
  });

  it('orders a page by rank', async () => {
    const stories = sampleStories(300, NOW, 3);
    await put(...stories);
    const { stories: read } = await page();
    expect([...read].sort(byRank)).toEqual(read);
  });
});
