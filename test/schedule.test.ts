import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import type { ItemKey } from '../src/item/item.ts';
import type { Ledger, NewMessage } from '../src/ledger/ledger.ts';
import { newMessage } from '../src/outbox/message-record.ts';
import type { AliasDecision } from '../src/pipelines/live-interests.ts';
import type { Pipeline } from '../src/pipelines/pipeline.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR, MINUTE, SECOND } from '../src/time/duration.ts';
import { ManualClock } from '../src/time/manual-clock.ts';
import { newsroomConfig, publishNews, quickReader } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { countPendingCalls } from './pending-calls.ts';
import { Program } from './program.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 1_000_000, hookTimeout: 1_000_000 });

/** Each second of the manual clock gets a tenth of a real one, for what is answered in real time. */
const POLL = { timeout: 1_000_000, interval: 100 };
const NEVER = new AbortController().signal;

/** Two curators with the same cron minute and one feed, the whole program with a manual clock. */
function describeSchedule(engine: string, engineSettings: () => object): void {
  describe(`schedules of the whole program, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let settings: object;
    let clock: ManualClock;
    let feed: string;
    let made: MadeFeed;
    const apps: { readonly app: App; readonly stop: AbortController; running: Promise<void> }[] = [];

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-schedule-'));
      clock = new ManualClock(Date.UTC(2026, 2, 3, 8, 59));
      simulator = await startSimulator({ clock });
      made = publishNews(simulator, 'shared', 2);
      feed = made.url;
      settings = engineSettings();
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      for (const one of apps.splice(0)) await close(one);
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function open(
      interpose: (infrastructure: Infrastructure) => Infrastructure = (infrastructure) => infrastructure,
    ): Promise<App> {
      const curator = (publisher: string): object => ({
        kind: 'curate',
        sources: ['shared'],
        interests: [{ topic: 'TypeScript', aliases: ['compiler'] }],
        min_relevance_score: 0,
        min_articles: 1,
        publish: [publisher],
        schedule: '0 9 * * *',
        time_zone: 'UTC',
        lease: '30s',
      });
      const text = JSON.stringify({
        data: './data',
        ...settings,
        // The clock is manual, while the feed is answered in real time.
        network: { allow: ['127.0.0.1'], host_spacing: '0s', timeout: '10m', connect_timeout: '10m' },
        server: { port: 0 },
        sources: { shared: { feed } },
        publishers: { one: { kind: 'atom' }, two: { kind: 'atom' }, three: { kind: 'atom' } },
        pipelines: {
          first: curator('one'),
          second: curator('two'),
          bot: { kind: 'summarise', sources: ['shared'], publish: ['three'], lease: '30s', every: '100h' },
        },
      });
      writeFileSync(join(folder, 'kawaraban.yaml'), text);
      const app = await openApp(newsroomConfig(text, folder, {}), {
        telemetry: silentTelemetry,
        version: '0',
        clock,
        interpose: (infrastructure) => interpose({ ...infrastructure, reader: quickReader }),
      });
      apps.push({ app, stop: new AbortController(), running: Promise.resolve() });
      return app;
    }

    function start(app: App): void {
      const one = apps.find((other) => other.app === app);
      if (one !== undefined) one.running = app.run(one.stop.signal);
    }

    async function close({ app, stop, running }: (typeof apps)[number]): Promise<void> {
      stop.abort();
      await running;
      await app[Symbol.asyncDispose]();
    }

    /** How many articles each curator has published. */
    async function published(app: App): Promise<readonly number[]> {
      const feeds = await Promise.all(['one', 'two', 'three'].map((id) => app.newsroom.feed(id)));
      return feeds.map((text) => text?.match(/part \d of shared<\/title>/g)?.length ?? 0);
    }

    const runsOf = (app: App) => Promise.all(['first', 'second'].map((id) => app.engine.runs.last(id)));

    it('A1 X18 two curators of one minute that share a slow feed both publish its news', async () => {
      const answer = Promise.withResolvers<void>();
      const app = await open((infrastructure) => ({
        ...infrastructure,
        fetcher: slow(infrastructure, answer.promise),
      }));
      start(app);
      await expect
        .poll(async () => {
          await clock.advance(5 * SECOND);
          return (await runsOf(app)).every((run) => run !== null);
        }, POLL)
        .toBe(true);
      // Both have requested the feed by now, or have continued without it.
      for (let n = 0; n < 20; n++) await clock.advance(0);
      answer.resolve();
      await expect
        .poll(async () => (await runsOf(app)).map((run) => run?.outcome), POLL)
        .toEqual(['done', 'done']);
      await expect.poll(async () => (await published(app)).slice(0, 2), POLL).toEqual([2, 2]);
    });

    it('A1 C24 a first start that was missed while the program was not the leader is caught up', async () => {
      const app = await open();
      const stop = [new AbortController(), new AbortController()] as const;
      const first = app.pipelines.get('first');
      const lost = first?.runOnSchedule({ signal: stop[0].signal });
      await clock.advance(59 * SECOND);
      stop[0].abort();
      await lost;
      await clock.advance(2 * SECOND);
      const kept = first?.runOnSchedule({ signal: stop[1].signal });
      await expect.poll(async () => (await runsOf(app))[0]?.outcome, POLL).toBe('done');
      stop[1].abort();
      await kept;
    });

    it('R23 a changed schedule counts without a restart, and catches up no start before the change', async () => {
      const app = await open();
      start(app);
      await expect
        .poll(async () => {
          await clock.advance(5 * SECOND);
          return (await runsOf(app)).map((run) => run?.outcome);
        }, POLL)
        .toEqual(['done', 'done']);
      const nextRuns = async (): Promise<readonly (number | null)[]> =>
        (await app.newsroom.pipelines('owner')).slice(0, 2).map(({ nextRunAt }) => nextRunAt);
      const cron = { kind: 'cron', expression: '30 8,10 * * *', timeZone: 'UTC' } as const;
      await app.pipelineSettings.change('first', { schedule: cron }, 'kiku');
      await app.pipelineSettings.change('second', { enabled: false }, 'kiku');
      expect(await nextRuns()).toEqual([Date.UTC(2026, 2, 3, 10, 30), null]);
      const [before, paused] = await runsOf(app);
      await expect
        .poll(async () => {
          await clock.advance(5 * MINUTE);
          const [last] = await runsOf(app);
          return last?.id !== before?.id && last?.outcome;
        }, POLL)
        .toBe('done');
      const [last, still] = await runsOf(app);
      expect(last?.startedAt).toBeGreaterThanOrEqual(Date.UTC(2026, 2, 3, 10, 30));
      expect(still?.id).toBe(paused?.id);
      const states = (await app.newsroom.pipelines('owner')).map(({ state }) => state);
      expect(states.slice(0, 2)).toEqual(['idle', 'paused']);
    });

    it('R23 a changed minimum score counts for the next run, and the reason names it', async () => {
      const app = await open();
      await app.pipelineSettings.change('first', { minScore: 100 }, 'kiku');
      const first = app.pipelines.get('first');
      await first?.run(NEVER);
      expect((await published(app))[0]).toBe(0);
      const page = await app.newsroom.items('first', { limit: 10, reasons: ['low_relevance'] }, 'owner');
      const [rejected] = page?.items ?? [];
      expect(rejected?.verdict).toMatchObject({ minScore: 100 });
      const explained = await app.newsroom.explain('first', rejected?.key ?? ('' as ItemKey), 'owner');
      expect(explained?.told.map(({ text }) => text)).toContain(
        `Rejected: score ${rejected?.verdict?.score} is below the minimum 100.`,
      );
      await app.pipelineSettings.change('first', { minScore: null }, 'kiku');
      made.publish({ title: 'TypeScript compiler, part 3 of shared' });
      await first?.run(NEVER, undefined, { fresh: true });
      await expect.poll(async () => (await published(app))[0], POLL).toBe(1);
    });

    it('Q25 an accepted alias counts for the next run of every replica, and a removed one no more', async () => {
      const withPages = (infrastructure: Infrastructure): Infrastructure => ({
        ...infrastructure,
        reader: {
          ...quickReader,
          read: async (...of) => {
            const read = await quickReader.read(...of);
            if (read.outcome !== 'article') return read;
            return {
              ...read,
              article: { ...read.article, text: 'The hydrangea of the temple is in bloom.' },
            };
          },
        },
      });
      const [one, other] = [await open(withPages), await open(withPages)];
      const first = one.pipelines.get('first');
      await one.pipelineSettings.change('first', { minScore: 50 }, 'ran');
      made.publish({ title: 'Hydrangea in bloom' });
      const states = async (): Promise<readonly (string | undefined)[]> => {
        await first?.run(NEVER, undefined, { fresh: true });
        const page = await one.newsroom.items('first', { limit: 10, text: 'hydrangea' }, 'owner');
        return page?.items.map(({ state }) => state) ?? [];
      };
      expect(await states()).toEqual(['rejected']);
      const decide = (decision: AliasDecision) =>
        other.interests.decide('first', { topic: 'TypeScript', words: ['hydrangea'], decision }, 'kiku');
      expect(await decide('accepted')).toEqual({ outcome: 'done', changed: true });
      const preview = await one.judgeInspector.previewRejudging('first');
      expect(preview?.rejudge.map(({ item }) => item.title)).toContain('Hydrangea in bloom');
      expect(await states()).toEqual(['published']);
      // A change of the schedule keeps the aliases, and the other way round.
      await one.pipelineSettings.change('first', { minScore: 60 }, 'ran');
      expect(await other.interests.report('first')).toMatchObject([
        {
          topic: 'TypeScript',
          aliases: ['compiler', 'hydrangea'],
          added: [{ word: 'hydrangea', by: 'kiku' }],
        },
      ]);
      expect(await decide('none')).toEqual({ outcome: 'done', changed: true });
      expect(await one.pipelineSettings.report('first')).toMatchObject({
        effective: { minScore: 60 },
        changed: { by: 'ran' },
      });
      made.publish({ title: 'Another hydrangea' });
      expect((await states()).toSorted()).toEqual(['published', 'rejected']);
    });

    it('A1 X18 two replicas that each run one of the curators both publish the news', async () => {
      const [one, other] = [await open(), await open()];
      await one.pipelines.get('first')?.run(NEVER);
      await other.pipelines.get('second')?.run(NEVER);
      expect([(await published(one))[0], (await published(other))[1]]).toEqual([2, 2]);
    });

    it.each([
      ['goes on', false],
      ['is started again', true],
    ])(
      'A1 X21 a clock that was 3 hours ahead for 30 seconds blocks nothing in a program that %s',
      async (_, again) => {
        const ahead = await open();
        start(ahead);
        await clock.advance(SECOND);
        clock.jump(3 * HOUR);
        const ran = async (app: App): Promise<boolean> => {
          await clock.advance(SECOND);
          return (await runsOf(app)).every((run) => run?.outcome === 'done');
        };
        for (const id of ['first', 'second']) await ahead.pipelines.get(id)?.run(NEVER);
        await clock.advance(30 * SECOND);
        clock.jump(-3 * HOUR);
        made.publish({ title: 'TypeScript compiler, part 3 of shared' });
        expect((await ahead.futureTimestamps()).map(({ what }) => what)).toEqual(
          expect.arrayContaining(['last run of first', 'last poll of shared']),
        );
        let app = ahead;
        if (again) {
          for (const one of apps.splice(0)) await close(one);
          app = await open();
          start(app);
        }
        const statuses = await app.newsroom.pipelines('owner');
        const nine =
          clock.now() <= Date.UTC(2026, 2, 3, 9) ? Date.UTC(2026, 2, 3, 9) : Date.UTC(2026, 2, 4, 9);
        expect(statuses.slice(0, 2).map(({ nextRunAt }) => nextRunAt)).toEqual([nine, nine]);
        const before = await runsOf(app);
        await expect
          .poll(async () => {
            const isNew = (await runsOf(app)).every((run, n) => run !== null && run.id !== before[n]?.id);
            return (await ran(app)) && isNew;
          }, POLL)
          .toBe(true);
        for (const run of await runsOf(app)) expect(run?.startedAt).toBeLessThan(nine + 10 * MINUTE);
        // A run is done when its messages are enqueued, and the dispatcher may still be sending one. The bot checks its schedule once a
        // minute, and runs again.
        const after = async (): Promise<readonly unknown[]> => {
          await clock.advance(SECOND);
          const ahead = (await app.futureTimestamps()).filter(({ what }) => what.startsWith('last'));
          return [(await published(app)).slice(0, 2), ahead];
        };
        await expect.poll(after, POLL).toEqual([[3, 3], []]);
      },
    );

    it('B13 X21 an item that was deferred while the clock was ahead waits no longer for it', async () => {
      const unreadable: Infrastructure['reader'] = {
        ...quickReader,
        read: async () => ({ outcome: 'unreadable', why: 'timeout', detail: '', retryable: true }),
      };
      const app = await open((infrastructure) => ({ ...infrastructure, reader: unreadable }));
      clock.jump(3 * HOUR);
      await app.pipelines.get('bot')?.run(NEVER);
      clock.jump(-3 * HOUR);
      const due = async (): Promise<readonly number[]> => {
        const page = await app.pipelines.get('bot')?.ledger.list({ states: ['deferred'], limit: 10 });
        return page?.items.map(({ dueAt }) => (dueAt ?? 0) - clock.now()) ?? [];
      };
      const wait = (await due()).map((ms) => ms - 3 * HOUR);
      expect(wait).toHaveLength(2);
      start(app);
      await clock.advance(0);
      await expect.poll(async () => (await due()).toSorted(), POLL).toEqual(wait.toSorted());
    });

    it('X2 X21 messages and claims that a worker left while the clock was ahead block nothing', async () => {
      const ahead = await open();
      clock.jump(3 * HOUR);
      const message = (key: string, destination: string) => ({ key, itemKeys: [], destination, body: '{}' });
      const [first, bot] = ['first', 'bot'].map((id) => ahead.pipelines.get(id));
      // Rate limited by its destination, with another behind it.
      const write = async (pipeline: Pipeline | undefined, ...messages: NewMessage[]) =>
        pipeline?.ledger.load(
          messages.map((one) => ({ kind: 'delivery', delivery: newMessage(one, 0, clock.now()).delivery })),
        );
      await write(bot, message('late', 'three'), message('behind', 'three'));
      const late = await bot?.outbox.claimNext('three', 'dead', 2 * MINUTE);
      const dueAt = clock.now() + 30 * SECOND;
      if (late != null) await bot?.outbox.finish(late, { state: 'intended', detail: 'rate limit', dueAt });
      // Being sent when its worker died.
      await write(first, message('stuck', 'one'));
      const stuck = await first?.outbox.claimNext('one', 'dead', 2 * MINUTE);
      if (stuck != null) await first?.outbox.markSending(stuck);
      const key = 'https://news.example/claimed' as ItemKey;
      const seen = {
        key,
        url: key,
        title: 'Claimed',
        publishedAt: 0,
        sourceId: 'shared',
        sourceName: 'Shared',
      };
      await bot?.ledger.admit([seen], {});
      const claims = bot?.ledger as Ledger;
      expect(await claims.claim(key, { owner: 'dead', leaseMs: 30 * SECOND })).not.toBeNull();
      clock.jump(-3 * HOUR);
      for (const one of apps.splice(0)) await close(one);
      const app = await open();
      start(app);
      const begun = clock.now();
      const states = async (id: string): Promise<readonly string[]> => {
        const page = await app.pipelines.get(id)?.outbox.list({ limit: 10 });
        const ours = page?.deliveries.filter(({ key }) => ['late', 'behind', 'stuck'].includes(key));
        return ours?.map(({ state }) => state) ?? [];
      };
      await expect
        .poll(async () => {
          await clock.advance(SECOND);
          const claimed = await app.pipelines.get('bot')?.ledger.find(key);
          const ledger = app.pipelines.get('bot')?.ledger as Ledger;
          const free = await ledger.upcoming(10);
          const isFree = claimed?.state !== 'waiting' || free.includes(key);
          return [isFree, await states('first'), await states('bot')];
        }, POLL)
        .toEqual([true, ['sent'], ['sent', 'sent']]);
      expect(clock.now() - begun).toBeLessThan(HOUR);
    });

    it('X21 a run by hand, with no newsroom beside it, takes over from one that died while the clock was ahead', async () => {
      const ahead = await open();
      clock.jump(3 * HOUR);
      expect(await ahead.engine.runs.begin('first', 'dead', MINUTE)).not.toBeNull();
      clock.jump(-3 * HOUR);
      for (const one of apps.splice(0)) await close(one);
      const app = await open();
      let ran: boolean | undefined;
      const run = app.pipelines.get('first')?.run(NEVER);
      void run?.then((result) => {
        ran = result.ran;
      });
      await expect
        .poll(async () => {
          await clock.advance(SECOND);
          return ran;
        }, POLL)
        .toBe(true);
      expect((await published(app))[0]).toBe(2);
    });

    it('X12 X21 doctor and status list what was recorded while the clock was ahead', async () => {
      clock = new ManualClock(Date.now() + 3 * HOUR);
      const app = await open();
      await app.pipelines.get('first')?.run(NEVER);
      for (const one of apps.splice(0)) await close(one);
      const env = { METADATA_SERVER_DETECTION: 'none' };
      const doctor = await new Program(['doctor', '--offline'], env, folder).ended;
      expect(doctor.code).toBe(1);
      expect(doctor.out).toMatch(/✗ Recorded times: .*last run of first (3 h|2 h \d+ min) ahead/);
      const status = await new Program(['status'], env, folder).ended;
      expect(status.err).toContain('last poll of shared');
    });

    it('B14 X21 a claim is renewed for as long as reading and judging take', async () => {
      const reading = Promise.withResolvers<void>();
      const app = await open((infrastructure) => ({
        ...infrastructure,
        reader: slowReader(reading.promise),
      }));
      const runs = ['first', 'bot'].map((id) => app.pipelines.get(id)?.run(NEVER));
      const ledgers = ['first', 'bot'].flatMap((id) => app.pipelines.get(id)?.ledger ?? []);
      const states = ['waiting', 'deferred'] as const;
      const claimed = async (): Promise<boolean> => {
        const counts = await Promise.all(ledgers.map((ledger) => ledger.list({ limit: 10 })));
        return counts.every(({ items }) => items.length === 2) && reads >= 3;
      };
      await expect.poll(claimed, POLL).toBe(true);
      const calls = countPendingCalls();
      const sleeping = clock.sleeping;
      for (let passed = 0; passed < 2 * MINUTE; passed += 5 * SECOND) {
        await clock.advance(5 * SECOND);
        // Renewals are answered in real time: the clock stands still until every call has its answer and every loop sleeps again.
        await expect.poll(() => calls.pending === 0 && clock.sleeping >= sleeping, POLL).toBe(true);
      }
      // The bot has claimed one of its two items. The curator has no claims: its run has a lease.
      const other = { owner: 'other', leaseMs: SECOND, states };
      const claims = app.pipelines.get('bot')?.ledger as Ledger;
      expect(await claims.claimNext(other)).not.toBeNull();
      expect(await claims.claimNext(other)).toBeNull();
      reading.resolve();
      await Promise.all(runs);
      const [first, , bot] = await published(app);
      expect([first, bot]).toEqual([2, 1]);
    });

    it('X18 X24 max_per_run is the number of items that a run publishes', async () => {
      const app = await open();
      const posts = async (): Promise<number | undefined> => {
        await app.pipelines.get('bot')?.run(NEVER);
        return (await published(app))[2];
      };
      expect([await posts(), await posts(), await posts()]).toEqual([1, 2, 2]);
    });
  });
}

function slow({ fetcher }: Infrastructure, answered: Promise<void>): Infrastructure['fetcher'] {
  return {
    async fetch(request, signal) {
      if (request.url.includes('/shared')) await answered;
      return fetcher.fetch(request, signal);
    },
    [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
  };
}

/** Number of requested pages. */
let reads = 0;

function slowReader(answered: Promise<void>): Infrastructure['reader'] {
  reads = 0;
  return {
    ...quickReader,
    async read(url, signal) {
      reads++;
      await answered;
      return quickReader.read(url, signal);
    },
  };
}

describeSchedule('SQLite', () => ({}));

requires('gcloud')('with emulators', () => {
  const firestore = emulatorForThisFile('firestore');
  describeSchedule('Firestore', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: firestore.host } },
    timelines: { store: 'memory' },
  }));
});
