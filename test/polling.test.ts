import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR, MINUTE, SECOND } from '../src/time/duration.ts';
import { ManualClock } from '../src/time/manual-clock.ts';
import { newsroomConfig, publishNews, quickReader } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { Program } from './program.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const POLL = { timeout: 100_000, interval: 50 };
const FEED = 'shared';

interface Settings {
  readonly engine?: object;
  readonly kinds: readonly ('curate' | 'summarise')[];
}

/** Daily pipelines on one feed, the whole program with a manual clock. */
function describePolling(name: string, settingsOf: () => Settings): void {
  describe(`sources are polled on their own, on ${name}`, () => {
    let folder: string;
    let simulator: Simulator;
    let clock: ManualClock;
    let feed: MadeFeed;
    let settings: Settings;
    let app: App;
    let stop: AbortController;
    let background: Promise<void>;
    /** How often the feed was requested. */
    let requests: number;
    /** The feed answers when this does. */
    let answered: Promise<void>;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-polling-'));
      clock = new ManualClock(Date.UTC(2026, 2, 3, 8, 58));
      simulator = await startSimulator({ clock });
      feed = publishNews(simulator, FEED, 2);
      settings = settingsOf();
      requests = 0;
      answered = Promise.resolve();
      stop = new AbortController();
      background = Promise.resolve();
    });
    afterEach(async () => {
      stop.abort();
      await background;
      await app[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    function counted({ fetcher }: Infrastructure): Infrastructure['fetcher'] {
      return {
        async fetch(request, signal) {
          if (request.url === feed.url) {
            requests += 1;
            await answered;
          }
          return fetcher.fetch(request, signal);
        },
        [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
      };
    }

    async function start(): Promise<void> {
      const daily = { sources: [FEED], schedule: '0 9 * * *', time_zone: 'UTC' };
      const kinds = {
        curate: {
          kind: 'curate',
          interests: [{ topic: 'TypeScript', aliases: ['compiler'] }],
          min_relevance_score: 0,
          min_articles: 1,
        },
        summarise: { kind: 'summarise', language: 'en', max_per_run: 20 },
      };
      const text = JSON.stringify({
        data: './data',
        ...(settings.engine && { engine: settings.engine, timelines: { store: 'memory' } }),
        // The clock is manual, while the feed is answered in real time.
        network: { allow: ['127.0.0.1'], host_spacing: '0s', timeout: '10m', connect_timeout: '10m' },
        server: { port: 0 },
        identity: { same_story: { enabled: false } },
        sources: { [FEED]: { feed: feed.url } },
        publishers: Object.fromEntries(settings.kinds.map((kind) => [kind, { kind: 'atom' }])),
        pipelines: Object.fromEntries(
          settings.kinds.map((kind) => [kind, { ...daily, ...kinds[kind], publish: [kind] }]),
        ),
      });
      app = await openApp(newsroomConfig(text, folder, {}), {
        telemetry: silentTelemetry,
        version: '0',
        clock,
        interpose: (infrastructure) => ({
          ...infrastructure,
          reader: quickReader,
          fetcher: counted(infrastructure),
        }),
      });
      background = app.run(stop.signal);
    }

    /** Moves the clock, as slowly as real-time answers need, until the condition holds. */
    const until = (isSo: () => Promise<boolean>, step = 5 * SECOND) =>
      expect
        .poll(async () => {
          await clock.advance(step);
          return isSo();
        }, POLL)
        .toBe(true);

    const runsSince = async (at: number): Promise<boolean> => {
      const runs = await Promise.all(settings.kinds.map((kind) => app.engine.runs.last(kind)));
      return runs.every((run) => run?.outcome === 'done' && run.startedAt >= at);
    };
    const published = async (title: string): Promise<readonly boolean[]> => {
      const feeds = await Promise.all(settings.kinds.map((kind) => app.newsroom.feed(kind)));
      return feeds.map((text) => text?.includes(title) === true);
    };
    const recordOf = () => app.engine.sources.load(FEED);

    it('X23 what appears in a feed and leaves it between two runs of a daily pipeline is processed', async () => {
      await start();
      const nine = Date.UTC(2026, 2, 3, 9);
      await until(() => runsSince(nine));
      const before = (await recordOf())?.itemsSeen ?? 0;
      const link = feed.publish({ title: 'TypeScript compiler, here and gone', text: ['It got faster.'] });
      await until(async () => ((await recordOf())?.itemsSeen ?? 0) > before, MINUTE);
      expect(clock.now()).toBeLessThan(nine + HOUR);
      feed.remove(link);
      const polled = requests;
      await until(async () => requests > polled, MINUTE);
      expect(await published('here and gone')).toEqual(settings.kinds.map(() => false));
      // The night.
      clock.jump(nine + 24 * HOUR - 2 * MINUTE - clock.now());
      await until(() => runsSince(nine + 23 * HOUR));
      await until(async () => (await published('here and gone')).every((isThere) => isThere));
      const run = await app.engine.runs.last(settings.kinds[0] ?? '');
      expect(run?.counts).toMatchObject({ admitted: 1 });
    });

    it('X23 a run waits for the poll of its source that is in progress, and does not poll it again', async () => {
      const answer = Promise.withResolvers<void>();
      answered = answer.promise;
      // A poll may take two minutes.
      clock.jump(90 * SECOND);
      await start();
      await until(async () => requests > 0);
      // The runs of nine o’clock have begun by now.
      const begun = async (): Promise<boolean> => {
        const runs = await Promise.all(settings.kinds.map((kind) => app.engine.runs.last(kind)));
        return runs.every((run) => run !== null);
      };
      await until(begun, SECOND);
      for (let n = 0; n < 20; n++) await clock.advance(0);
      expect((await app.engine.runs.last(settings.kinds[0] ?? ''))?.outcome).toBe('running');
      answer.resolve();
      await until(() => runsSince(Date.UTC(2026, 2, 3, 9)), 0);
      expect(requests).toBe(1);
      await until(async () => (await published(`part 1 of ${FEED}`)).every((isThere) => isThere), 0);
    });
  });
}

describePolling('SQLite', () => ({ kinds: ['curate', 'summarise'] }));

requires('gcloud')('with emulators', () => {
  const firestore = emulatorForThisFile('firestore');
  describePolling('Firestore', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: firestore.host } },
    kinds: ['summarise'],
  }));
});

