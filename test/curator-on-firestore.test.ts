import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { ArticleReader } from '../src/articles/article.ts';
import type { ItemKey } from '../src/item/item.ts';
import { keyOf, POLICY, sighting } from '../src/ledger/contract/subject.ts';
import { decideItem } from '../src/pipelines/decide-item.ts';
import type { Pipeline } from '../src/pipelines/pipeline.ts';
import type { Role } from '../src/scheduler/roles.ts';
import { FirestoreConnection } from '../src/storage/firestore/connection.ts';
import { openFirestoreCurator } from '../src/storage/firestore/curator/store.ts';
import { createEvents, silentEvents } from '../src/telemetry/events.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { silentMetrics } from '../src/telemetry/metrics.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../src/time/clock.ts';
import { DAY, MINUTE, SECOND } from '../src/time/duration.ts';
import {
  newsroomConfig,
  newsroomText,
  publishNews,
  quickReader,
  secretsOf,
} from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The whole program with a curator whose stores are in Firestore. */
requires('gcloud')('a curator on Firestore', () => {
  const firestore = emulatorForThisFile('firestore');
  const never = new AbortController().signal;
  let folder: string;
  let project: string;
  let simulator: Simulator;
  let later: number;
  const opened: AsyncDisposable[] = [];
  /** The clock moves only where a test moves it. */
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    monotonic: () => systemClock.monotonic() + later,
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-curator-'));
    project = freshProject();
    later = 0;
    simulator = await startSimulator({ clock, discord: { limits: false } });
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(feed: string, ...roles: Role[]): Promise<App> {
    return openReading(quickReader, feed, ...roles);
  }

  async function openReading(reader: ArticleReader, feed: string, ...roles: Role[]): Promise<App> {
    const where = { engine: 'firestore', emulator: firestore.host, project } as const;
    const text = newsroomText({ kind: 'curate', destination: 'webhook', feed, where }, simulator);
    const app = await openApp(newsroomConfig(text, folder, secretsOf(simulator)), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      ...(roles.length > 0 && { roles: new Set(roles) }),
      interpose: (infrastructure) => ({ ...infrastructure, reader }),
    });
    opened.push(app);
    return app;
  }

  function pipelineOf(app: App): Pipeline {
    return app.pipelines.get('desk') ?? expect.fail('no pipeline');
  }

  async function run(app: App): Promise<void> {
    expect((await pipelineOf(app).run(never)).ran).toBe(true);
  }

  /** Sends a request to the web replica as its owner. */
  async function ownerOf(app: App) {
    const server = await app.serve(0);
    opened.push(server);
    const link = await app.auth.accounts.ownerLink();
    const welcome = await fetch(`${server.url}/api/v1/welcome`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: link?.token, name: 'hana', password: 'a long enough password' }),
    });
    const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { csrfToken } = (await welcome.json()) as { csrfToken: string };
    return async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: {
          cookie,
          'x-csrf-token': csrfToken,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: answers are compared by their shape
      return { status: response.status, json: (text === '' ? null : JSON.parse(text)) as any };
    };
  }

  it('X13 X21 a web replica shows the dead letters that the scheduler made after its first read', async () => {
    const feed = publishNews(simulator, 'dead-letters', 1);
    const [web, scheduler] = [await open(feed.url, 'web'), await open(feed.url, 'scheduler', 'worker')];
    const call = await ownerOf(web);
    const items = '/items?pipeline=desk&state=parked';
    const deliveries = '/deliveries?pipeline=desk&state=parked';
    expect((await call('GET', items)).json.items).toEqual([]);
    expect((await call('GET', deliveries)).json.deliveries).toEqual([]);

    // A webhook whose reply was lost cannot be read back.
    simulator.injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    await run(scheduler);
    later += 6 * SECOND;
    const [item] = (await call('GET', items)).json.items;
    expect(item).toMatchObject({ state: 'parked', reason: 'delivery_unknown' });
    const [message] = (await call('GET', deliveries)).json.deliveries;
    expect(message).toMatchObject({ state: 'parked', itemKeys: [item.key] });
    expect((await pipelineOf(web).ledger.counts()).byState.parked).toBe(1);

    const decision = { pipeline: 'desk', key: item.key, decision: 'retry' };
    expect(await call('POST', '/item/decision', decision)).toMatchObject({
      status: 200,
      json: { messages: 1 },
    });
    // Its message is sent again, and nothing is judged again.
    expect((await pipelineOf(web).ledger.find(item.key))?.state).toBe('accepted');
    later += 120 * SECOND;
    await run(scheduler);
    expect(simulator.discord.messages()).toHaveLength(2);
    expect((await pipelineOf(scheduler).ledger.find(item.key))?.state).toBe('published');
  });

  it('X2 X21 a decision on what a web replica saw earlier is refused when the article was published since', async () => {
    const feed = publishNews(simulator, 'stale-click', 1);
    const [web, scheduler] = [await open(feed.url, 'web'), await open(feed.url, 'scheduler', 'worker')];
    const call = await ownerOf(web);
    simulator.injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    await run(scheduler);
    const [item] = (await call('GET', '/items?pipeline=desk&state=parked')).json.items;
    const [message] = (await call('GET', '/deliveries?pipeline=desk&state=parked')).json.deliveries;
    expect(item.state).toBe('parked');

    const { key } = item as { key: ItemKey };
    expect(await decideItem(pipelineOf(scheduler), key, { kind: 'sent' }, 'ken')).toMatchObject({
      done: true,
    });
    expect((await pipelineOf(scheduler).ledger.find(key))?.state).toBe('published');
    for (const decision of ['retry', 'park', 'drop', 'sent']) {
      const response = await call('POST', '/item/decision', { pipeline: 'desk', key, decision });
      expect(response).toMatchObject({ status: 409, json: { title: 'Nothing was changed' } });
      expect(response.json.detail).toMatch(/^an item that is published cannot /);
    }
    for (const decision of ['again', 'drop'])
      expect(
        await call('POST', '/deliveries/decision', { pipeline: 'desk', key: message.key, decision }),
      ).toMatchObject({ status: 409 });

    later += 120 * SECOND;
    await run(scheduler);
    expect(simulator.discord.messages()).toHaveLength(1);
    for (const app of [web, scheduler]) {
      expect((await pipelineOf(app).ledger.counts()).byState).toMatchObject({
        published: 1,
        parked: 0,
        waiting: 0,
      });
      expect((await pipelineOf(app).ledger.find(key))?.state).toBe('published');
    }
  });

  it('X21 what a run left undone because its lease expired is done by the next', async () => {
    const feed = publishNews(simulator, 'slow-page', 1);
    const { reader, requested, respond } = slowReader();
    const suspended = await openReading(reader, feed.url);
    const running = pipelineOf(suspended).run(never);
    await requested;
    later += 2 * MINUTE;
    respond();
    await expect(running).rejects.toThrow('lost its lease');
    expect(await suspended.engine.runs.last('desk')).toMatchObject({ outcome: 'stopped' });
    await run(suspended);
    expect((await pipelineOf(suspended).ledger.counts()).byState).toMatchObject({ rejected: 1, waiting: 0 });
  });

  it('X21 a run that lost its lease during a slow page records nothing about its articles', async () => {
    const feed = publishNews(simulator, 'slow-page', 1);
    const { reader, requested, respond } = slowReader();
    const suspended = await openReading(reader, feed.url);
    const running = pipelineOf(suspended).run(never);
    running.catch(() => {});
    await requested;
    // Longer than the lease of the run, shorter than that of its claims.
    later += 2 * MINUTE;
    const other = await open(feed.url);
    await run(other);
    expect((await pipelineOf(other).ledger.counts()).byState).toMatchObject({ published: 1, rejected: 0 });
    respond();
    await running.catch(() => {});
    expect((await pipelineOf(other).ledger.counts()).byState).toMatchObject({
      published: 1,
      rejected: 0,
      failed: 0,
    });
    const connection = new FirestoreConnection({
      project,
      emulator: firestore.host,
      clock,
      events: silentEvents,
    });
    opened.push(connection);
    for (const collection of ['rejected_articles', 'articles_candidates'])
      expect(await connection.query({ collection, where: [], orderBy: [] }, { where: [] })).toEqual([]);
  });

  /** Documents as the original curator wrote them: the ID is the URL of the feed, without fields of this program. */
  async function writeOriginals(at: Date): Promise<FirestoreConnection> {
    const connection = new FirestoreConnection({
      project,
      emulator: firestore.host,
      clock,
      events: silentEvents,
    });
    opened.push(connection);
    const idOf = (url: string) => url.replaceAll('/', '-');
    for (const [nth, url] of NOTIFIED.entries())
      await connection.commit([
        {
          do: 'set',
          at: ['notified_articles', idOf(url)],
          data: {
            notified_at: at,
            discord_message_id: '1234567890123456789',
            article_title: `TypeScript compiler, old ${nth}`,
            relevance_score: 80 + nth,
          },
        },
      ]);
    await connection.commit([
      {
        do: 'set',
        at: ['rejected_articles', idOf(REJECTED)],
        data: { evaluated_at: at, reason: 'low_relevance', relevance_score: 12 },
      },
    ]);
    return connection;
  }
  const NOTIFIED = [
    'https://news.example/plain',
    'https://news.example/slash/',
    'https://news.example:443/port',
    'https://News.example/tracked?utm_source=rss&id=3',
  ];
  const REJECTED = 'https://news.example/rejected/?utm_medium=feed';
  const FRESH = 'https://news.example/fresh/';
  const LATER = 'https://news.example/later/';

  function publishAll() {
    const feed = simulator.feeds.create({ id: 'taken-over' });
    for (const link of [...NOTIFIED, REJECTED, FRESH])
      feed.publish({ title: `TypeScript compiler at ${link}`, link, guid: link });
    return feed;
  }

  it('X22 A9 A14 X20 articles of the original curator are known, listed, counted and swept, and not published again', async () => {
    const at = new Date(clock.now() - 10 * DAY);
    const connection = await writeOriginals(at);
    const feed = publishAll();
    const app = await open(feed.url);
    const { ledger } = pipelineOf(app);
    expect((await ledger.list({ limit: 20 })).items).toHaveLength(5);
    await run(app);
    const announced = () =>
      simulator.discord.messages().flatMap(({ embeds }) => embeds.map(({ url }) => url));
    expect(announced()).toEqual([FRESH]);
    expect((await ledger.counts()).byState).toMatchObject({ published: 5, rejected: 1, waiting: 0 });
    const { items } = await ledger.list({ states: ['published', 'rejected'], limit: 20 });
    expect(items.map(({ checkedAt }) => checkedAt).filter((time) => time === at.getTime())).toHaveLength(5);
    for (let page = await ledger.list({ limit: 1 }), seen = 1; page.next !== null; seen++) {
      expect(page.items).toHaveLength(1);
      page = await ledger.list({ limit: 1, cursor: page.next });
      expect(seen).toBeLessThan(7);
    }
    const original = await connection.get(['notified_articles', 'https:--news.example-slash-']);
    expect(original.data()).toMatchObject({
      discord_message_id: '1234567890123456789',
      article_title: 'TypeScript compiler, old 1',
      relevance_score: 81,
    });
    expect(original.get('notified_at').toMillis()).toBe(at.getTime());

    // The originals are 91 days old then, and the new article 81.
    later += 81 * DAY;
    const swept = await pipelineOf(app).sweep({ dryRun: false });
    expect(swept).toMatchObject({ complete: true, swept: { published: 4, rejected: 1 } });
    expect((await connection.get(['notified_articles', 'https:--news.example-slash-'])).exists).toBe(false);
    expect((await ledger.counts()).byState).toMatchObject({ published: 1, rejected: 0 });
    const next = await open(feed.url);
    expect((await pipelineOf(next).ledger.counts()).tombstones).toBe(4);
    feed.publish({ title: 'TypeScript compiler, later', link: LATER, guid: LATER });
    await run(next);
    // What was rejected and swept may be judged again (A14).
    expect(announced().toSorted()).toEqual([FRESH, LATER, REJECTED].toSorted());
  });

  it('A7 A8 A9 A10 A12 articles whose IDs are the same are two documents, and another run changes none', async () => {
    const feed = simulator.feeds.create({ id: 'collide' });
    const [slash, dash] = ['https://news.example/a/b', 'https://news.example/a-b'] as const;
    const gone = 'https://news.example/gone';
    for (const link of [slash, dash, gone])
      feed.publish({ title: `TypeScript at ${link}`, link, guid: link });
    const reader: ArticleReader = {
      ...quickReader,
      read: async (url, ...more) =>
        url === gone
          ? { outcome: 'unreadable', why: 'not_found', detail: '404', retryable: false }
          : quickReader.read(url, ...more),
    };
    await run(await openReading(reader, feed.url));
    const connection = new FirestoreConnection({
      project,
      emulator: firestore.host,
      clock,
      events: silentEvents,
    });
    opened.push(connection);
    const documents = async (collection: string) => {
      const found = await connection.query({ collection, where: [], orderBy: [] }, { where: [] });
      return found.toSorted((one, other) => one.id.localeCompare(other.id));
    };
    const notified = await documents('notified_articles');
    const [message] = simulator.discord.messages();
    expect(notified.map(({ id }) => id)).toEqual([
      'https:--news.example-a-b',
      expect.stringMatching(/^https:--news\.example-a-b~[0-9a-f]{16}$/),
    ]);
    expect(new Set(notified.map((found) => found.get('article_url')))).toEqual(new Set([slash, dash]));
    for (const found of notified) {
      const url = found.get('article_url') as string;
      expect(found.data()).toMatchObject({
        discord_message_id: message?.id,
        article_title: `TypeScript at ${url}`,
        relevance_score: expect.any(Number),
      });
      expect(found.get('notified_at').toMillis()).toBeGreaterThan(0);
    }
    const rejected = await documents('rejected_articles');
    expect(rejected.map((found) => [found.id, found.get('reason'), found.get('relevance_score')])).toEqual([
      ['https:--news.example-gone', 'content_extraction_failed', null],
    ]);

    later += 120 * SECOND;
    await run(await openReading(reader, feed.url));
    expect(simulator.discord.messages()).toHaveLength(1);
    for (const [collection, before] of [
      ['notified_articles', notified],
      ['rejected_articles', rejected],
    ] as const)
      expect((await documents(collection)).map((found) => found.updateTime)).toEqual(
        before.map((found) => found.updateTime),
      );
  });

  it('A11 A19 X22 200 articles never cost more than 400 reads, whatever the form of their URLs', async () => {
    const read = async (forms: (nth: number) => { key: ItemKey; url: string }): Promise<number> => {
      const reads: Record<string, number> = {};
      const events = createEvents(silentLogger, {
        ...silentMetrics,
        add: (name, n, labels) => {
          if (name !== 'firestore_reads_total') return;
          reads[labels?.collection ?? ''] = (reads[labels?.collection ?? ''] ?? 0) + n;
        },
      });
      const connection = new FirestoreConnection({ project, emulator: firestore.host, clock, events });
      opened.push(connection);
      const { ledger } = openFirestoreCurator({ connection, clock, policy: POLICY });
      const sightings = Array.from({ length: 200 }, (_, nth) => sighting(`n${nth}`, forms(nth)));
      expect(new Set(await ledger.admit(sightings, {}))).toEqual(new Set(['new']));
      return (reads.notified_articles ?? 0) + (reads.rejected_articles ?? 0);
    };
    const plain = (name: string) => (nth: number) => ({
      key: keyOf(`${name}${nth}`),
      url: keyOf(`${name}${nth}`),
    });
    const slashed = (name: string) => (nth: number) => ({
      key: keyOf(`${name}${nth}`),
      url: `${keyOf(`${name}${nth}`)}/`,
    });
    expect(await read(plain('a'))).toBe(400);
    // Two forms of each in both collections, 30 to a query that finds nothing.
    expect(await read(slashed('b'))).toBe(28);
    project = freshProject();
    // From the first article on that is recorded under another form than its key, keys are searched for, too.
    await run(await open(publishAll().url));
    expect(await read(plain('c'))).toBe(28);
    expect(await read(slashed('d'))).toBe(42);
  });
});

/** Pages that do not exist, reported after a delay. */
function slowReader(): { reader: ArticleReader; requested: Promise<void>; respond: () => void } {
  const [requested, responded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reader: ArticleReader = {
    ...quickReader,
    async read() {
      requested.resolve();
      await responded.promise;
      return { outcome: 'unreadable', why: 'not_found', detail: 'gone', retryable: false };
    },
  };
  return { reader, requested: requested.promise, respond: responded.resolve };
}
