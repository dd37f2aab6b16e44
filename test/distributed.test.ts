import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSimulator } from '../simulator/simulator.ts';
import type { Video } from '../simulator/youtube/video.ts';
import { type App, openApp } from '../src/app/app.ts';
import { type DistributedEngine, openDistributed } from '../src/app/distributed.ts';
import { type CuratorStores, claimsOf } from '../src/app/engine.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import { openSources } from '../src/app/maintenance.ts';
import type { ArticleReader } from '../src/articles/article.ts';
import { type Config, parseConfig } from '../src/config/config.ts';
import type { PipelineConfig } from '../src/config/resolve.ts';
import type { ItemKey } from '../src/item/item.ts';
import type { State } from '../src/item/lifecycle.ts';
import type { Judge } from '../src/judge/judge.ts';
import { keyOf, LEASE_MS, present, sighting, transition } from '../src/ledger/contract/subject.ts';
import { type CurateDependencies, curate } from '../src/pipelines/curate.ts';
import { noEntries } from '../src/pipelines/no-entries.fixture.ts';
import { rulesAlone } from '../src/pipelines/story-deciders.fixture.ts';
import type { Publisher } from '../src/publishers/publisher.ts';
import { FirestoreRelay } from '../src/storage/firestore/relay.fixture.ts';
import { createMemoryVerdictCache } from '../src/storage/memory/judge-stores.ts';
import { createEvents, type Events, silentEvents } from '../src/telemetry/events.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { silentMetrics } from '../src/telemetry/metrics.ts';
import { openConfiguredTelemetry, silentTelemetry } from '../src/telemetry/telemetry.ts';
import { systemClock } from '../src/time/clock.ts';
import { DAY, HOUR, MINUTE } from '../src/time/duration.ts';
import { newsroomConfig, newsroomText, publishNews, secretsOf } from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import {
  DISTRIBUTED_METRICS,
  hasSeries,
  type ReferencedMetric,
  referencedMetrics,
  scrape,
  sumOf,
} from './metrics.ts';
import { forThisFile, startRedis } from './redis.ts';
import { requires } from './requirements.ts';
import { allSettings, DISTRIBUTED_SETTINGS, recordReads, SECURE_SETTINGS } from './settings.ts';
import { PubSubRest } from './takeover/videos.fixture.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('gcloud')('the distributed engine', () => {
  const firestore = emulatorForThisFile('firestore');
  const pubsub = emulatorForThisFile('pubsub');
  let folder: string;
  const opened: AsyncDisposable[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-distributed-'));
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const curator = (id: string): string => `
  ${id}:
    kind: curate
    sources: [news]
    interests: [{ topic: databases }]
    publish: [timeline]`;
  const videos = `
  videos:
    kind: process
    sources: [channel]
    queue: pubsub
    processor: { command: ['true'] }`;

  async function open(
    project: string,
    pipelines: string,
    { host = firestore.host, events = silentEvents as Events } = {},
  ): Promise<{ engine: DistributedEngine; config: Config; pipeline(id: string): PipelineConfig }> {
    const text = `
engine:
  kind: distributed
  project: ${project}
  firestore: { emulator: '${host}' }
  pubsub: { emulator: '${pubsub.host}' }
timelines: { store: memory }
data: ${folder}
sources:
  news: { feed: https://news.example/feed.xml }
  channel: { youtube: UCabcdefghijklmnopqrstuv }
pipelines:${pipelines}
`;
    const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const engine = await openDistributed(loaded.config, systemClock, { ...silentTelemetry, events });
    opened.push(engine);
    return { engine, config: loaded.config, pipeline: (id) => present(loaded.config.pipelines[id]) };
  }

  it('A7 the first curator has the collections of the contract, the second its own, in whatever order they are configured', async () => {
    const project = freshProject();
    const first = await open(project, curator('morning') + curator('evening'));
    const allStores = [];
    for (const id of ['morning', 'evening'])
      allStores.push(await first.engine.pipelineStores(first.pipeline(id)));
    for (const [index, stores] of allStores.entries()) {
      if (!('curator' in stores)) throw new Error('Expected the stores of a curator.');
      await stores.ledger.admit([sighting(`a${index}`)], {});
      const [article] = await stores.curator.pending(1, 0);
      const { item } = present(article);
      const reject = transition(item, { type: 'reject', reason: 'low_relevance' }, systemClock.now());
      expect(await stores.curator.saveVerdict(present(article), reject)).toEqual({ outcome: 'saved' });
    }
    const next = await open(project, curator('evening') + curator('morning'));
    const evening = await next.engine.pipelineStores(next.pipeline('evening'));
    const morning = await next.engine.pipelineStores(next.pipeline('morning'));
    expect(await morning.ledger.known([keyOf('a0'), keyOf('a1')])).toEqual(new Set([keyOf('a0')]));
    expect(await evening.ledger.known([keyOf('a0'), keyOf('a1')])).toEqual(new Set([keyOf('a1')]));
  });

  it('C9 C12 drops received by ActivityPub are in Firestore, where all replicas read them', async () => {
    const project = freshProject();
    const first = await open(project, curator('morning'));
    const entry = { id: 'far', createdAt: 5 };
    await first.engine.timelines.received.add([entry, { id: 'gone', createdAt: 6 }]);
    await first.engine.timelines.received.remove(['gone']);
    const next = await open(project, curator('morning'));
    expect(await next.engine.timelines.received.newest({ limit: 9 })).toEqual([entry]);
    expect(existsSync(join(folder, 'received.db'))).toBe(false);
  });

  it('B19 the state of a removed source is deleted, and adding it again is a first contact', async () => {
    const { engine, config } = await open(freshProject(), curator('morning'));
    const record = {
      memory: {},
      movedTo: null,
      lastTriedAt: 1,
      lastSuccessAt: 1,
      lastTrouble: null,
      failuresInARow: 0,
      nextAt: null,
      itemsSeen: 3,
      baselineTakenAt: 1,
      reported: null,
    };
    for (const sourceId of ['added', 'channel']) await engine.sources.save({ sourceId, ...record });
    const opml =
      '<opml version="2.0"><body><outline text="Added" xmlUrl="https://added.example/"/></body></opml>';
    const sources = await openSources(config, '0');
    try {
      expect(await sources.editing.importOpml(opml, { dryRun: false })).toMatchObject({
        added: [{ id: 'added' }],
      });
      expect(await sources.editing.remove('added')).toEqual({ ok: true });
      expect(await sources.editing.remove('added')).toMatchObject({ ok: false, why: 'unknown' });
    } finally {
      await sources[Symbol.asyncDispose]();
    }
    expect((await engine.sources.list()).map(({ sourceId }) => sourceId)).toEqual(['channel']);
  });

  it('D3 D7 a video is recorded, queued by Pub/Sub, and processed once', async () => {
    const { engine, pipeline } = await open(freshProject(), videos);
    const stores = await engine.pipelineStores(pipeline('videos'));
    const { policy } = stores;
    const ledger = claimsOf(stores);
    const queue = await engine.queueFor(pipeline('videos'), ledger);
    expect(queue.abilities.separate).toBe(true);
    const key = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' as ItemKey;
    expect(await ledger.admit([sighting('v', { key })], { handOver: true })).toEqual(['new']);
    const keys = await ledger.pendingHandOver({ limit: 10 });
    const { items } = await ledger.list({ limit: 10 });
    await queue.enqueue([...items, ...items]);
    await ledger.markHandedOver(keys);
    const worked: string[] = [];
    const stop = new AbortController();
    let deliveries = 0;
    await queue.consume(
      async (delivery) => {
        // It was delivered twice.
        if (++deliveries === 2) stop.abort();
        const claim = await ledger.claim(delivery.key, { owner: 'w', leaseMs: LEASE_MS });
        if (claim === null) return 'done';
        worked.push(claim.item.key);
        await ledger.record(claim, transition(claim.item, { type: 'publish' }, systemClock.now()));
        return 'done';
      },
      { concurrency: 2, signal: stop.signal },
    );
    expect(worked).toEqual([key]);
    expect(policy.retryLimit).toBeGreaterThan(0);
    expect((await ledger.find(key))?.state).toBe('published');
  });

  it('X22 D1 D2 D6 D9 videos recorded by the original programs are known, and their status is continued', async () => {
    let offsetMs = 0;
    const clock = skewedClock(() => offsetMs);
    const simulator = await startSimulator({ clock, youtube: { videoMs: 20 * HOUR } });
    opened.push(simulator);
    const { youtube } = simulator;
    const channel = present(youtube.channels.find(({ handle }) => handle === '@datatalks') ?? null);
    // A time at which the last five uploads are plain videos, neither premieres nor shorts.
    const latest = (): readonly Video[] => youtube.uploads(channel, clock.now(), 0, 5);
    offsetMs = Date.UTC(2026, 0, 1) - Date.now();
    while (!latest().every(({ kind }) => kind === 'video')) offsetMs += 20 * HOUR;
    const [queued = '', processing = '', completed = '', failed = '', fresh = ''] = latest().map(
      ({ id }) => id,
    );
    const project = freshProject();
    const seed = new Firestore({ projectId: project, host: firestore.host, ssl: false });
    opened.push({ [Symbol.asyncDispose]: () => seed.terminate() });
    const ago = (ms: number): Timestamp => Timestamp.fromMillis(clock.now() - ms);
    // As check-new-video writes it, and then as the worker's update_status changes it.
    const record = (id: string, more: object = {}): Promise<unknown> =>
      seed
        .collection('processed_videos')
        .doc(id)
        .set({
          videoId: id,
          status: 'queued',
          queuedAt: ago(2 * MINUTE),
          title: `Title of ${id}`,
          channelId: channel.id,
          channelTitle: 'A channel',
          publishedAt: '2024-12-31T10:00:00Z',
          ...more,
        });
    await record(queued);
    await record('olderQueued', { updatedAt: '2024-12-31T10:00:00Z', queuedAt: '2024-12-31T10:00:00Z' });
    await record(processing, { status: 'processing', updatedAt: ago(MINUTE) });
    await record('workerDied0', { status: 'processing', queuedAt: ago(9 * HOUR), updatedAt: ago(8 * HOUR) });
    await record(completed, { status: 'completed', updatedAt: ago(MINUTE) });
    await record(failed, { status: 'failed', updatedAt: ago(MINUTE), errorMessage: 'no chapters' });
    await record('laterDone00', { status: 'processing', updatedAt: ago(MINUTE) });

    const log = join(folder, 'processed.txt');
    const command = ['sh', '-c', `cat >> ${log}; echo >> ${log}`];
    const where = { engine: 'firestore', project, emulator: firestore.host } as const;
    const text = newsroomText(
      { kind: 'process', destination: 'webhook', feed: '', command, where },
      simulator,
    );
    const settings = JSON.parse(text) as { sources: object; pipelines: { desk: object } };
    const news = { youtube: '@datatalks', every: '1s', look_back: '100h', first_contact: { newest: 1000 } };
    const edited = { ...settings, sources: { news } };
    const config = newsroomConfig(JSON.stringify(edited), folder, secretsOf(simulator));
    // YouTube's own addresses, served by the simulator.
    const here = (url: string): string => url.replace('https://www.youtube.com', simulator.urls.youtube);
    const interpose = (infrastructure: Infrastructure): Infrastructure => ({
      ...infrastructure,
      fetcher: {
        fetch: (request, signal) =>
          infrastructure.fetcher.fetch({ ...request, url: here(request.url) }, signal),
        [Symbol.asyncDispose]: async () => {},
      },
    });
    const start = async (): Promise<App> => {
      const app = await openApp(config, { telemetry: silentTelemetry, version: '0', clock, interpose });
      opened.push(app);
      return app;
    };
    const processed = (): string[] =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { videoId: string }).videoId);
    const workUntil = async (app: App, ids: readonly string[]): Promise<void> => {
      const stop = new AbortController();
      const pipeline = present(app.pipelines.get('desk') ?? null);
      await pipeline.run(stop.signal);
      const background = pipeline.runBackgroundWork(stop.signal);
      const states = (): Promise<unknown[]> =>
        Promise.all(
          ids.map(
            async (id) =>
              (await pipeline.ledger.find(`https://www.youtube.com/watch?v=${id}` as ItemKey))?.state,
          ),
        );
      await vi.waitFor(async () => expect(await states()).toEqual(ids.map(() => 'published')), {
        timeout: 60_000,
        interval: 200,
      });
      expect(processed().toSorted()).toEqual(ids.toSorted());
      stop.abort();
      await background;
    };
    const app = await start();
    const pipeline = present(app.pipelines.get('desk') ?? null);
    const first = [queued, fresh, 'olderQueued', 'workerDied0'];
    await workUntil(app, first);
    // The original worker, still running beside us, completes one.
    await seed
      .collection('processed_videos')
      .doc('laterDone00')
      .update({ status: 'completed', updatedAt: ago(0) });
    const dead = await pipeline.ledger.list({ states: ['failed'], limit: 10 });
    expect(dead.items).toMatchObject([{ url: expect.stringContaining(failed), detail: 'no chapters' }]);
    expect((await pipeline.ledger.counts()).byState).toMatchObject({ failed: 1 });

    offsetMs += 3 * HOUR;
    const again = await start();
    const key = present(dead.items[0] ?? null).key;
    const { ledger } = present(again.pipelines.get('desk') ?? null);
    expect(await ledger.intervene(key, { type: 'requeue' }, 'owner')).toMatchObject({ done: true });
    await workUntil(again, [...first, processing, failed]);
    const documents = await seed.collection('processed_videos').get();
    const statuses = documents.docs.map((found) => [found.id, found.get('status') as string]);
    expect(statuses.filter(([, status]) => status !== 'completed')).toEqual([]);
    expect((await ledger.counts()).byState).toMatchObject({ published: 8, waiting: 0, failed: 0 });
  });

  it('A1 A11 A19 a run over 200 articles, counted on the wire and by the meter', async () => {
    const relay = await new FirestoreRelay(firestore.host).start();
    opened.push(relay);
    const counted = new Map<string, number>();
    const metrics = {
      ...silentMetrics,
      add: (name: string, n: number, labels?: Readonly<Record<string, string>>) => {
        const of = `${name} ${labels?.collection ?? labels?.code}`;
        counted.set(of, (counted.get(of) ?? 0) + n);
      },
    };
    const events = createEvents(silentLogger, metrics);
    const { engine, pipeline } = await open(freshProject(), curator('morning'), {
      host: relay.address,
      events,
    });
    const stores = await engine.pipelineStores(pipeline('morning'));
    if (!('curator' in stores)) throw new Error('Expected the stores of a curator.');
    const articles = Array.from({ length: 200 }, (_, n) =>
      sighting(`n${n}`, { title: `Story number ${n}: ${'abcdefghij'[n % 10]?.repeat(9)}` }),
    );
    const sent: string[] = [];
    let lookUps = 0;
    const deps = curatorParts(stores, sent, async () => {
      const before = relay.calls.get('BatchGetDocuments') ?? 0;
      await stores.ledger.admit(articles, {});
      lookUps = (relay.calls.get('BatchGetDocuments') ?? 0) - before;
      return { read: 1, failed: 0, admitted: 200 };
    });
    await curate(deps, new AbortController().signal);
    expect(lookUps).toBe(1);
    expect(sent).toHaveLength(1);
    expect(counted.get('firestore_reads_total notified_articles')).toBeGreaterThanOrEqual(200);
    // Fifteen more than there are articles: whether a recent rejection has an outdated verdict, two counts that show
    // whether another program recorded some, the five chosen ones twice, for the message and the report, and the two that
    // compete again.
    expect(counted.get('firestore_reads_total rejected_articles')).toBe(215);
    // 193 bad, 7 good: 5 posted, 2 compete again.
    expect(counted.get('firestore_writes_total rejected_articles')).toBe(193);
    expect(counted.get('firestore_writes_total notified_articles')).toBe(5);
    expect(counted.get('firestore_writes_total articles_candidates')).toBe(2);
    expect(counted.get('firestore_writes_total articles_outbox')).toBe(2);
    // Admitted in one document, which is deleted when all are judged.
    expect(counted.get('firestore_writes_total articles_waiting')).toBe(1);
    const { used, free } = await engine.usageToday();
    expect(used.writes).toBeGreaterThanOrEqual(202);
    expect(free).toEqual({ reads: 50_000, writes: 20_000, deletes: 20_000 });

    // The next run reads the same feed: nothing is new, nothing is judged or sent again.
    await curate(deps, new AbortController().signal);
    expect(counted.get('firestore_writes_total rejected_articles')).toBe(193);
    expect(sent).toHaveLength(1);
  });

  requires('redis-server')('the telemetry of a whole newsroom', () => {
    const redis = forThisFile(startRedis);

    it('X15 X24 A17 C25 D3 D6 D10 every metric of Firestore, Redis and remote services has a series of the right value', async () => {
      const simulator = await startSimulator();
      const relay = await new FirestoreRelay(firestore.host).start();
      opened.push(simulator, relay);
      const project = freshProject();
      const env = { SERVICE_TOKEN: 'the-services-of-this-newsroom-know-it' };
      let offsetMs = 0;
      const start = async (name: string, yaml: string) => {
        const text = `
data: ${join(folder, name)}
network: { allow: ['127.0.0.1'], host_spacing: 0s }
telemetry: { log_level: silent }
${yaml}`;
        const loaded = parseConfig(text, join(folder, `${name}.yaml`), env);
        if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
        const { config, read } = recordReads(loaded.config);
        const telemetry = await openConfiguredTelemetry(config, '0');
        const clock = skewedClock(() => offsetMs);
        const app = await openApp(config, { telemetry, version: '0', clock });
        const serving = await app.serve();
        opened.push(telemetry, app, serving);
        return { app, serving, read };
      };
      const people = await start(
        'people',
        `
timelines: { redis: { nodes: ['${redis().address}'], prefix: 'people:' } }
server: { port: 0, grpc: { enabled: true, port: 0, service_token: { env: SERVICE_TOKEN } } }`,
      );
      const { app, serving, read } = await start(
        'newsroom',
        `
engine:
  kind: distributed
  project: ${project}
  firestore: { emulator: '${relay.address}' }
  pubsub: { emulator: '${pubsub.host}' }
  redis: { nodes: ['${redis().address}'] }
timelines:
  user_service: '${people.serving.grpc}'
  post_service: '${people.serving.grpc}'
  service_token: { env: SERVICE_TOKEN }
server: { port: 0 }
stories: { enabled: true, source: verdicts, environment: ci }
sources:
  news: { feed: '${publishNews(simulator, 'news', 3).url}' }
  talks: { youtube: '@datatalks', feed_url: '${simulator.urls.youtube}' }
pipelines:
  videos: { kind: process, sources: [talks], every: 1h, queue: pubsub, processor: { command: ['true'] }, publish: [] }
  desk:
    kind: curate
    sources: [news]
    every: 1h
    interests: [{ topic: TypeScript, aliases: [compiler] }]
    min_articles: 1
    min_relevance_score: 0
    publish: [timeline]`,
      );
      const settings = allSettings().filter(
        (path) =>
          DISTRIBUTED_SETTINGS.some((known) => known.test(path)) &&
          !SECURE_SETTINGS.some((known) => known.test(path)),
      );
      expect(settings.filter((path) => !read.has(path) && !people.read.has(path))).toEqual([]);

      const { url } = serving;
      const value = async (name: string, labels?: Record<string, string>) =>
        sumOf(await scrape(url), name, labels);
      const stop = new AbortController();
      const background = app.run(stop.signal);
      opened.push({
        async [Symbol.asyncDispose]() {
          stop.abort();
          await background;
        },
      });
      const POLL = { timeout: 60_000, interval: 100 };
      const finished = () => value('kawaraban_runs_total', { pipeline: 'desk', outcome: 'finished' });
      await expect.poll(finished, POLL).toBe(1);
      await expect.poll(() => value('kawaraban_events_total', { outcome: 'handled' }), POLL).toBe(3);
      const videos = present(app.pipelines.get('videos') ?? null).ledger;
      const inState = async (...states: State[]) => (await videos.list({ states, limit: 100 })).items.length;
      await expect.poll(() => inState('published'), POLL).toBeGreaterThan(0);
      await expect.poll(() => inState('waiting', 'accepted', 'deferred', 'failed'), POLL).toBe(0);
      await new PubSubRest(pubsub.host, project).publish('kawaraban-videos', 'no video');
      await expect.poll(() => value('kawaraban_malformed_messages_total'), POLL).toBe(1);
      expect(await value('kawaraban_redis_up')).toBe(1);
      expect(await value('kawaraban_redis_memory_bytes')).toBeGreaterThan(100_000);
      expect(await value('kawaraban_service_calls_total', { method: 'CreateDrop', outcome: 'ok' })).toBe(3);
      expect(await value('firestore_writes_total', { collection: 'notified_articles' })).toBe(3);
      expect(await value('firestore_errors_total', { code: 'ResourceExhausted' })).toBeNull();

      relay.refuseAll('RESOURCE_EXHAUSTED');
      await expect.poll(() => value('kawaraban_loop_failures_total'), POLL).toBeGreaterThan(0);
      relay.refuseAll(null);

      await redis().kill();
      await fetch(`${url}/api/v1/timelines/local`);
      await expect.poll(() => value('kawaraban_redis_up'), POLL).toBe(0);
      offsetMs = 400 * DAY;
      await app.retention.sweep({ dryRun: false }, stop.signal);
      const series = await scrape(url);
      expect(sumOf(series, 'firestore_deletes_total', { collection: 'notified_articles' })).toBe(3);
      await redis().start();
      const referenced = referencedMetrics().filter(({ name }) => DISTRIBUTED_METRICS.test(name));
      expect(referenced.length).toBeGreaterThan(20);
      const withoutSeries = /^kawaraban_redis_(up|memory_bytes)$/;
      // It ends the program: firestore-errors.test.ts.
      const fatal = (one: ReferencedMetric): boolean => one.matchers.code?.test('PermissionDenied') === true;
      const missing = referenced.filter(
        (one) => !hasSeries(one, series) && !withoutSeries.test(one.name) && !fatal(one),
      );
      expect(missing.map(({ by, name }) => `${by}: ${name}`)).toEqual([]);
    });
  });

  function curatorParts(
    stores: CuratorStores,
    sent: string[],
    readyFor: CurateDependencies['poller']['readyFor'],
  ): CurateDependencies {
    const publisher: Publisher = {
      id: 'discord',
      abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 10 },
      render: ({ items }) => ({ body: items.map(({ item }) => item.key).join('\n'), templateVersion: '1' }),
      send: async ({ body }) => {
        sent.push(body);
        return { outcome: 'sent', remoteId: '123456789012345678' };
      },
      readBack: async () => ({ outcome: 'absent' }),
    };
    const judge: Pick<Judge, 'id' | 'evaluate'> = {
      id: 'test',
      evaluate: async ({ url }) => ({
        outcome: 'judged',
        value: {
          score: Number(/n(\d+)$/.exec(url)?.[1]) < 7 ? 90 : 20,
          topics: ['databases'],
          summary: 'A summary that is long enough to pass for one in this place of the test.',
          reason: 'It says so.',
        },
        by: { judge: 'test', model: 'test-1', promptVersion: '1', provisional: false } as never,
      }),
    };
    const reader: Pick<ArticleReader, 'read'> = {
      read: async (url) => ({
        outcome: 'article',
        article: { url, title: url, text: `A text about ${url}.`, headings: [], language: 'en' } as never,
      }),
    };
    return {
      pipeline: 'morning',
      events: silentEvents,
      ledger: stores.ledger,
      outbox: stores.outbox,
      policy: stores.policy,
      clock: systemClock,
      owner: 'test',
      claims: null,
      store: stores.curator,
      publishers: [publisher],
      entries: noEntries,
      settings: {
        minRelevanceScore: 70,
        maxArticles: 5,
        minArticles: 3,
        concurrency: 8,
        maxJudged: 1000,
        sameStory: false,
      },
      interests: { topics: [], version: '1' },
      judge: judge as Judge,
      reader: reader as ArticleReader,
      poller: { readyFor },
      sources: [],
      history: createMemoryVerdictCache(),
      learning: null,
      stories: rulesAlone(),
    };
  }
});
