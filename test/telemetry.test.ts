import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannel, createClient } from 'nice-grpc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimelineServiceDefinition } from '../proto/gen/avion/timeline.ts';
import { GEMINI_KEY } from '../simulator/gemini/gemini.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { openConfiguredTelemetry } from '../src/telemetry/telemetry.ts';
import { DAY } from '../src/time/duration.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import {
  DISTRIBUTED_METRICS,
  hasSeries,
  referencedMetrics,
  type Series,
  scrape,
  sumOf,
  TLS_METRICS,
} from './metrics.ts';
import { Program } from './program.ts';
import { StreamReader } from './stream-reader.ts';
import { factOf, type SentSpan, SpanSink } from './trace-collector.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const POLL = { timeout: 60_000, interval: 50 };

/** Part of an article that matches no topic of this newsroom. */
const IRRELEVANT = 'Open-source chip design';

/** Label values that this newsroom does not produce, with the test that produces them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'kawaraban_requests_total status=5..|INTERNAL|UNKNOWN': 'src/server/grpc',
  'kawaraban_requests_total protocol=grpc status=INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED':
    'test/grpc/faults.test.ts',
  'kawaraban_streams_closed_total cause=slow': 'src/timelines/stream-slow-readers.test.ts',
};

describe('the telemetry of a whole newsroom on the embedded engine', () => {
  let folder: string;
  let simulator: Simulator;
  const open: AsyncDisposable[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-telemetry-'));
    simulator = await startSimulator();
    open.push(simulator);
  });
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const configuration = (telemetry = '', processor = "[sh, -c, 'cat gate']"): string => `
data: ${folder}
server: { port: 0, stop_within: 1s, grpc: { enabled: true, port: 0 } }
network: { allow: ['127.0.0.1', '::1'], host_spacing: 0s }
telemetry: { log_level: silent${telemetry} }
sources:
  herald: { feed: '${simulator.urls.feeds}/byte-herald/feed.xml', every: 1m, first_contact: { newest: 6 } }
  lost: { feed: '${simulator.urls.feeds}/no-such-outlet/feed.xml', every: 1m }
  talks: { youtube: '@datatalks', feed_url: '${simulator.urls.youtube}', every: 1m, look_back: 2.5h }
judges:
  remote:
    kind: gemini
    model: gemini-2.5-flash
    key: { env: GEMINI_KEY }
    base_url: '${simulator.urls.gemini}/v1beta'
    price: { input: 1, output: 2 }
    limits: { calls_per_minute: 1000 }
publishers:
  discord: { kind: discord-webhook, url: { env: WEBHOOK } }
pipelines:
  morning:
    kind: curate
    sources: [herald, lost]
    every: 1h
    judge: remote
    interests: [{ topic: databases, aliases: [database, SQL] }]
    min_relevance_score: 1
    min_articles: 1
    first_contact: { newest: 6 }
    publish: [discord, timeline]
  videos:
    kind: process
    sources: [talks]
    every: 1h
    processor: { command: ${processor} }
    publish: [timeline]
`;

  /** The program with all its background work running. */
  async function start(offsetMs: () => number, network: () => 'online' | 'offline' | 'broken') {
    const env = { GEMINI_KEY, WEBHOOK: simulator.discord.webhookUrl };
    const loaded = parseConfig(configuration(), join(folder, 'kawaraban.yaml'), env);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const telemetry = await openConfiguredTelemetry(loaded.config, '0');
    open.push(telemetry);
    const app = await openApp(loaded.config, {
      telemetry,
      version: '0',
      clock: skewedClock(offsetMs),
      interpose: (infrastructure) => ({
        ...infrastructure,
        fetcher: {
          ...infrastructure.fetcher,
          fetch: (request, signal) =>
            network() === 'offline'
              ? Promise.resolve({ outcome: 'failed', why: 'offline', detail: 'no network', sent: false })
              : infrastructure.fetcher.fetch(request, signal),
        },
        reader: {
          ...infrastructure.reader,
          read: (url, signal) =>
            network() === 'broken'
              ? Promise.reject(new Error('out of memory'))
              : infrastructure.reader.read(url, signal),
        },
      }),
    });
    open.push(app);
    const serving = await app.serve();
    open.push(serving);
    const stop = new AbortController();
    const background = app.run(stop.signal);
    open.push({
      async [Symbol.asyncDispose]() {
        stop.abort();
        await background;
      },
    });
    return { app, serving };
  }

  const run = async (app: App, id: string): Promise<void> => {
    await app.pipelines.get(id)?.run(new AbortController().signal);
  };

  it('X15 X24 D10 every metric that a panel, an alert or the reference names has a series of the right value', async () => {
    execFileSync('mkfifo', [join(folder, 'gate')]);
    let offsetMs = 0;
    let network: 'online' | 'offline' | 'broken' = 'online';
    // One call of the judge fails, and the first message is refused.
    simulator.injectFault({ service: 'gemini', how: 'status', status: 503, match: { body: IRRELEVANT } });
    simulator.injectFault({ service: 'discord', how: 'status', status: 400, times: 1 });
    const { app, serving } = await start(
      () => offsetMs,
      () => network,
    );
    const { url } = serving;
    const value = async (name: string, labels?: Record<string, string>) =>
      sumOf(await scrape(url), name, labels);
    const finished = (pipeline: string) => value('kawaraban_runs_total', { pipeline, outcome: 'finished' });

    const stream = await StreamReader.open(`${url}/events/timeline/local`);
    await expect.poll(() => stream.lastId, POLL).not.toBe('');
    expect(await value('kawaraban_streams_open')).toBe(1);
    await expect.poll(() => finished('morning'), POLL).toBe(1);
    await expect.poll(() => finished('videos'), POLL).toBe(1);

    const [spend] = await app.newsroom.judges();

    // One is being processed, and the others wait.
    const videos = (await value('kawaraban_sightings_total', { pipeline: 'videos', outcome: 'new' })) ?? 0;
    await expect.poll(() => value('kawaraban_queue_depth', { pipeline: 'videos' }), POLL).toBe(videos - 1);

    // The machine sleeps while a video is being processed: its claim has expired when it wakes up.
    offsetMs = DAY;
    await writeFile(join(folder, 'gate'), 'done');
    await expect.poll(() => value('kawaraban_claims_lost_total', { pipeline: 'videos' }), POLL).toBe(1);

    network = 'offline';
    await run(app, 'morning');
    // What was deferred is due again, and reading it fails the run.
    network = 'broken';
    offsetMs = 2 * DAY;
    await expect(run(app, 'morning')).rejects.toThrow('out of memory');
    network = 'online';

    const channel = createChannel(serving.grpc ?? '');
    await createClient(TimelineServiceDefinition, channel).getLocalTimeline({});
    channel.close();
    await fetch(`${url}/api/v1/timelines/local`);
    await expect.poll(() => value('kawaraban_event_lag_seconds_count'), POLL).toBeGreaterThan(0);
    stream.close();
    await expect.poll(() => value('kawaraban_streams_closed_total', { cause: 'reader' }), POLL).toBe(1);

    const series = await scrape(url);
    const sum = (name: string, labels?: Record<string, string>) => sumOf(series, name, labels);
    const referenced = referencedMetrics().filter(
      ({ name }) => !DISTRIBUTED_METRICS.test(name) && !TLS_METRICS.test(name),
    );
    expect(referenced.length).toBeGreaterThan(60);
    const missing = referenced.filter((one) => !hasSeries(one, series) && !(wordsOf(one) in ELSEWHERE));
    expect(missing.map((one) => `${one.by}: ${wordsOf(one)}`)).toEqual([]);

    const readings = (labels: Record<string, string>) => sum('kawaraban_source_readings_total', labels);
    expect(readings({ kind: 'feed', outcome: 'read' })).toBe(1);
    expect(readings({ kind: 'feed', outcome: 'not_found' })).toBe(2);
    expect(readings({ kind: 'feed', outcome: 'unchanged' })).toBe(1);
    expect(readings({ kind: 'youtube', outcome: 'read' })).toBe(1);
    expect(readings({ kind: 'feed', outcome: 'offline' })).toBe(2);
    expect(sum('kawaraban_source_duration_seconds_count', { kind: 'feed' })).toBe(2);
    const seen = (await app.engine.sources.load('herald'))?.itemsSeen ?? 0;
    const sightings = (outcome: string) => sum('kawaraban_sightings_total', { pipeline: 'morning', outcome });
    expect(sightings('new')).toBe(6);
    expect(sightings('baseline')).toBe(seen - 6);
    expect(sum('kawaraban_items', { pipeline: 'morning' })).toBe(seen);

    const calls = (outcome: string) =>
      sum('kawaraban_judge_calls_total', { judge: 'remote', question: 'evaluate', outcome });
    expect(calls('later')).toBe(2);
    expect(calls('judged')).toBe(sum('kawaraban_judgements_total', { pipeline: 'morning', judge: 'remote' }));
    expect(sum('kawaraban_judge_duration_seconds_count', { judge: 'remote' })).toBe(
      // The last one failed without a network.
      simulator.journal.entries('gemini').length + 1,
    );
    expect(spend?.today.microUsd).toBeGreaterThan(0);
    expect(sum('kawaraban_judge_tokens_total', { judge: 'remote' })).toBe(spend?.today.tokens);
    expect(sum('kawaraban_judge_micro_usd_total', { judge: 'remote' })).toBe(spend?.today.microUsd);

    expect(sum('kawaraban_deliveries_total', { destination: 'discord', outcome: 'refused' })).toBe(1);
    expect(sum('kawaraban_runs_total', { pipeline: 'morning', outcome: 'finished' })).toBe(2);
    expect(sum('kawaraban_runs_total', { pipeline: 'morning', outcome: 'failed' })).toBe(1);
    expect(sum('kawaraban_scheduler_acts')).toBe(1);
    expect(sum('kawaraban_streams_open')).toBe(0);
    expect(sum('kawaraban_fan_out_waiting')).toBe(0);
    const requests = (protocol: string, route: string) =>
      sum('kawaraban_requests_total', { protocol, route });
    expect(requests('sse', '/events/timeline/:name')).toBe(1);
    expect(requests('http', '/events/timeline/:name')).toBeNull();
    expect(requests('http', '/api/v1/timelines/:name')).toBe(1);
    expect(requests('grpc', 'avion.TimelineService/GetLocalTimeline')).toBe(1);
  });

  it('C25 X15 the started program exports a span for each operation, under the right parent, without a secret', async () => {
    const sink = await SpanSink.start();
    open.push(sink);
    const file = join(folder, 'kawaraban.yaml');
    await writeFile(file, configuration(`, traces: '${sink.endpoint}'`, "['true']"));
    const env = { GEMINI_KEY, WEBHOOK: simulator.discord.webhookUrl };
    simulator.injectFault({ service: 'gemini', how: 'status', status: 503, match: { body: IRRELEVANT } });
    const program = new Program(['start', '--json', '--config', file], env, folder);
    open.push({ [Symbol.asyncDispose]: () => program.kill() });
    const [, url = ''] = await program.waitForOutput(/"url": ?"([^"]+)"/);
    const stream = await StreamReader.open(`${url}/events/timeline/local`);
    const trace = '0af7651916cd43dd8448eb211c80319c';
    await fetch(`${url}/api/v1/timelines/local`, {
      headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` },
    });
    const total = async (name: string, labels: Record<string, string>): Promise<number> =>
      sumOf(await scrape(url), name, labels) ?? 0;
    await expect.poll(() => total('kawaraban_runs_total', { outcome: 'finished' }), POLL).toBe(2);
    const videos = await total('kawaraban_sightings_total', { pipeline: 'videos', outcome: 'new' });
    // The article that is published, and every video, is a drop; the article is a message on Discord too.
    const handled = () => total('kawaraban_events_total', { type: 'drop_created', outcome: 'handled' });
    await expect.poll(handled, POLL).toBe(videos + 1);
    await expect.poll(() => total('kawaraban_deliveries_total', { outcome: 'sent' }), POLL).toBe(videos + 2);
    const series = await scrape(url);
    stream.close();
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);

    const named = (name: string): readonly SentSpan[] => sink.spans.filter((span) => span.name === name);
    expect(named('run').map((span) => factOf(span, 'pipeline'))).toEqual(
      expect.arrayContaining(['morning', 'videos']),
    );
    expect(named('run')).toHaveLength(2);
    expect(named('source.read')).toHaveLength(3);
    const judged = sumOf(series, 'kawaraban_judge_calls_total');
    expect(named('judge.call')).toHaveLength(judged ?? -1);
    expect(named('article.read').length).toBeGreaterThanOrEqual(6);
    expect(named('delivery.send')).toHaveLength(videos + 2);
    expect(named('item.process')).toHaveLength(videos);
    expect(named('stream.open')).toHaveLength(1);
    expect(named('event.handle').length).toBeGreaterThan(videos);
    const [requestSpan] = named('http.server').filter(
      (span) => factOf(span, 'http.route') === '/api/v1/timelines/:name',
    );
    expect(requestSpan).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331' });

    const morning = named('run').find((span) => factOf(span, 'pipeline') === 'morning');
    for (const name of ['judge.call', 'article.read'])
      for (const span of named(name)) expect(span.traceId, name).toBe(morning?.traceId);
    // Work caused by a drop belongs to the trace that posted it.
    const sending = new Set(named('delivery.send').map(({ traceId }) => traceId));
    for (const span of named('event.handle').filter((one) => factOf(one, 'type') === 'drop_created'))
      expect(sending).toContain(span.traceId);
    const runs = new Set(named('run').map(({ spanId }) => spanId));
    // Of the poller, or of a run that needed it at once.
    for (const span of named('source.read')) expect([...runs, undefined]).toContain(span.parentSpanId);
    const failed = (name: string): readonly SentSpan[] =>
      named(name).filter(({ status }) => status?.code === 2);
    expect(failed('source.read').map((span) => factOf(span, 'source'))).toEqual(['lost']);
    expect(failed('judge.call')).toHaveLength(1);
    expect(failed('run')).toEqual([]);

    const everything = JSON.stringify(sink.spans);
    expect(everything).not.toContain(GEMINI_KEY);
    expect(everything).not.toContain(new URL(simulator.discord.webhookUrl).pathname.split('/').at(-1));
  });

  it('X24 a metric that nothing emits is noticed', () => {
    const unknown = { by: 'a new panel', name: 'kawaraban_unheard_total', matchers: {} };
    const known: Series = { name: 'kawaraban_heard_total', labels: { outcome: 'read' }, value: 1 };
    expect(hasSeries(unknown, [known])).toBe(false);
    expect(hasSeries({ ...unknown, name: known.name }, [known])).toBe(true);
    expect(hasSeries({ ...unknown, name: known.name, matchers: { outcome: /^lost$/ } }, [known])).toBe(false);
  });
});

function wordsOf({ name, matchers }: { name: string; matchers: Readonly<Record<string, RegExp>> }): string {
  const labels = Object.entries(matchers).map(([label, wanted]) => `${label}=${wanted.source.slice(4, -2)}`);
  return [name, ...labels].join(' ');
}
