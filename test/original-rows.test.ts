import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { systemClock } from '../src/time/clock.ts';
import { DAY } from '../src/time/duration.ts';
import { houseConfig, houseText, quickReader, secretsOf } from './crash/house.ts';
import { movedClock } from './crash/moved-clock.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Addresses as the feed gives them, and the original bot wrote them into its table. */
const PROCESSED = [
  'https://news.example/plain',
  'https://news.example/slash/',
  'https://news.example:443/port',
  'https://News.example/tracked?utm_source=rss&id=3',
];
const NOT_VALUABLE = 'https://news.example/rejected/?utm_medium=feed';
const FRESH = 'https://news.example/fresh/';

describe('a file of the original summary bot', () => {
  let folder: string;
  let simulator: Simulator;
  let later: number;
  const clock = movedClock(() => later);
  const opened: AsyncDisposable[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-rows-'));
    later = 0;
    simulator = await startSimulator({ clock, mastodon: { limits: false } });
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function writeOriginals(checkedAt: number): void {
    mkdirSync(join(folder, 'data'));
    const db = new DatabaseSync(join(folder, 'data', 'pipeline-desk.db'));
    db.exec(`CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
      published_at TIMESTAMP NOT NULL, status INTEGER NOT NULL, reason INTEGER NULL, retry_count INTEGER NOT NULL,
      created_at TIMESTAMP NOT NULL, last_checked_at TIMESTAMP NOT NULL)`);
    // As Go's `time.Time` is written.
    const time = `${new Date(checkedAt).toISOString().slice(0, 19).replace('T', ' ')}.123456789 +0000 UTC m=+0.5`;
    for (const url of [...PROCESSED, NOT_VALUABLE])
      db.prepare(
        'INSERT INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at) VALUES (?, ?, ?, 3, ?, 0, ?, ?)',
      ).run(url, `Old: ${url}`, time, url === NOT_VALUABLE ? 1 : null, time, time);
    db.close();
  }

  async function open(feed: string): Promise<App> {
    const text = houseText({ kind: 'summarise', destination: 'mastodon', feed }, simulator);
    const app = await openApp(houseConfig(text, folder, secretsOf(simulator)), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (ground) => ({ ...ground, reader: quickReader }),
    });
    opened.push(app);
    return app;
  }

  it('X22 B1 X20 its rows are known by the address of the feed, listed, counted and swept, and not posted again', async () => {
    writeOriginals(systemClock.now() - 10 * DAY);
    const feed = simulator.feeds.create({ id: 'taken-over' });
    for (const link of [...PROCESSED, NOT_VALUABLE, FRESH])
      feed.publish({
        title: `About ${link}`,
        link,
        guid: link,
        summary: 'The TypeScript compiler got faster.',
      });
    const app = await open(feed.url);
    const desk = app.pipelines.get('desk') ?? expect.fail('no pipeline');
    expect((await desk.ledger.counts()).byState).toMatchObject({ published: 4, rejected: 1 });
    const posted = () => simulator.mastodon.statuses().map(({ content }) => content);
    for (let round = 0; round < 3; round++) await desk.run(new AbortController().signal);
    expect(posted()).toHaveLength(1);
    expect(posted()[0]).toContain('/fresh');
    expect((await desk.ledger.list({ limit: 20 })).items).toHaveLength(6);
    expect((await desk.ledger.counts()).byState).toMatchObject({ published: 5, rejected: 1 });

    later += 5_000 * DAY;
    await desk.ledger.sweep({
      keep: { published: DAY, rejected: DAY },
      keepTombstones: 10_000 * DAY,
      dryRun: false,
    });
    expect((await desk.ledger.counts()).byState).toMatchObject({ published: 0, rejected: 0 });
    await desk.run(new AbortController().signal);
    expect(posted()).toHaveLength(1);
  });
});
