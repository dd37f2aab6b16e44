import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../../simulator/feeds/custom-feed.ts';
import type { FaultRule } from '../../simulator/net/fault.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { openApp } from '../../src/app/app.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import type { RunReport } from '../../src/scheduler/run-report.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../../src/time/clock.ts';
import { DAY, HOUR, MINUTE } from '../../src/time/duration.ts';
import {
  newsroomConfig,
  newsroomText,
  quickReader,
  secretsOf,
  type Where,
} from '../crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { requires } from '../requirements.ts';
import { FirestoreRest } from './firestore-rest.ts';
import { sqlite3 } from './sqlite3-tool.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** An item as the original program sees it. */
interface Row {
  readonly url: string;
  readonly status: number;
  readonly reason: number | null;
  readonly retry_count: number;
}

interface Engine {
  where(): Where;
  rows(folder: string): Promise<Row[]>;
}

requires('sqlite3')('the summary bot on SQLite', () => {
  suite({
    where: () => ({ engine: 'sqlite' }),
    rows: async (folder) =>
      sqlite3(
        join(folder, 'data', 'pipeline-desk.db'),
        'SELECT url, status, reason, retry_count FROM items ORDER BY url',
      ) as never,
  });
});

requires('gcloud')('the summary bot on Firestore', () => {
  const firestore = emulatorForThisFile('firestore');
  let project: string;
  beforeEach(() => {
    project = freshProject();
  });
  suite({
    where: () => ({ engine: 'firestore', emulator: firestore.host, project }),
    async rows() {
      const documents = await new FirestoreRest(firestore.host, project).list('items');
      for (const { types } of documents)
        expect(types).toMatchObject({
          url: 'stringValue',
          title: 'stringValue',
          published_at: 'timestampValue',
          status: 'integerValue',
          reason: expect.stringMatching(/^(integer|null)Value$/),
          retry_count: 'integerValue',
          created_at: 'timestampValue',
          last_checked_at: 'timestampValue',
        });
      return documents
        .map(
          ({ data: { url, status, reason, retry_count } }) => ({ url, status, reason, retry_count }) as Row,
        )
        .toSorted((a, b) => (a.url < b.url ? -1 : 1));
    },
  });
});

