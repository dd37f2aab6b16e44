import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { type CliOutput, cli as runCli } from '../src/cli/cli.fixture.ts';
import { loadConfig } from '../src/config/config.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import type { SourceStatus } from '../src/sources/source-status.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../src/time/clock.ts';
import { HOUR } from '../src/time/duration.ts';
import { quickReader } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const POLL = { interval: 50, timeout: 60_000 };

/** A running newsroom whose sources are changed on its page and by commands, without a restart. */
function describeLiveSources(engine: string, engineSettings: () => object): void {
  describe(`live sources, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let file: string;
    let later: number;
    let feed: MadeFeed;
    let replicas: Replica[];
    let first: Replica;
    let session: Readonly<Record<string, string>>;
    /** Sleeps are short, so that loops follow changes without delay. */
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + later,
      sleep: (ms, signal) => systemClock.sleep(ms / 50, signal),
    };

    class Replica implements AsyncDisposable {
      readonly app: App;
      readonly #stop = new AbortController();
      readonly #running: Promise<void>;
      private constructor(app: App) {
        this.app = app;
        this.#running = app.run(this.#stop.signal);
      }

      static async start(): Promise<Replica> {
        const loaded = loadConfig(file, {});
        if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
        const app = await openApp(loaded.config, {
          telemetry: silentTelemetry,
          version: '0',
          clock,
          passwordCost: { n: 2 ** 12, r: 8, p: 1 },
          interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
        });
        const replica = new Replica(app);
        replicas.push(replica);
        return replica;
      }

      async source(id: string): Promise<SourceStatus | undefined> {
        return (await this.app.newsroom.sources('owner')).find((source) => source.id === id);
      }

      /** Titles that a pipeline knows. */
      async titles(pipeline: string): Promise<string[]> {
        const { items = [] } = (await this.app.pipelines.get(pipeline)?.ledger.list({ limit: 100 })) ?? {};
        return items.map(({ title }) => title);
      }

      async runPipeline(pipeline: string): Promise<void> {
        await this.app.pipelines.get(pipeline)?.run(new AbortController().signal);
      }

      async [Symbol.asyncDispose](): Promise<void> {
        this.#stop.abort();
        await this.#running;
        await this.app[Symbol.asyncDispose]();
      }
    }

    let server: RunningServer;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-live-'));
      later = 0;
      replicas = [];
      simulator = await startSimulator({ clock });
      feed = simulator.feeds.create({ id: 'live', title: 'Live' });
      feed.publish({ title: 'The first' });
      const other = simulator.feeds.create({ id: 'other' });
      other.publish({ title: 'Something else' });
      const pipeline = { kind: 'curate', interests: [{ topic: 'a topic without articles' }], publish: [] };
      file = join(folder, 'kawaraban.yaml');
      writeFileSync(
        file,
        JSON.stringify({
          data: './data',
          ...engineSettings(),
          network: { allow: ['127.0.0.1'], host_spacing: '0s' },
          server: { port: 0, rate_limit: { per_address: 100_000 } },
          sources: { other: { feed: other.url, every: '1h' } },
          pipelines: {
            tech: { ...pipeline, folders: ['Tech'], every: '10000h' },
            assigned: { ...pipeline, sources: ['other'], every: '10000h' },
          },
        }),
      );
      chmodSync(file, 0o444);
      first = await Replica.start();
      server = await first.app.serve();
      const link = await first.app.auth.accounts.ownerLink();
      const response = await fetch(`${server.url}/api/v1/welcome`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link: link?.token, name: 'ann', password: 'a long enough password' }),
      });
      const { csrfToken } = (await response.json()) as { csrfToken: string };
      session = {
        cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
        'x-csrf-token': csrfToken,
      };
    });
    afterEach(async () => {
      await server[Symbol.asyncDispose]();
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    const cli = (...args: string[]): Promise<CliOutput> => runCli(args, { cwd: folder });

    async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { ...session, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect(response.ok, `${method} ${path}: ${text}`).toBe(true);
      return (text === '' ? null : JSON.parse(text)) as T;
    }

    /** Waits until the poller has read another source once more. */
    async function pollOfOther(): Promise<void> {
      const before = (await first.source('other'))?.record?.lastTriedAt ?? 0;
      later += 2 * HOUR;
      await call('POST', '/sources/other/poll');
      await expect
        .poll(async () => (await first.source('other'))?.record?.lastTriedAt ?? 0, POLL)
        .toBeGreaterThan(before + HOUR);
    }

    it('R2 a source that is added on the page is read and followed at once', async () => {
      const before = readFileSync(file, 'utf8');
      const added = await call<object>('POST', '/sources', {
        address: feed.url,
        follow: true,
        folders: ['Tech'],
      });
      expect(added).toEqual({ id: 'live', followed: true });
      await expect
        .poll(async () => (await first.source('live'))?.record?.lastSuccessAt ?? null, POLL)
        .not.toBeNull();
      const status = await call<SourceStatus>('GET', '/sources/live');
      expect(status).toMatchObject({
        name: 'Live',
        origin: 'page',
        folders: ['Tech'],
        pipelines: ['tech'],
        assignedPipelines: [],
        userId: expect.any(String),
        nextAt: expect.any(Number),
        record: { itemsSeen: 1 },
      });
      const { users } = await call<{ users: { id: string }[] }>('GET', '/users/ann/following');
      expect(users.map(({ id }) => id)).toContain(status.userId);
      feed.publish({ title: 'The second' });
      later += 5 * HOUR;
      await call('POST', '/sources/live/poll');
      const timeline = async () =>
        (await call<{ drops: { title: string }[] }>('GET', '/timelines/home')).drops.map(
          ({ title }) => title,
        );
      await expect.poll(timeline, POLL).toContain('The second');
      // Each item once, though the first was listed twice.
      await expect.poll(async () => (await first.source('live'))?.record?.itemsSeen, POLL).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(before);
    });

    it('R1 R2 a command adds a source to running replicas: polled without a restart, and gone when removed', async () => {
      const second = await Replica.start();
      const added = await cli('sources', 'add', feed.url, '--id', 'live');
      expect(added.code, added.err).toBe(0);
      for (const replica of [first, second])
        await expect.poll(async () => (await replica.source('live'))?.record?.itemsSeen, POLL).toBe(1);
      expect((await first.source('live'))?.origin).toBe('command');
      // Its user can be followed.
      await expect.poll(async () => (await first.source('live'))?.userId ?? null, POLL).not.toBeNull();
      await call('PATCH', '/sources/live', { name: 'Renamed' });
      expect((await first.source('live'))?.name).toBe('Renamed');
      await expect.poll(async () => (await second.source('live'))?.name, POLL).toBe('Renamed');
      expect((await cli('sources', 'remove', 'live')).code).toBe(0);
      for (const replica of [first, second])
        await expect.poll(() => replica.source('live'), POLL).toBeUndefined();
      expect(await first.app.engine.sources.load('live')).toBeNull();
    });

    it('R2 nothing of a source is kept that is removed by another process while its articles are being stored', async () => {
      await call('POST', '/sources', { address: feed.url, folders: ['Tech'], follow: true });
      await expect.poll(async () => (await first.source('live'))?.record?.itemsSeen, POLL).toBe(1);
      const { entries, sources } = first.app.engine;
      const titles = async (): Promise<string[]> =>
        (await entries.list('ann', {}, { order: 'newest', limit: 50 })).entries.map(
          ({ entry }) => entry.title,
        );
      await expect.poll(titles, POLL).toEqual(expect.arrayContaining(['The first', 'Something else']));
      const add = entries.add.bind(entries);
      const added = vi.spyOn(entries, 'add').mockImplementation(async (...batch) => {
        expect((await cli('sources', 'remove', 'live')).code).toBe(0);
        return add(...batch);
      });
      feed.publish({ title: 'Too late' });
      later += 5 * HOUR;
      await call('POST', '/sources/live/poll');
      await expect.poll(() => added.mock.settledResults.length, POLL).toBe(1);
      await expect.poll(titles, POLL).toEqual(['Something else']);
      await pollOfOther();
      expect(await titles()).toEqual(['Something else']);
      expect(await first.titles('tech')).not.toContain('Too late');
      expect(await sources.load('live')).toBeNull();
      const { drops } = await call<{ drops: { title: string }[] }>('GET', '/timelines/home');
      expect(drops.map(({ title }) => title)).not.toContain('Too late');
    });

    it('R26 a renamed source is found by its new name at once, and its user has that name', async () => {
      await call('POST', '/sources', { address: feed.url, follow: true });
      const found = async (text: string): Promise<string[]> =>
        (
          await call<{ entries: { title: string }[] }>('GET', `/reader/entries?q=${encodeURIComponent(text)}`)
        ).entries.map(({ title }) => title);
      await expect.poll(() => found('live'), POLL).toEqual(['The first']);
      const renamed = await cli('sources', 'rename', 'live', '港の新聞 Gazette');
      expect(renamed.code, renamed.err).toBe(0);
      for (const text of ['gazette', '港', '"新聞 gazette" first'])
        await expect.poll(() => found(text), POLL).toEqual(['The first']);
      expect(await found('gazette -first')).toEqual([]);
      const author = async (): Promise<unknown> =>
        (await call<{ drops: { author: { displayName: string } }[] }>('GET', '/timelines/home')).drops[0]
          ?.author.displayName;
      await expect.poll(author, POLL).toBe('港の新聞 Gazette');
    });

    it('R2 a paused source is not polled, and is again once it is resumed', async () => {
      await call('POST', '/sources', { address: feed.url });
      await expect.poll(async () => (await first.source('live'))?.record?.itemsSeen, POLL).toBe(1);
      expect((await cli('sources', 'pause', 'live')).code).toBe(0);
      await expect.poll(async () => (await first.source('live'))?.enabled, POLL).toBe(false);
      const paused = (await first.source('live'))?.record?.lastTriedAt;
      feed.publish({ title: 'Meanwhile' });
      await pollOfOther();
      await pollOfOther();
      expect((await first.source('live'))?.record?.lastTriedAt).toBe(paused);
      await call('PATCH', '/sources/live', { enabled: true });
      await expect.poll(async () => (await first.source('live'))?.record?.itemsSeen, POLL).toBe(2);
    });

    it('R4 a pipeline uses the sources of its folders, nested ones too, and those that were assigned to it', async () => {
      const opml = `<opml version="2.0"><body><outline text="Data"><outline text="Databases">
        <outline type="rss" text="Live" xmlUrl="${feed.url}"/></outline></outline></body></opml>`;
      await call('POST', '/sources/opml', { opml, folder: 'Science' });
      await expect.poll(async () => (await first.source('live'))?.record?.itemsSeen, POLL).toBe(1);
      await first.runPipeline('tech');
      expect(await first.titles('tech')).toEqual([]);
      await call('PATCH', '/sources/live', { folders: ['Tech', 'Data', 'Databases'] });
      await first.runPipeline('tech');
      expect(await first.titles('tech')).toEqual(['The first']);
      expect(first.app.pipelines.get('tech')?.sources).toEqual(['live']);
      expect(await first.titles('assigned')).not.toContain('The first');
      expect((await cli('sources', 'assign', 'live', 'assigned')).code).toBe(0);
      await expect.poll(() => first.app.pipelines.get('assigned')?.sources, POLL).toEqual(['other', 'live']);
      await first.runPipeline('assigned');
      expect((await first.titles('assigned')).sort()).toEqual(['Something else', 'The first']);
      await call('PATCH', '/sources/live', { folders: ['Technology'] });
      feed.publish({ title: 'For one of them' });
      later += 5 * HOUR;
      await first.runPipeline('assigned');
      expect(await first.titles('assigned')).toContain('For one of them');
      expect(await first.titles('tech')).toEqual(['The first']);
    });
  });
}

describeLiveSources('the embedded engine', () => ({}));

requires('gcloud')('with the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  describeLiveSources('the distributed engine', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: emulator.host } },
    timelines: { store: 'memory' },
  }));
});
