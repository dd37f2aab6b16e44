import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requires } from '../../test/requirements.ts';
import { createLogger } from './create-logger.ts';
import { createEvents, type Events, silentEvents } from './events.ts';
import { LazyMetrics } from './lazy-metrics.ts';
import { type Metrics, silentMetrics } from './metrics.ts';

const UNIQUE = 'https://example.org/only-in-the-log';

/** One of each, with everything that is unique in its log-only fields. */
const SAMPLES: { [K in keyof Events]: Parameters<Events[K]>[0] } = {
  sourceRead: { source: UNIQUE, kind: 'feed', outcome: 'read', sightings: 3, ms: 120 },
  sourceFailed: { source: UNIQUE, kind: 'feed', why: 'timeout', detail: UNIQUE, failures: 2 },
  wentOffline: { source: UNIQUE, kind: 'feed', already: false, detail: UNIQUE },
  itemAdmitted: { pipeline: 'p', item: UNIQUE, source: UNIQUE, outcome: 'new' },
  itemJudged: { pipeline: 'p', item: UNIQUE, judge: 'local', score: 81, provisional: false },
  itemFinished: {
    pipeline: 'p',
    item: UNIQUE,
    from: 'waiting',
    to: 'rejected',
    reason: 'low_relevance',
    detail: UNIQUE,
  },
  claimLost: { pipeline: 'p', item: UNIQUE, owner: UNIQUE },
  deliverySent: { pipeline: 'p', destination: 'discord', messageId: UNIQUE, remoteId: UNIQUE, ms: 90 },
  deliveryFailed: {
    pipeline: 'p',
    destination: 'discord',
    messageId: UNIQUE,
    outcome: 'unknown',
    detail: UNIQUE,
  },
  deliveryParked: { pipeline: 'p', destination: 'discord', messageId: UNIQUE, detail: UNIQUE },
  judgeCalled: {
    judge: 'gemini',
    model: UNIQUE,
    question: 'evaluate',
    outcome: 'judged',
    ms: 800,
    inputTokens: 900,
    outputTokens: 80,
    microUsd: 120,
  },
  runStarted: { pipeline: 'p', run: UNIQUE, trigger: 'schedule' },
  runFinished: { pipeline: 'p', run: UNIQUE, outcome: 'finished', summary: UNIQUE, ms: 4200 },
  loopFailed: {
    pipeline: 'p',
    loop: 'dispatching',
    failures: 2,
    waitMs: 2000,
    detail: UNIQUE,
    error: new Error(UNIQUE),
  },
  messageMalformed: { pipeline: 'p', messageId: UNIQUE, detail: UNIQUE },
  requestServed: { protocol: 'http', route: '/api/v1/items/:key', status: '200', ms: 3 },
  serviceCalled: { service: 'avion.UserService', method: 'GetUser', outcome: 'ok', attempts: 1, ms: 3 },
  streamClosed: { cause: 'slow', ms: 60_000 },
  dropEventHandled: {
    type: 'drop_created',
    outcome: 'handled',
    timelines: 12,
    ms: 4,
    lagMs: 9,
    detail: UNIQUE,
  },
  timelineRead: { timeline: 'home', outcome: 'miss' },
  redisCalled: { command: 'page', outcome: 'away', ms: 2000 },
  firestoreCalled: {
    operation: 'getAll',
    collection: 'notified_articles',
    reads: 400,
    writes: 2,
    deletes: 1,
    ms: 35,
    code: 'Unavailable',
  },
};

describe('X15 events', () => {
  let metrics: Metrics;
  let events: Events;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    metrics = new LazyMetrics({ serviceName: 'kawaraban', version: '0' });
    events = createEvents(
      createLogger({ level: 'debug', output: { write: (line) => lines.push(line) } }),
      metrics,
    );
  });
  afterEach(() => metrics[Symbol.asyncDispose]());

  function happen(name: keyof Events): void {
    (events[name] as (event: unknown) => void)(SAMPLES[name]);
  }

  for (const name of Object.keys(SAMPLES) as (keyof Events)[]) {
    it(`X15 ${name} is reported, and nothing unique becomes a label`, async () => {
      const before = await metrics.text();
      happen(name);
      const after = await metrics.text();
      expect(lines).toHaveLength(name === 'timelineRead' || name === 'redisCalled' ? 0 : 1);
      const counted = JSON.stringify(series(after)) !== JSON.stringify(series(before));
      expect(counted).toBe(name !== 'runStarted');
      expect(after).not.toContain(UNIQUE);
    });
  }

  it('A17 firestore metrics have the names and labels of the contract', async () => {
    happen('firestoreCalled');
    const text = await metrics.text();
    expect(text).toContain('firestore_reads_total{collection="notified_articles"} 400');
    expect(text).toContain('firestore_writes_total{collection="notified_articles"} 2');
    expect(text).toContain('firestore_errors_total{code="Unavailable"} 1');
    expect(text).toContain('# TYPE firestore_latency_seconds histogram');
    expect(text).toContain('firestore_latency_seconds_count{operation="getAll"} 1');
  });

  it('X15 a gauge is read at every scrape, and one that fails hides no other', async () => {
    let items = 3;
    metrics.observe('kawaraban_items', async () => [
      { value: items, labels: { pipeline: 'p', state: 'waiting' } },
    ]);
    metrics.observe('kawaraban_outbox', () => {
      throw new Error('database is closed');
    });
    expect(await metrics.text()).toContain('kawaraban_items{pipeline="p",state="waiting"} 3');
    items = 4;
    expect(await metrics.text()).toContain('kawaraban_items{pipeline="p",state="waiting"} 4');
  });

  it('X15 silent events cost nothing and never fail', async () => {
    for (const name of Object.keys(SAMPLES) as (keyof Events)[])
      (silentEvents[name] as (event: unknown) => void)(SAMPLES[name]);
    expect(await silentMetrics.text()).toBe('');
  });

  requires('promtool')('with Prometheus', () => {
    it('X15 Prometheus accepts the text format', async () => {
      for (const name of Object.keys(SAMPLES) as (keyof Events)[]) happen(name);
      const check = promisify(execFile)('promtool', ['check', 'metrics', '--extended']);
      check.child.stdin?.end(await metrics.text());
      await expect(check).resolves.toBeDefined();
    });
  });
});

function series(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('process_'));
}