function suite({ where, rows }: Engine): void {
  let folder: string;
  let simulator: Simulator;
  let feed: MadeFeed;
  let later: number;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    monotonic: () => systemClock.monotonic() + later,
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-items-both-'));
    later = 0;
    simulator = await startSimulator({ clock, mastodon: { limits: false } });
    feed = simulator.feeds.create({ id: 'both' });
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const publish = (name: string, minutesAgo = 0): void =>
    void feed.publish({
      title: `The ${name} TypeScript compiler`,
      link: `https://News.example:443/${name}/?utm_source=rss`,
      publishedAt: clock.now() - minutesAgo * MINUTE,
    });

  interface Settings {
    readonly instance?: string;
    readonly desk?: Readonly<Record<string, unknown>>;
    readonly source?: Readonly<Record<string, unknown>>;
  }

  /** One run of the whole program, `after` so much time. */
  async function run(after = 0, { instance, desk, source }: Settings = {}): Promise<RunReport> {
    later += after;
    const newsroom = JSON.parse(
      newsroomText({ kind: 'summarise', destination: 'mastodon', feed: feed.url, where: where() }, simulator),
    );
    Object.assign(newsroom.pipelines.desk, { retry_limit: 2, ...desk });
    Object.assign(newsroom.sources.news, source);
    if (instance !== undefined) newsroom.publishers.mastodon.instance = instance;
    return inApp(JSON.stringify(newsroom), async (pipeline) => {
      const result = await pipeline.run(new AbortController().signal);
      if (!result.ran) throw new Error(result.why);
      return result.report;
    });
  }

  /** The same feed with a curator that limits the age. */
  async function curated() {
    const text = newsroomText(
      { kind: 'curate', destination: 'webhook', feed: feed.url, where: where() },
      simulator,
    );
    const newsroom = JSON.parse(text);
    newsroom.pipelines.desk.first_contact = { newer_than: '1h' };
    newsroom.sources.news.first_contact = undefined;
    return inApp(JSON.stringify(newsroom), async (desk) => {
      const result = await desk.run(new AbortController().signal);
      if (!result.ran) throw new Error(result.why);
      return { admitted: result.report.admitted, byState: (await desk.ledger.counts()).byState };
    });
  }

  async function inApp<T>(text: string, work: (desk: Pipeline) => Promise<T>): Promise<T> {
    const app = await openApp(newsroomConfig(text, folder, secretsOf(simulator)), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
    });
    try {
      return await work(app.pipelines.get('desk') ?? expect.fail('no pipeline'));
    } finally {
      await app[Symbol.asyncDispose]();
    }
  }

  const post = { service: 'mastodon', match: { method: 'POST', path: '/statuses' } } as const;
  const rowOf = async (name: string): Promise<Partial<Row>> => {
    const { url: _, ...row } =
      (await rows(folder)).find(({ url }) => url.includes(`/${name}/`)) ?? expect.fail(name);
    return row;
  };
  const posted = (name: string): number => simulator.mastodon.posted(`The ${name} TypeScript compiler`);

  it('B1 B5 B8 the URL is the feed’s own, and only what was posted has reason 0', async () => {
    publish('second');
    publish('first');
    await run(0, { desk: { max_per_run: 1 } });
    const url = (name: string) => `https://News.example:443/${name}/?utm_source=rss`;
    expect(await rows(folder)).toEqual([
      { url: url('first'), status: 3, reason: 0, retry_count: 0 },
      { url: url('second'), status: 0, reason: null, retry_count: 0 },
    ]);
  });

  it.each([422, 500])(
    'B10 B11 Mastodon’s %i: deferred with reason 5 and counted, past the limit processed with reason 6',
    async (status) => {
      publish('other');
      publish('bad');
      simulator.injectFault({
        ...post,
        match: { ...post.match, body: 'The bad' },
        how: 'status',
        status,
        times: 'always',
      });
      const report = await run();
      expect(report.items).toContainEqual(
        expect.objectContaining({
          outcome: 'deferred',
          why: expect.stringContaining(`Mastodon answered ${status}`),
        }),
      );
      expect(await rowOf('bad')).toEqual({ status: 1, reason: 5, retry_count: 1 });
      // Not before its wait is over; the others are posted meanwhile.
      publish('third');
      await run(2 * MINUTE);
      expect(await rowOf('bad')).toEqual({ status: 1, reason: 5, retry_count: 1 });
      await run(3 * HOUR);
      expect(await rowOf('bad')).toEqual({ status: 1, reason: 5, retry_count: 2 });
      for (let round = 0; round < 3; round++) await run(DAY);
      expect(await rowOf('bad')).toEqual({ status: 3, reason: 6, retry_count: 3 });
      expect(await rowOf('other')).toEqual({ status: 3, reason: 0, retry_count: 0 });
      expect(['bad', 'other', 'third'].map(posted)).toEqual([0, 1, 1]);
    },
  );

  const TRANSIENT_FAULTS: [string, Omit<FaultRule, 'service'>][] = [
    ['a 422', { how: 'status', status: 422, match: post.match }],
    ['a 500', { how: 'status', status: 500, match: post.match }],
    ['a 500 to every request', { how: 'status', status: 500, times: 'always', forMs: HOUR }],
    ['a post whose answer is lost', { how: 'lost_reply', match: post.match }],
    ['a connection that is reset', { how: 'reset', match: post.match }],
  ];
  it.each(TRANSIENT_FAULTS)(
    'B8 B10 X2 after %s it is posted once, and processed with reason 0',
    async (_, fault) => {
      publish('one');
      simulator.injectFault({ service: 'mastodon', ...fault });
      await run();
      expect(await rowOf('one')).toEqual({ status: 1, reason: 5, retry_count: 1 });
      for (let round = 0; round < 4 && (await rowOf('one')).status !== 3; round++) await run(2 * HOUR);
      expect(await rowOf('one')).toMatchObject({ status: 3, reason: 0 });
      expect(posted('one')).toBe(1);
      expect(simulator.mastodon.statuses()).toHaveLength(1);
    },
  );

  it('B10 an unreachable instance: deferred with reason 5, and posted once when it is back', async () => {
    publish('one');
    publish('two');
    await run(0, { instance: 'http://127.0.0.1:9' });
    expect(await rowOf('one')).toEqual({ status: 1, reason: 5, retry_count: 1 });
    expect(await rowOf('two')).toEqual({ status: 1, reason: 5, retry_count: 1 });
    await run(HOUR);
    expect(await rowOf('one')).toEqual({ status: 3, reason: 0, retry_count: 1 });
    expect(['one', 'two'].map(posted)).toEqual([1, 1]);
  });

  describe('first contact', () => {
    const hour = Array.from({ length: 20 }, (_, n) => n * 3 - 57);
    const statuses = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        Object.entries(Object.groupBy(await rows(folder), ({ status, reason }) => `${status} ${reason}`)).map(
          ([kind, some = []]) => [kind, some.length],
        ),
      );

    it.each([
      ['of the pipeline', { first_contact: { newer_than: '1h' } }, { first_contact: undefined }],
      ['of the source', { first_contact: undefined }, { first_contact: { newer_than: '1h' } }],
    ])(
      'B19 newer_than %s takes the whole hour, and records what is older as processed',
      async (_, desk, source) => {
        for (const minutes of [90, 600, 6000]) publish(`old-${minutes}`, minutes);
        for (const minutes of hour) publish(`m${-minutes}`, -minutes);
        await run(0, { desk: { ...desk, max_per_run: 1 }, source });
        expect(await statuses()).toEqual({ '3 null': 3, '3 0': 1, '0 null': 19 });
      },
    );

    it('B19 for a curator too newer_than includes the whole hour', async () => {
      for (const minutes of [90, 600, 6000]) publish(`old-${minutes}`, minutes);
      for (const minutes of hour) publish(`m${-minutes}`, -minutes);
      const { byState, admitted } = await curated();
      expect([byState.baseline, admitted]).toEqual([3, 20]);
    });
  });
}