describe('a run by hand', () => {
  let folder: string;
  let simulator: Simulator;
  let feed: MadeFeed;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-fresh-'));
    simulator = await startSimulator();
    feed = publishNews(simulator, FEED, 1);
    writeFileSync(join(folder, 'kawaraban.yaml'), JSON.stringify(settings()));
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const bot = { kind: 'summarise', language: 'en', sources: [FEED], publish: ['timeline'] };
  const settings = (source: object = {}, more: object = {}): object => ({
    data: './data',
    network: { allow: ['127.0.0.1'], host_spacing: '0s' },
    server: { port: 0 },
    sources: { [FEED]: { feed: feed.url, ...source } },
    pipelines: { bot },
    ...more,
  });

  const run = async (...options: string[]): Promise<number> => {
    const { out } = await new Program(['run', 'bot', '--json', ...options], {}, folder).ended;
    return (JSON.parse(out) as { admitted: number }).admitted;
  };

  it('X23 uses what was polled, and with --fresh polls its sources first', async () => {
    expect(await run()).toBe(1);
    feed.publish({ title: 'TypeScript compiler, part 2', text: ['It got faster.'] });
    expect(await run()).toBe(0);
    expect(await run('--fresh')).toBe(1);
  });

  const open = (source: object = {}, more: object = {}): Promise<App> =>
    openApp(newsroomConfig(JSON.stringify(settings(source, more)), folder, {}), {
      telemetry: silentTelemetry,
      version: '0',
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
    });

  it.each([
    ['the default of 15 minutes', {}, {}, 5],
    ['polling.every', {}, { polling: { every: '2h' }, pipelines: { bot: { ...bot, every: '1d' } } }, 40],
    ['a pipeline that runs every 3 minutes', {}, { pipelines: { bot: { ...bot, every: '3m' } } }, 3],
    ['its own every', { every: '7h' }, {}, 7 * 60],
  ])('X23 X24 the interval of a busy feed follows from %s', async (_, source, more, minutes) => {
    const app = await open(source, more);
    try {
      await app.pipelines.get('bot')?.run(new AbortController().signal);
      const { lastTriedAt, nextAt } = (await app.engine.sources.load(FEED)) ?? {};
      const waits = ((nextAt ?? 0) - (lastTriedAt ?? 0)) / MINUTE;
      expect(waits).toBeGreaterThan(minutes / 2 - 0.1);
      expect(waits).toBeLessThanOrEqual(minutes);
    } finally {
      await app[Symbol.asyncDispose]();
    }
  });

  it('X23 can poll its sources first through the API too', async () => {
    const app = await open();
    try {
      await using server = await app.serve();
      const link = await app.auth.accounts.ownerLink();
      const welcome = await fetch(`${server.url}/api/v1/welcome`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link: link?.token, name: 'ann', password: 'a long enough password' }),
      });
      const { csrfToken } = (await welcome.json()) as { csrfToken: string };
      const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
      const headers = { cookie, 'x-csrf-token': csrfToken, 'content-type': 'application/json' };
      const runNow = async (body: object): Promise<number> => {
        const url = `${server.url}/api/v1`;
        const started = await fetch(`${url}/pipelines/bot/runs`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        expect(started.status).toBe(202);
        const { id } = (await started.json()) as { id: string };
        const job = async () =>
          (await (await fetch(`${url}/jobs/${id}`, { headers })).json()) as {
            state: string;
            report: { admitted: number };
          };
        await expect.poll(async () => (await job()).state, POLL).toBe('done');
        return (await job()).report.admitted;
      };
      expect(await runNow({})).toBe(1);
      feed.publish({ title: 'TypeScript compiler, part 2', text: ['It got faster.'] });
      expect(await runNow({ dryRun: false })).toBe(0);
      expect(await runNow({ fresh: true })).toBe(1);
    } finally {
      await app[Symbol.asyncDispose]();
    }
  });
});
