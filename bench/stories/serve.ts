import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { StoryFile } from '../../src/storage/sqlite/story-file.ts';
import type { SqliteStoryStore } from '../../src/storage/sqlite/story-store.ts';
import { TIMESPANS, type Timespan } from '../../src/stories/story.ts';
import { StoryLists } from '../../src/stories/story-lists.ts';
import { MAX_PAGE_SIZE, StoryReader } from '../../src/stories/story-reader.ts';
import { systemClock } from '../../src/time/clock.ts';
import { DAY, HOUR, MINUTE } from '../../src/time/duration.ts';
import { dice, READER } from './fill.ts';

/** What one process measured while its worker wrote. Milliseconds and megabytes. */
export interface Served {
  /** First pages of the reader who hid many, each request including list and hidden stories. */
  readonly pages: Readonly<Record<Timespan, readonly number[]>>;
  /** The same without a cache: from the index alone. */
  readonly cold: Readonly<Record<Timespan, readonly number[]>>;
  /** The very first page of all time, past everything that was hidden. */
  readonly first: number;
  readonly longestBlock: number;
  readonly resident: number;
  readonly written: number;
}

const TIMES = { Day: 30 * MINUTE, Week: 2 * DAY, Month: 7 * DAY, Year: 30 * DAY, All: 30 * DAY };

async function serve(path: string, seconds: number): Promise<Served> {
  const file = StoryFile.open(path, systemClock);
  const store = await file.storeOf('hackernews');
  const lists = new StoryLists({ store, clock: systemClock, timesToLive: TIMES, size: 2000 });
  const reader = new StoryReader({ set: 'hackernews', store, lists, clock: systemClock });
  const page = async (timespan: Timespan): Promise<number> => {
    const began = performance.now();
    const answer = await reader.page({ timespan, limit: MAX_PAGE_SIZE, username: READER });
    const ms = performance.now() - began;
    if (answer.outcome !== 'page' || answer.page.stories.length !== MAX_PAGE_SIZE)
      throw new Error(`a page of ${timespan} is not full`);
    return ms;
  };
  const none = (): Record<Timespan, number[]> =>
    Object.fromEntries(TIMESPANS.map((name) => [name, []])) as unknown as Record<Timespan, number[]>;
  const [pages, cold] = [none(), none()];
  const stop = new AbortController();
  const blocks = monitorEventLoopDelay({ resolution: 1 });
  blocks.enable();
  const writing = work(store, stop.signal);
  const first = await page('All');
  let resident = 0;
  const end = performance.now() + seconds * 1000;
  for (let round = 0; performance.now() < end; round++) {
    for (const timespan of TIMESPANS) {
      const ms = await page(timespan);
      if (round > 0) pages[timespan].push(ms);
      await nextTurn();
      if (round % 4 === 0) cold[timespan].push(await fromIndex(store, timespan));
    }
    resident = Math.max(resident, process.memoryUsage.rss());
    await pause(2);
  }
  blocks.disable();
  stop.abort();
  const written = await writing;
  await file[Symbol.asyncDispose]();
  return {
    pages,
    cold,
    first,
    longestBlock: blocks.max / 1e6 - 1,
    resident: resident / 1e6,
    written,
  };
}

/** A first page for a guest, without any list. */
async function fromIndex(store: SqliteStoryStore, timespan: Timespan): Promise<number> {
  const ages = { Day: 1, Week: 7, Month: 30, Year: 365, All: 0 };
  const since = timespan === 'All' ? null : Date.now() - ages[timespan] * DAY;
  const began = performance.now();
  const { stories } = await store.best({ since, after: null, limit: MAX_PAGE_SIZE });
  const ms = performance.now() - began;
  if (stories.length !== MAX_PAGE_SIZE) throw new Error('not a full page');
  return ms;
}

/** The worker, pausing only for the network: new stories, fresh scores of the stalest, statistics. */
async function work(store: SqliteStoryStore, signal: AbortSignal): Promise<number> {
  const next = dice(7);
  let id = ((await store.latestId()) ?? 0) + 1;
  let written = 0;
  while (!signal.aborted) {
    const now = Date.now();
    const fresh = Array.from({ length: 10 }, () => ({
      id: id++,
      by: 'author1',
      descendants: 0,
      kids: [],
      score: 1,
      time: now,
      title: 'A new story',
      url: 'https://example.com/new',
      updated: now,
    }));
    await store.upsert(fresh.map((story) => ({ story, before: null })));
    const stale = await store.stale(now - 30 * DAY, now - HOUR, 200);
    for (let from = 0; from < stale.length && !signal.aborted; from += 50) {
      const batch = stale.slice(from, from + 50);
      await store.upsert(
        batch.map((before) => ({
          before,
          story: { ...before, score: before.score + Math.floor(next() * 40), updated: Date.now() },
        })),
      );
      written += batch.length;
      await pause(10);
    }
    await store.maintain();
  }
  return written;
}

if (import.meta.main) {
  const [path = '', seconds = '10'] = process.argv.slice(2);
  console.log(JSON.stringify(await serve(path, Number(seconds))));
}
