import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleStories, sampleStory } from '../../stories/contract/sample-stories.ts';
import { describeStoryStore } from '../../stories/contract/story-store.ts';
import { DAY } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { StoryFile } from './story-file.ts';

function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'kawaraban-stories-'));
}

describeStoryStore('SQLite', async (clock) => {
  const folder = freshFolder();
  const files = [0, 1].map(() => StoryFile.open(join(folder, 'stories.db'), clock));
  const [mine, theirs] = files;
  if (mine === undefined || theirs === undefined) throw new Error('no file');
  return {
    mine: await mine.storeOf('hackernews'),
    theirs: await theirs.storeOf('hackernews'),
    other: await mine.storeOf('morning'),
    dispose: async () => {
      for (const file of files) await file[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('the file of stories', () => {
  const NOW = Date.UTC(2026, 10, 15);
  let folder: string;
  let path: string;
  let clock: ManualClock;
  beforeEach(() => {
    folder = freshFolder();
    path = join(folder, 'stories.db');
    clock = new ManualClock(NOW);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('E12 no statement that reads scans a table or sorts more than the edge of a day', async () => {
    const file = StoryFile.open(path, clock);
    const store = await file.storeOf('hackernews');
    await store.upsert(sampleStories(300, NOW, 1000).map((one) => ({ story: one })));
    await store.hide('ann', [1000, 1001], NOW);
    await store.maintain();
    for (const since of [null, NOW - DAY, NOW - 365 * DAY]) {
      await store.best({ since, after: null, limit: 50, notHiddenBy: 'ann' });
      await store.ranking(since, 50);
    }
    await store.stale(NOW - 30 * DAY, NOW, 20);
    await store.hidden('ann', { limit: 5 });
    await store.changesSince(await store.head());
    await store.latestId();
    const reading = file.db.statements.filter(
      (sql) => /^\s*SELECT/i.test(sql) && !sql.includes('sqlite_sequence'),
    );
    expect(reading.length).toBeGreaterThan(8);
    for (const sql of reading) {
      const plan = file.db.all(`EXPLAIN QUERY PLAN ${sql}`, ...Array(sql.split('?').length - 1).fill(1));
      const steps = plan.map(({ detail }) => String(detail));
      const scans = steps.filter((step) => /^SCAN (?!json_each|\(subquery)/.test(step));
      expect(scans, sql).toEqual([]);
      // The stale ones of a few days are sorted by when they were synced; nothing else is.
      const sorts = steps.some((step) => step.includes('TEMP B-TREE'));
      expect(!sorts || sql.includes('updated <'), sql).toBe(true);
    }
    await file[Symbol.asyncDispose]();
  });

  it('the change feed covers two days and reports an older position', async () => {
    const file = StoryFile.open(path, clock);
    const store = await file.storeOf('hackernews');
    const start = await store.head();
    await store.upsert([{ story: sampleStory(1, { time: NOW }) }]);
    const later = await store.head();
    await clock.jump(3 * DAY);
    await store.maintain();
    expect(await store.changesSince(start)).toBeNull();
    expect(await store.changesSince(later)).toMatchObject({ changes: [] });
    await file[Symbol.asyncDispose]();
  });

  it('reports too many changes like an outdated position', {
    timeout: 240_000,
  }, async () => {
    const file = StoryFile.open(path, clock);
    const store = await file.storeOf('hackernews');
    const start = await store.head();
    await store.upsert(sampleStories(2600, NOW, 30).map((one) => ({ story: one })));
    expect((await store.changesSince(start))?.changes).toHaveLength(2600);
    for (let round = 1; round <= 8; round++)
      await store.upsert(
        sampleStories(2600, NOW, 30).map((one) => ({ story: { ...one, score: one.score + round } })),
      );
    expect(await store.changesSince(start)).toBeNull();
    await file[Symbol.asyncDispose]();
  });

  it('E12 updates its statistics by itself', async () => {
    const file = StoryFile.open(path, clock);
    const store = await file.storeOf('hackernews');
    await store.upsert(sampleStories(400, NOW, 1000).map((one) => ({ story: one })));
    await store.best({ since: NOW - DAY, after: null, limit: 10 });
    await store.maintain();
    expect(file.db.all('SELECT tbl FROM sqlite_stat1').map(({ tbl }) => tbl)).toContain('stories');
    await file[Symbol.asyncDispose]();
  });

  it('E3 supports 200,000 hidden stories of one user', async () => {
    const file = StoryFile.open(path, clock);
    const store = await file.storeOf('hackernews');
    await store.upsert(sampleStories(60, NOW, 3).map((one) => ({ story: one })));
    const many = Array.from({ length: 200_000 }, (_, n) => n * 2);
    await store.hide('ann', many, NOW);
    const { stories } = await store.best({ since: null, after: null, limit: 500, notHiddenBy: 'ann' });
    expect(stories).toHaveLength(30);
    expect(stories.every(({ id }) => id % 2 === 1)).toBe(true);
    await file[Symbol.asyncDispose]();
  });

  it('X17 a file of a newer program is refused and left as it is', () => {
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => StoryFile.open(path, clock)).toThrow(/schema 99/);
  });
});
