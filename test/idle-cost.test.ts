import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type App, openApp } from '../src/app/app.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import { parseConfig } from '../src/config/config.ts';
import { FREE_TIER, type Usage } from '../src/storage/firestore/usage.ts';
import { createEvents } from '../src/telemetry/events.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { silentMetrics } from '../src/telemetry/metrics.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR, MINUTE, SECOND } from '../src/time/duration.ts';
import { ManualClock } from '../src/time/manual-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { countPendingCalls } from './pending-calls.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Step by which the clock is moved until an hour has passed. */
const STEP = 5 * SECOND;

const nothingNew: Infrastructure['fetcher'] = {
  fetch: async ({ url }) => ({
    outcome: 'response',
    status: 304,
    url,
    movedTo: null,
    headers: {},
    body: new Uint8Array(),
    retryAt: null,
  }),
  async [Symbol.asyncDispose]() {},
};

/** What an idle newsroom on Firestore costs: the whole program, with a manual clock. */
requires('gcloud')('an idle newsroom on Firestore', () => {
  const firestore = emulatorForThisFile('firestore');
  let folder: string;
  let calls: { readonly pending: number };
  beforeEach(() => {
    calls = countPendingCalls();
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-idle-'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Cost extends Usage {
    readonly byCollection: Readonly<Record<string, { reads: number; writes: number }>>;
  }

  /** An hour of the whole program, once its start is over. */
  async function idleHour(pipelines: string, project = freshProject(), replicas = 1): Promise<Cost> {
    // Nothing is due for many hours: the runs are at nine in the morning.
    const clock = new ManualClock(Date.UTC(2026, 2, 3, 3));
    let byCollection: Record<string, { reads: number; writes: number }> = {};
    const events = createEvents(silentLogger, {
      ...silentMetrics,
      add: (name, n, labels) => {
        const of = labels?.collection ?? '';
        const so = byCollection[of] ?? { reads: 0, writes: 0 };
        if (name === 'firestore_reads_total') byCollection[of] = { ...so, reads: so.reads + n };
        if (name === 'firestore_writes_total') byCollection[of] = { ...so, writes: so.writes + n };
      },
    });
    const text = `
engine:
  kind: distributed
  project: ${project}
  firestore: { emulator: '${firestore.host}' }
timelines: { store: memory }
data: ${folder}
sources:
  news: { feed: https://news.example/feed.xml }
  channel: { youtube: UCabcdefghijklmnopqrstuv }
publishers:
  chat: { kind: discord-webhook, url: { env: CHAT } }
  town: { kind: mastodon, instance: 'https://town.example', token: { env: TOWN } }
pipelines:${pipelines}
`;
    const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {
      CHAT: 'https://discord.com/api/webhooks/123456789012345678/abcdefghijklmnop',
      TOWN: 'a-token-of-the-town',
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const stop = new AbortController();
    const apps: App[] = [];
    const running: Promise<void>[] = [];
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += STEP) {
        const sleeping = clock.sleeping;
        await clock.advance(STEP);
        // The emulator answers in real time: the clock stands still until every call has its answer and every loop sleeps again.
        do {
          await new Promise((resolve) => setTimeout(resolve, 1));
          await clock.advance(0);
        } while (calls.pending > 0 || clock.sleeping < sleeping);
      }
    };
    try {
      for (let replica = 0; replica < replicas; replica++) {
        const app = await openApp(loaded.config, {
          telemetry: { ...silentTelemetry, events },
          version: '0',
          clock,
          // Sources are polled all day, and have nothing new.
          interpose: (infrastructure) => ({ ...infrastructure, fetcher: nothingNew }),
        });
        apps.push(app);
        running.push(app.run(stop.signal));
      }
      await pass(2 * MINUTE);
      byCollection = {};
      await pass(HOUR);
      const sum = (what: 'reads' | 'writes') =>
        Object.values(byCollection).reduce((all, one) => all + one[what], 0);
      return { byCollection, reads: sum('reads'), writes: sum('writes'), deletes: 0 };
    } finally {
      stop.abort();
      await Promise.all(running);
      for (const app of apps) await app[Symbol.asyncDispose]();
    }
  }

  const curator = `
  morning:
    kind: curate
    sources: [news]
    interests: [{ topic: databases }]
    publish: [chat, town]`;

  it('A19 one curator uses less than a quarter of what is free in a day', async () => {
    const { reads, writes, byCollection } = await idleHour(curator);
    const bill = JSON.stringify(byCollection);
    // Polling for messages of other replicas: one read each 45 seconds, however many destinations there are, and one each time
    // articles are counted, every ten minutes; the hour may hold one more of each.
    expect(byCollection.articles_outbox?.reads).toBeLessThanOrEqual(81 + 7);
    expect(byCollection.articles_outbox?.reads).toBeGreaterThanOrEqual(72);
    expect(24 * reads, bill).toBeLessThan(FREE_TIER.reads / 4);
    expect(24 * writes, bill).toBeLessThan(FREE_TIER.writes / 3);
  });

  it('A19 a pipeline of each kind and a second replica stay within the free tier', async () => {
    const three = `${curator}
  bot:
    kind: summarise
    schedule: '0 9 * * *'
    sources: [news]
    publish: [chat, town]
  videos:
    kind: process
    schedule: '0 9 * * *'
    sources: [channel]
    processor: { command: ['true'] }
    publish: [chat]`;
    const { reads, writes, byCollection } = await idleHour(three, freshProject(), 2);
    const bill = JSON.stringify(byCollection);
    expect(24 * reads, bill).toBeLessThan(0.8 * FREE_TIER.reads);
    expect(24 * writes, bill).toBeLessThan(FREE_TIER.writes / 2);
  });
});
