import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { silentTelemetry } from '../src/app/telemetry.ts';
import { type App, openApp } from '../src/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { DAY, HOUR } from '../src/time/duration.ts';
import { movedClock } from './crash/moved-clock.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Promises whose other tests are about a piece: here the program itself keeps them. */
describe('promises through the program', () => {
  let folder: string;
  let simulator: Simulator;
  let moved: number;
  const open: AsyncDisposable[] = [];
  const never = new AbortController().signal;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-connected-'));
    simulator = await startSimulator();
    moved = 0;
    open.push(simulator);
  });
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, yaml: string): Promise<App> {
    const text = `
data: ${join(folder, name)}
network: { allow: ['127.0.0.1'], host_spacing: 0s }
sources:
  herald: { feed: '${simulator.urls.feeds}/byte-herald/feed.xml', first_contact: { newest: 10 } }
  talks: { youtube: '@datatalks', feed_url: '${simulator.urls.youtube}' }
pipelines:
${yaml}`;
    const loaded = parseConfig(text, join(folder, `${name}.yaml`), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const clock = movedClock(() => moved);
    const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0', clock });
    open.push(app);
    return app;
  }

  async function run(app: App, id = 'p') {
    const result = await app.pipelines.get(id)?.run(never);
    if (result?.ran !== true) throw new Error('it did not run');
    return result.report;
  }

  const items = async (app: App) => (await app.pipelines.get('p')?.ledger.list({ limit: 100 }))?.items ?? [];

  const curator = (settings: string): string => `
  p:
    kind: curate
    sources: [herald]
    interests: [{ topic: databases, aliases: [database, SQL] }, { topic: AI models, aliases: [AI] }]
    first_contact: { newest: 10 }
    publish: [timeline]
    ${settings}`;

  it('A3 A4 X8 the best by score are chosen, as many as the settings say, and none below the least score', async () => {
    const app = await start(
      'best',
      curator('min_relevance_score: 40\n    max_articles: 2\n    min_articles: 1'),
    );
    await run(app);
    const all = await items(app);
    const scores = (state: string): number[] =>
      all.filter((item) => item.state === state).map(({ verdict }) => verdict?.score ?? -1);
    const published = scores('published');
    expect(published.length).toBeGreaterThanOrEqual(1);
    expect(published.length).toBeLessThanOrEqual(2);
    expect(Math.min(...published)).toBeGreaterThanOrEqual(Math.max(40, ...scores('accepted')));
    for (const score of scores('rejected')) expect(score).toBeLessThan(40);
    for (const { verdict } of all.filter((item) => item.verdict !== null))
      expect(verdict).toMatchObject({
        judge: 'local',
        topics: expect.any(Array),
        reason: expect.any(String),
      });

    const few = await start(
      'few',
      curator('min_relevance_score: 40\n    min_articles: 10\n    max_articles: 10'),
    );
    await run(few);
    expect((await items(few)).filter(({ state }) => state === 'published')).toEqual([]);
  });

  it('X20 what was swept is not news when its source still carries it', async () => {
    const app = await start(
      'swept',
      curator('min_relevance_score: 0\n    min_articles: 1\n    max_articles: 10'),
    );
    expect((await run(app)).admitted).toBe(10);
    const published = (await items(app)).filter(({ state }) => state === 'published').length;
    expect(published).toBeGreaterThan(0);
    moved = 400 * DAY;
    await app.retention.sweep({ dryRun: false }, never);
    const drops = async () => await app.newsroom.timelines.page('timeline:local', { limit: 100 });
    const before = JSON.stringify(await drops());
    await run(app);
    const again = (await items(app)).filter(({ state }) => state === 'published');
    expect(again).toEqual([]);
    expect(JSON.stringify(await drops())).toBe(before);
  });

  it('B10 B11 B13 a page that fails is put off for longer each time, and fails after the limit', async () => {
    simulator.misbehave({ service: 'pages', how: 'status', status: 503, times: 'always' });
    const app = await start(
      'fails',
      `
  p:
    kind: summarise
    sources: [herald]
    first_contact: { newest: 1 }
    retry_limit: 2
    backoff: { first: 1h, factor: 3, most: 1d }
    publish: [timeline]`,
    );
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await run(app);
      const [item] = (await items(app)).filter(({ state }) => state !== 'baseline');
      if (attempt === 3) expect(item?.state).toBe('failed');
      else {
        expect(item).toMatchObject({ state: 'deferred', reason: 'download_failed', attempts: attempt });
        waits.push((item?.dueAt ?? 0) - (item?.checkedAt ?? 0));
      }
      moved += DAY;
    }
    expect(waits).toEqual([HOUR, 3 * HOUR]);
  });

  it('D11 the command of a process pipeline gets the video as JSON, and its exit code decides', async () => {
    const app = await start(
      'command',
      `
  p:
    kind: process
    sources: [talks]
    processor: { command: [sh, -c, 'cat > got.json; grep -q title got.json'], folder: '${folder}' }
    publish: [timeline]`,
    );
    const { admitted } = await run(app);
    const stop = new AbortController();
    const going = app.keepGoing(stop.signal);
    try {
      const published = async () => (await items(app)).filter(({ state }) => state === 'published').length;
      await expect.poll(published, { timeout: 60_000, interval: 100 }).toBe(admitted);
    } finally {
      stop.abort();
      await going;
    }
    expect(JSON.parse(readFileSync(join(folder, 'got.json'), 'utf8'))).toMatchObject({
      title: expect.any(String),
    });
  });
});
