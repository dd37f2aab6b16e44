import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryTimelineStore } from '../storage/memory/timeline-store.ts';
import {
  createMemoryTimelineBackend,
  MemoryPullAuthors,
  MemoryReceivedDrops,
} from '../storage/memory/timelines.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { createTimelineOrigin, type TimelineOrigin } from './origin.ts';
import { TimelinePager } from './paging.ts';
import { TimelineRebuilder } from './rebuild.ts';
import { homeTimeline } from './timeline-store.ts';

describe('pages of a timeline', () => {
  const clock = new ManualClock();
  let social: SqliteSocialStore;
  let store: MemoryTimelineStore;
  let origin: TimelineOrigin;
  let pages: TimelinePager;
  let author: string;

  beforeEach(async () => {
    social = SqliteSocialStore.open({ path: ':memory:', clock });
    store = createMemoryTimelineBackend({ clock, log: silentLogger, cap: 10 }).store;
    origin = createTimelineOrigin(social, social, social, new MemoryReceivedDrops(10));
    build();
    author = (await social.addUser({ name: 'a', displayName: 'A', kind: 'pipeline' })).id;
  });
  afterEach(async () => {
    await social[Symbol.asyncDispose]();
  });

  function build(): void {
    pages = new TimelinePager({
      store,
      posts: social,
      origin,
      rebuilds: new TimelineRebuilder({
        store,
        origin,
        pullAuthors: new MemoryPullAuthors(),
        clock,
        cap: 10,
      }),
    });
  }

  async function post(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++)
      ids.push((await social.post({ userId: author, visibility: 'public', text: `${i}` })).drop.id);
    return ids;
  }

  it('C14 has 20 drops by default, and at most 100', async () => {
    await post(120);
    const page = await pages.page('timeline:local');
    expect(page.ok && page.page.entries.length).toBe(20);
    const large = await pages.page('timeline:local', { limit: 100 });
    expect(large.ok && large.page.entries.length).toBe(100);
  });

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 101 }],
    ['limit', { limit: 1.5 }],
    ['since_id', { sinceId: 'yesterday' }],
    ['max_id', { maxId: '' }],
  ])('C19 names the field %s when %j makes no sense', async (field, ask) => {
    expect(await pages.page('timeline:local', ask)).toMatchObject({ ok: false, field });
  });

  it('C15 an empty timeline has a cursor for later requests', async () => {
    const empty = await pages.page('timeline:local');
    expect(empty).toEqual({
      ok: true,
      page: { entries: [], older: null, newer: expect.stringMatching(/^0_~\w+\.0$/) },
    });
    const [id = ''] = await post(1);
    await store.add({ id, createdAt: clock.now() }, ['timeline:local']);
    const page = empty.ok ? await pages.page('timeline:local', { sinceId: empty.page.newer }) : empty;
    expect(page.ok && page.page.entries.map((entry) => entry.id)).toEqual([id]);
  });

  it('C16 one rebuild serves all concurrent readers', async () => {
    await post(5);
    let reads = 0;
    const real = origin;
    origin = {
      ...real,
      read: (...ask) => {
        reads += 1;
        return real.read(...ask);
      },
    };
    build();
    const asked = Array.from({ length: 20 }, () => pages.page(homeTimeline(author), { limit: 5 }));
    for (const answer of await Promise.all(asked)) expect(answer.ok && answer.page.entries.length).toBe(5);
    expect(reads).toBe(1);
  });

  it('C16 a drop that is created while the rebuild reads is in it', async () => {
    const [old] = await post(1);
    const real = origin;
    origin = {
      ...real,
      read: async (timeline, page) => {
        const before = await real.read(timeline, page);
        const entry = { id: 'zz', createdAt: clock.now() + 1 };
        expect(await store.add(entry, [timeline])).toEqual([timeline]);
        return before;
      },
    };
    build();
    const answer = await pages.page(homeTimeline(author));
    expect(answer.ok && answer.page.entries.map((entry) => entry.id)).toEqual(['zz', old]);
  });

  it('C16 a failed rebuild leaves no partial timeline and is retried by the next reader', async () => {
    await post(3);
    const real = origin;
    let broken = true;
    origin = {
      ...real,
      read: (...ask) =>
        broken ? Promise.reject(new Error('the post service is unavailable')) : real.read(...ask),
    };
    build();
    await expect(pages.page(homeTimeline(author))).rejects.toThrow('unavailable');
    expect(await store.size(homeTimeline(author))).toBeNull();
    broken = false;
    const answer = await pages.page(homeTimeline(author));
    expect(answer.ok && answer.page.entries.length).toBe(3);
  });

  it('C13 a rebuild restarts if the follows change meanwhile', async () => {
    await post(2);
    const real = origin;
    let reads = 0;
    origin = {
      ...real,
      read: async (timeline, page) => {
        reads += 1;
        const entries = await real.read(timeline, page);
        if (reads === 1) await store.evict(timeline);
        return reads === 1 ? [...entries, { id: 'unfollowed', createdAt: 1 }] : entries;
      },
    };
    build();
    const answer = await pages.page(homeTimeline(author));
    expect(answer.ok && answer.page.entries.some((entry) => entry.id === 'unfollowed')).toBe(false);
    expect(reads).toBe(2);
  });
});
