import { type DocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import { expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import {
  expectedBest,
  ScriptedApi,
  sampleStories,
  sampleStory,
} from '../../stories/contract/sample-stories.ts';
import { type Story, TIMESPANS, type Timespan } from '../../stories/story.ts';
import { StoryLists, TIMESPAN_AGES_MS } from '../../stories/story-lists.ts';
import { StoryReader } from '../../stories/story-reader.ts';
import { StorySync } from '../../stories/story-sync.ts';
import { createEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { silentMetrics } from '../../telemetry/metrics.ts';
import { systemClock } from '../../time/clock.ts';
import { DAY, HOUR, MINUTE } from '../../time/duration.ts';
import { type DocumentPath, FirestoreConnection, type FirestoreOptions } from './connection.ts';
import { FirestoreStoryStore, openHiddenStories } from './story-store.ts';
import { measureUsage, type Usage } from './usage.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const TIMES = { Day: 30 * MINUTE, Week: 2 * DAY, Month: 7 * DAY, Year: 30 * DAY, All: 30 * DAY };
const TIERS = [
  { youngerThan: DAY, after: HOUR },
  { youngerThan: 7 * DAY, after: 6 * HOUR },
  { youngerThan: 30 * DAY, after: 48 * HOUR },
];

requires('gcloud')('lists on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');

  /** The emulator stamps what is written with the present; documents of long ago are made on reading. */
  class AgedReads extends FirestoreConnection {
    readonly #by: { readonly readsAged: number };
    constructor(by: { readonly readsAged: number }, options: FirestoreOptions) {
      super(options);
      this.#by = by;
    }
    override async get(place: DocumentPath): Promise<DocumentSnapshot> {
      const snapshot = await super.get(place);
      const { updateTime } = snapshot;
      if (updateTime === undefined || this.#by.readsAged === 0) return snapshot;
      const written = Timestamp.fromMillis(updateTime.toMillis() - this.#by.readsAged);
      return new Proxy(snapshot, {
        get(target, name) {
          if (name === 'updateTime') return written;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    }
  }

  /** One replica. Its clock is the real one, and can be set forward. */
  class Replica {
    ahead = 0;
    /** Documents seem to have been written this much earlier. */
    readsAged = 0;
    readonly operations: string[] = [];
    readonly connection: FirestoreConnection;
    readonly store: FirestoreStoryStore;
    readonly lists: StoryLists;
    readonly reader: StoryReader;
    readonly api = new ScriptedApi();
    readonly sync: StorySync;

    constructor(project: string, size = 2000) {
      const clock = {
        ...systemClock,
        now: () => systemClock.now() + this.ahead,
        monotonic: () => systemClock.monotonic() + this.ahead,
      };
      const silent = createEvents(silentLogger, silentMetrics);
      const events = {
        ...silent,
        firestoreCalled: (event: { operation: string }) => void this.operations.push(event.operation),
      };
      this.connection = new AgedReads(this, { project, emulator: emulator.host, clock, events });
      const prefix = 'ci-';
      const hidden = openHiddenStories(this.connection, prefix, clock);
      this.store = new FirestoreStoryStore({
        connection: this.connection,
        prefix,
        set: 'hackernews',
        clock,
        hidden,
      });
      this.lists = new StoryLists({ store: this.store, clock, timesToLive: TIMES, size });
      this.reader = new StoryReader({ set: 'hackernews', store: this.store, lists: this.lists, clock });
      const settings = { tiers: TIERS, limit: 200 };
      this.sync = new StorySync({ store: this.store, lists: this.lists, api: this.api, clock, settings });
    }

    async put(...stories: Story[]): Promise<void> {
      await this.store.upsert(stories.map((one) => ({ story: one, before: null })));
    }

    async ids(
      timespan: Timespan,
      ask: { limit?: number; username?: string; page?: string } = {},
    ): Promise<number[]> {
      return (await this.read(timespan, ask)).ids;
    }

    async read(
      timespan: Timespan,
      ask: { limit?: number; username?: string; page?: string } = {},
    ): Promise<{ ids: number[]; next: string | null; used: Usage }> {
      const { value, used } = await measureUsage(() => this.reader.page({ timespan, limit: 500, ...ask }));
      if (value.outcome !== 'page') throw new Error(value.outcome);
      return { ids: value.page.stories.map(({ id }) => id), next: value.page.next, used };
    }
  }

  async function withReplicas(work: (open: (size?: number) => Replica) => Promise<void>): Promise<void> {
    const project = freshProject();
    const opened: Replica[] = [];
    try {
      await work((size) => {
        const replica = new Replica(project, size);
        opened.push(replica);
        return replica;
      });
    } finally {
      for (const { connection } of opened) await connection[Symbol.asyncDispose]();
    }
  }

  it('E7 E8 E9 both query paths; then a cold start costs one document read, and the next request none', () =>
    withReplicas(async (open) => {
      const now = Date.now();
      const first = open();
      const stories = sampleStories(900, now - MINUTE, 500);
      await first.put(...stories);
      for (const timespan of TIMESPANS) {
        const age = TIMESPAN_AGES_MS[timespan];
        expect(await first.ids(timespan), timespan).toEqual(
          expectedBest(stories, age === null ? null : now - age, 500),
        );
      }
      expect(first.lists.counts).toMatchObject({ ranked: 5, read: 0 });
      for (const timespan of ['Year', 'All', 'Day'] as const) {
        const cold = open();
        const { ids, used } = await cold.read(timespan);
        expect(used, timespan).toEqual({ reads: 1, writes: 0, deletes: 0 });
        expect(ids).toEqual(await first.ids(timespan));
        expect((await cold.read(timespan)).used).toEqual({ reads: 0, writes: 0, deletes: 0 });
        expect(cold.lists.counts).toMatchObject({ ranked: 0, read: 1 });
      }
    }));

  it('E8 lists expire after their time to live, concurrent requests rank once, and clearing empties both layers', () =>
    withReplicas(async (open) => {
      const replica = open();
      await replica.put(...sampleStories(30, Date.now() - MINUTE, 0.5));
      await Promise.all(Array.from({ length: 20 }, () => replica.ids('Day')));
      expect(replica.lists.counts.ranked).toBe(1);
      replica.ahead = 29 * MINUTE;
      await replica.ids('Day');
      expect(replica.lists.counts.ranked).toBe(1);
      replica.ahead = 31 * MINUTE;
      await replica.ids('Day');
      expect(replica.lists.counts.ranked).toBe(2);
      await replica.lists.clear();
      expect(await replica.store.abilities.cache?.get('Day')).toBeNull();
      await replica.ids('Day');
      expect(replica.lists.counts.ranked).toBe(3);
    }));

  it('E8 the day’s stories are merged into every other list, also when another program wrote them', () =>
    withReplicas(async (open) => {
      const replica = open();
      await replica.put(...sampleStories(30, Date.now() - MINUTE, 0.5));
      await replica.ids('Year');
      // Past every feed: as the original program's worker writes.
      const { storyData, loadToTimestamp: toTimestamp } = await import('./story-documents.ts');
      const foreign = sampleStory(77_777, { time: Date.now(), score: 5000, updated: Date.now() });
      const data = storyData(foreign, await toTimestamp());
      await replica.connection.commit([{ do: 'set', at: ['ci-stories', '0000077777'], data }]);
      expect((await replica.ids('Year'))[0]).not.toBe(77_777);
      expect((await replica.ids('Day'))[0]).toBe(77_777);
      expect((await replica.ids('Year'))[0]).toBe(77_777);
    }));

  /** A cache document and stories as the original program writes them: only its own fields. */
  async function writeOriginals(
    replica: Replica,
    cached: { readonly timespan: Timespan; readonly stories: readonly Story[]; readonly cachedAt: number },
    stories: readonly Story[] = [],
  ): Promise<void> {
    const { listedData, storyData, loadToTimestamp: toTimestamp } = await import('./story-documents.ts');
    const timestamp = await toTimestamp();
    const data = { stories: cached.stories.map(listedData), cachedAt: cached.cachedAt };
    await replica.connection.commit([
      { do: 'set', at: ['ci-cache', cached.timespan], data },
      ...stories.map((one) => ({
        do: 'set' as const,
        at: ['ci-stories', String(one.id).padStart(10, '0')] as const,
        data: storyData(one, timestamp),
      })),
    ]);
  }

  it('E8 E9 X22 a list that the original program cached gets the day’s stories at once, until it expires', () =>
    withReplicas(async (open) => {
      const now = Date.now();
      const [known, fresh, unlisted] = [
        sampleStory(1, { score: 500, time: now - 3 * DAY }),
        sampleStory(2, { score: 900, time: now - HOUR }),
        sampleStory(3, { score: 700, time: now - 2 * DAY }),
      ];
      const writer = open();
      const cached = { timespan: 'Week', stories: [known], cachedAt: now - MINUTE } as const;
      await writeOriginals(writer, cached, [known, fresh, unlisted]);
      const cold = open();
      const first = await cold.read('Week');
      expect(first.ids).toEqual([2, 1]);
      // Its own document, and the story of the day: nothing of the rest of the week.
      expect(cold.lists.counts).toMatchObject({ read: 1, ranked: 1 });
      expect((await cold.read('Week')).used.reads).toBe(0);
      const [day, week] = [open(), open()];
      expect(await day.ids('Day')).toEqual([2]);
      expect((await week.read('Week')).used).toEqual({ reads: 2, writes: 0, deletes: 0 });

      const late = open();
      late.ahead = 2 * DAY - MINUTE;
      expect(await late.ids('Week')).toEqual([2, 3, 1]);
    }));

  it('E8 stories of another program are merged in when the day’s list expires', () =>
    withReplicas(async (open) => {
      const now = Date.now();
      const replica = open();
      await replica.put(sampleStory(1, { score: 5, time: now - 2 * DAY }));
      expect(await replica.ids('Month')).toEqual([1]);
      const beside = { timespan: 'Year', stories: [], cachedAt: 0 } as const;
      await writeOriginals(replica, beside, [sampleStory(2, { score: 9, time: now - HOUR })]);
      replica.ahead = 29 * MINUTE;
      expect(await replica.ids('Month')).toEqual([1]);
      replica.ahead = 31 * MINUTE;
      expect(await replica.ids('Month')).toEqual([2, 1]);
      expect(replica.lists.counts.ranked).toBe(2);
    }));

  it('E4 E8 cachedAt is the time of writing; a rewritten list still expires after its original time to live', () =>
    withReplicas(async (open) => {
      const replica = open();
      const now = Date.now();
      await replica.put(...sampleStories(5, now - MINUTE, 0.5).map((one) => ({ ...one, updated: now })));
      await replica.ids('Week');
      const stored = async () =>
        (await replica.connection.get(['ci-cache', 'Week'])).get('cachedAt') as number;
      const first = await stored();
      replica.ahead = 2 * DAY - HOUR;
      replica.api.newestIds = [60_000];
      replica.api.stories$.set(60_000, { score: 70_000, time: now });
      const written = now + replica.ahead;
      await replica.sync.run(new AbortController().signal);
      expect(first).toBeLessThan(written);
      expect(await stored()).toBeGreaterThanOrEqual(written);
      const cold = open();
      cold.ahead = 2 * DAY + MINUTE;
      await cold.ids('Week');
      expect(cold.lists.counts.read).toBe(0);
    }));

  it('E10 X22 updates of the worker are at once in a list that the original program cached days ago', () =>
    withReplicas(async (open) => {
      const now = Date.now();
      const old = sampleStory(5, { score: 10, time: now - 3 * DAY, updated: now - DAY });
      const other = sampleStory(6, { score: 50, time: now - 4 * DAY, updated: now });
      const worker = open();
      const cached = { timespan: 'Year', stories: [other, old], cachedAt: now - 5 * DAY } as const;
      await writeOriginals(worker, cached, [old, other]);
      worker.readsAged = 5 * DAY;
      worker.api.newestIds = [6];
      worker.api.stories$.set(5, { score: 90, time: old.time });
      expect(await worker.sync.run(new AbortController().signal)).toMatchObject({ refreshed: 1 });
      expect(await worker.ids('Year')).toEqual([5, 6]);
      expect(await open().ids('Year')).toEqual([5, 6]);
    }));

  it('E10 updates of the worker are in every list of its replica at once, and in other replicas after a minute', () =>
    withReplicas(async (open) => {
      const [worker, reader] = [open(), open()];
      const now = Date.now();
      const old = { time: now - 3 * HOUR, updated: now - 2 * HOUR };
      await worker.put(
        ...sampleStories(40, now - MINUTE, 0.5),
        sampleStory(5, { ...old, score: 1 }),
        sampleStory(6, { ...old, score: 2 }),
      );
      for (const timespan of TIMESPANS) await worker.ids(timespan);
      for (const timespan of TIMESPANS) await reader.ids(timespan);
      worker.api.newestIds = [60_000];
      worker.api.stories$.set(60_000, { score: 70_000, time: now });
      worker.api.stories$.set(5, { score: 90_000, time: old.time });
      worker.api.stories$.set(6, 'gone');
      expect(await worker.sync.run(new AbortController().signal)).toMatchObject({
        added: 1,
        refreshed: 1,
        removed: 1,
      });
      for (const timespan of TIMESPANS) {
        const ids = await worker.ids(timespan);
        expect(ids.slice(0, 2), timespan).toEqual([5, 60_000]);
        expect(ids).not.toContain(6);
      }
      reader.ahead = MINUTE + 1;
      for (const timespan of TIMESPANS) {
        const ids = await reader.ids(timespan);
        expect(ids.slice(0, 2), timespan).toEqual([5, 60_000]);
        expect(ids).not.toContain(6);
      }
      // A replica that starts now reads one document and has it.
      const cold = open();
      const { ids, used } = await cold.read('Month');
      expect(ids.slice(0, 2)).toEqual([5, 60_000]);
      expect(used.reads).toBe(1);
      expect(worker.lists.counts.ranked).toBe(5);
    }));

  it('E13 a run with nothing new and nothing stale makes four queries, reads its state and writes nothing', () =>
    withReplicas(async (open) => {
      const replica = open();
      const now = Date.now();
      await replica.put(...sampleStories(20, now - MINUTE, 0.5).map((one) => ({ ...one, updated: now })));
      const latest = await replica.store.latestId();
      replica.api.newestIds = [latest ?? 0];
      replica.operations.length = 0;
      const { value, used } = await measureUsage(() => replica.sync.run(new AbortController().signal));
      expect(value).toMatchObject({ added: 0, refreshed: 0, removed: 0, waiting: 0 });
      expect(replica.operations.filter((operation) => operation === 'query')).toHaveLength(4);
      expect(replica.operations.filter((operation) => operation !== 'query')).toEqual(['getAll']);
      expect(used).toEqual({ reads: 5, writes: 0, deletes: 0 });
    }));

  it('E11 a user who hid all of a list still gets full pages, and each hidden story is read once', () =>
    withReplicas(async (open) => {
      const replica = open(100);
      const stories = sampleStories(400, Date.now() - MINUTE, 5);
      await replica.put(...stories);
      const order = expectedBest(stories, null, 400);
      await replica.reader.hide('ann', order.slice(0, 250));
      const first = await replica.read('All', { username: 'ann', limit: 40 });
      expect(first.ids).toEqual(order.slice(250, 290));
      expect(await replica.ids('Week', { username: 'ann', limit: 40 })).toEqual(order.slice(250, 290));
      expect((await replica.read('All', { username: 'ann', limit: 40 })).used.reads).toBe(0);
      expect(await replica.ids('All', { username: 'ann', limit: 40, page: first.next ?? '' })).toEqual(
        order.slice(290, 330),
      );
      expect(await replica.ids('All', { limit: 500 })).toEqual(order.slice(0, 100));
    }));

  it('E7 the next page continues the same list in another replica, despite changes meanwhile', () =>
    withReplicas(async (open) => {
      const [one, other] = [open(), open()];
      const stories = sampleStories(120, Date.now() - MINUTE, 5);
      await one.put(...stories);
      const whole = await one.ids('All');
      const first = await one.read('All', { limit: 50 });
      await one.store.upsert(
        stories.map((before) => ({ before, story: { ...before, score: before.score + (before.id % 77) } })),
      );
      await one.lists.publishChanges();
      expect(await other.ids('All', { page: first.next ?? '' })).toEqual(whole.slice(50));
      expect(await one.ids('All', { page: first.next ?? '' })).toEqual(whole.slice(50));
      expect(await one.ids('All')).not.toEqual(whole);
    }));
});
