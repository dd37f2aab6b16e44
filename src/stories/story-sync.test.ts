import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoryFile } from '../storage/sqlite/story-file.ts';
import type { SqliteStoryStore } from '../storage/sqlite/story-store.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { backfillStories } from './backfill.ts';
import { ScriptedApi, sampleStory } from './contract/sample-stories.ts';
import { StoryLists } from './story-lists.ts';
import { StorySync } from './story-sync.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const TIERS = [
  { youngerThan: DAY, after: HOUR },
  { youngerThan: 7 * DAY, after: 6 * HOUR },
  { youngerThan: 30 * DAY, after: 48 * HOUR },
];
const TIMES = { Day: 30 * MINUTE, Week: 2 * DAY, Month: 7 * DAY, Year: 30 * DAY, All: 30 * DAY };

describe('the story worker', () => {
  let clock: ManualClock;
  let file: StoryFile;
  let store: SqliteStoryStore;
  let api: ScriptedApi;
  let sync: StorySync;
  let lists: StoryLists;
  const never = new AbortController().signal;
  beforeEach(async () => {
    clock = new ManualClock(NOW);
    file = StoryFile.open(':memory:', clock);
    store = await file.storeOf('hackernews');
    api = new ScriptedApi();
    lists = new StoryLists({ store, clock, timesToLive: TIMES, size: 2000 });
    sync = new StorySync({ store, lists, api, clock, settings: { tiers: TIERS, limit: 200 } });
  });
  afterEach(async () => {
    await file[Symbol.asyncDispose]();
  });
  const stored = async (): Promise<number[]> => {
    const { stories } = await store.ranking(null, 5000);
    return stories.map(({ id }) => id).sort((a, b) => a - b);
  };
  const addStories = (from: number, to: number): number[] => {
    const ids = Array.from({ length: to - from + 1 }, (_, n) => from + n);
    for (const id of ids) api.stories$.set(id, {});
    return ids;
  };

  it('E13 starts with the newest and the popular stories, then fetches those newer than the newest known ID', async () => {
    api.newestIds = addStories(100, 120);
    api.likedIds = addStories(50, 60);
    expect(await sync.run(never)).toMatchObject({ added: 32, trouble: null });
    api.newestIds = addStories(105, 125);
    api.requested.length = 0;
    expect(await sync.run(never)).toMatchObject({ added: 5 });
    expect(api.requested).toEqual([121, 122, 123, 124, 125]);
    expect(await store.latestId()).toBe(125);
  });

  it('E14 after a downtime, fetches by ID the stories that are no longer in the list of newest', async () => {
    api.newestIds = addStories(100, 105);
    await sync.run(never);
    addStories(106, 500);
    for (let id = 106; id < 500; id += 3) api.stories$.set(id, 'gone');
    api.newestIds = [490, 491, 493];
    await sync.run(never);
    const ids = await stored();
    expect(ids).toContain(107);
    expect(ids).toContain(488);
    expect(ids).not.toContain(106);
    expect(ids.filter((id) => id > 105 && id < 490)).toHaveLength(256);
  });

  it('E14 the next run fetches stories that were missing, incomplete or failed', async () => {
    api.newestIds = addStories(100, 110);
    for (const [id, what] of [
      [103, 'missing'],
      [104, 'failed'],
      [105, 'gone'],
    ] as const)
      api.stories$.set(id, what);
    expect(await sync.run(never)).toMatchObject({ added: 8, waiting: 2, failed: 1, trouble: 'timed out' });
    addStories(103, 105);
    api.requested.length = 0;
    expect(await sync.run(never)).toMatchObject({ added: 2, waiting: 0, trouble: null });
    expect(api.requested).toEqual([103, 104]);
    expect(await stored()).toEqual([100, 101, 102, 103, 104, 106, 107, 108, 109, 110]);
    api.requested.length = 0;
    await sync.run(never);
    expect(api.requested).toEqual([]);
  });

  it('E13 E14 stories that always fail do not block the refresh of others, and are retried', async () => {
    const settings = { tiers: TIERS.slice(0, 1), limit: 4 };
    const ids = Array.from({ length: 14 }, (_, n) => 10 + n);
    const time = NOW - 6 * HOUR;
    await store.upsert(
      ids.map((id) => ({ story: sampleStory(id, { time, updated: NOW - 5 * HOUR + id * MINUTE }) })),
    );
    // The stalest.
    const failing = ids.slice(0, 6);
    for (const id of ids) api.stories$.set(id, failing.includes(id) ? 'failed' : { score: 500, time });
    const synced = async (): Promise<number[]> =>
      (await store.find(ids)).filter(({ updated }) => updated >= NOW).map(({ id }) => id);
    const runs = async (count: number): Promise<void> => {
      // Each run is in a new process.
      for (let run = 0; run < count; run++)
        await new StorySync({ store, lists, api, clock, settings }).run(never);
    };
    await runs(8);
    expect((await synced()).toSorted()).toEqual(ids.slice(6));
    for (const id of failing) api.stories$.set(id, { score: 500, time });
    await runs(2);
    expect((await synced()).toSorted()).toEqual(ids);
    expect((await store.loadSyncState())?.failing).toEqual([]);
  });

  it('E13 refreshes the three tiers, each at most its limit, the stalest first, and nothing else', async () => {
    sync = new StorySync({ store, lists, api, clock, settings: { tiers: TIERS, limit: 3 } });
    const ages = [
      // Of the day: four are stale, three are refreshed.
      ...[2, 3, 4, 5].map((hours, n) => ({ id: 10 + n, time: NOW - 6 * HOUR, updated: NOW - hours * HOUR })),
      { id: 15, time: NOW - 6 * HOUR, updated: NOW - 30 * MINUTE },
      // Of the week.
      { id: 20, time: NOW - 3 * DAY, updated: NOW - 7 * HOUR },
      { id: 21, time: NOW - 3 * DAY, updated: NOW - 5 * HOUR },
      // Of the month.
      { id: 30, time: NOW - 20 * DAY, updated: NOW - 49 * HOUR },
      { id: 31, time: NOW - 20 * DAY, updated: NOW - 47 * HOUR },
      { id: 40, time: NOW - 40 * DAY, updated: NOW - 90 * DAY },
    ];
    await store.upsert(ages.map((one) => ({ story: sampleStory(one.id, one) })));
    for (const { id, time } of ages) api.stories$.set(id, { score: 500, time });
    expect(await sync.run(never)).toMatchObject({ refreshed: 5, added: 0 });
    expect(api.requested).toEqual([13, 12, 11, 20, 30].toSorted((a, b) => order(a) - order(b)));
    const scores = await store.find([10, 13, 20, 30, 40]);
    expect(scores.filter(({ score }) => score === 500).map(({ id }) => id)).toEqual([13, 20, 30]);
  });
  const order = (id: number): number => [13, 12, 11, 20, 30].indexOf(id);

  it('E10 refreshed scores are in every list at once', async () => {
    await store.upsert([
      { story: sampleStory(1, { time: NOW - HOUR, updated: NOW - 2 * HOUR, score: 1 }) },
      { story: sampleStory(2, { time: NOW - HOUR, updated: NOW, score: 50 }) },
    ]);
    for (const timespan of ['Day', 'Year'] as const)
      expect((await lists.list(timespan)).list.entries[0]?.id).toBe(2);
    api.stories$.set(1, { score: 900, time: NOW - HOUR });
    await sync.run(never);
    for (const timespan of ['Day', 'Year'] as const)
      expect((await lists.list(timespan)).list.entries[0]).toMatchObject({ id: 1, score: 900 });
    expect(lists.counts.ranked).toBe(2);
  });

  it('E14 removes a deleted or dead story; keeps one missing from the API until its next refresh', async () => {
    const stale = { time: NOW - HOUR, updated: NOW - 2 * HOUR };
    await store.upsert([1, 2, 3].map((id) => ({ story: sampleStory(id, stale) })));
    api.stories$.set(1, 'gone');
    api.stories$.set(2, 'missing');
    api.stories$.set(3, 'failed');
    expect(await sync.run(never)).toMatchObject({ removed: 1, refreshed: 1, failed: 1 });
    expect(await stored()).toEqual([2, 3]);
    api.requested.length = 0;
    await sync.run(never);
    expect(api.requested).toEqual([3]);
  });

  it('E14 continues after a kill at any moment and loses nothing', async () => {
    api.newestIds = addStories(100, 105);
    await sync.run(never);
    addStories(106, 700);
    api.newestIds = addStories(600, 700);
    for (const killAt of [1, 3, 5, 8]) {
      let batches = 0;
      api.before = () => {
        if (++batches === killAt) throw new Error('killed');
      };
      await expect(sync.run(never)).rejects.toThrow('killed');
    }
    api.before = () => {};
    await sync.run(never);
    expect((await stored()).filter((id) => id >= 100)).toHaveLength(601);
  });

  it('E14 an unreachable API is reported and changes nothing', async () => {
    api.unreachable = true;
    expect(await sync.run(never)).toMatchObject({ added: 0, trouble: 'the API is unreachable' });
    expect(await store.latestId()).toBeNull();
  });

  it('reports progress, and stops on abort', async () => {
    api.newestIds = addStories(1, 120);
    const seen: string[] = [];
    await sync.run(never, ({ stage, done, total }) => seen.push(`${stage} ${done}/${total}`));
    expect(seen).toEqual(['new stories 50/120', 'new stories 100/120', 'new stories 120/120']);
    api.newestIds = addStories(1, 300);
    const stop = new AbortController();
    await expect(sync.run(stop.signal, () => stop.abort(new Error('enough')))).rejects.toThrow('enough');
    expect((await stored()).length).toBe(170);
  });

  describe('a backfill', () => {
    it('fetches every story of a range, estimates the time left, and continues where it was stopped', async () => {
      addStories(1, 1000);
      api.highestId = 900;
      const stop = new AbortController();
      const parts = { store, lists, api, clock };
      const seen: number[] = [];
      const first = await backfillStories(
        parts,
        { from: 101, to: 2000 },
        stop.signal,
        ({ done, total, leftMs }) => {
          seen.push(done / total);
          expect(leftMs).toBeGreaterThanOrEqual(0);
          if (done >= 400) stop.abort();
        },
      );
      expect(first).toMatchObject({ outcome: 'stopped', next: 501, tally: { added: 400 } });
      expect(seen).toEqual([0.25, 0.5]);
      api.requested.length = 0;
      const second = await backfillStories(parts, { from: 101, to: 2000 }, never);
      expect(second).toMatchObject({ outcome: 'done', next: 901 });
      expect(api.requested[0]).toBe(501);
      expect(await stored()).toHaveLength(800);
      api.requested.length = 0;
      await backfillStories(parts, { from: 101, to: 110 }, never);
      expect(api.requested).toHaveLength(10);
    });

    it('stops before failed IDs, and refuses a range beyond the highest ID', async () => {
      addStories(1, 1000);
      api.highestId = 1000;
      api.stories$.set(350, 'failed');
      const parts = { store, lists, api, clock };
      expect(await backfillStories(parts, { from: 1, to: 1000 }, never)).toMatchObject({
        outcome: 'stopped',
        next: 201,
        tally: { failed: 1, trouble: 'timed out' },
      });
      addStories(350, 350);
      expect(await backfillStories(parts, { from: 1, to: 1000 }, never)).toMatchObject({ outcome: 'done' });
      expect(await stored()).toHaveLength(1000);
      expect(await backfillStories(parts, { from: 5000, to: 6000 }, never)).toMatchObject({
        outcome: 'refused',
      });
      api.unreachable = true;
      expect(await backfillStories(parts, { from: 1, to: 5 }, never)).toMatchObject({ outcome: 'refused' });
    });
  });
});
