import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Firestore, Query, WriteBatch } from '@google-cloud/firestore';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, openApp } from '../../src/app/app.ts';
import type { Infrastructure } from '../../src/app/infrastructure.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { FirestoreRelay } from '../../src/storage/firestore/relay.fixture.ts';
import { createEvents } from '../../src/telemetry/events.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { silentMetrics } from '../../src/telemetry/metrics.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { SECOND } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { requires } from '../requirements.ts';
import { CHANNEL, feedOf } from './videos.fixture.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const POLL = { timeout: 100_000, interval: 20 };
const NEVER = new AbortController().signal;
const VIDEO = 'onlyOnce000';

/** Calls of Firestore's SDK that have no answer yet. */
function pendingCalls(): { readonly pending: number } {
  const calls = { pending: 0 };
  const watch = (prototype: object, name: string): void => {
    const call = Reflect.get(prototype, name) as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(prototype as Record<string, () => unknown>, name).mockImplementation(async function (
      this: unknown,
      ...args: unknown[]
    ) {
      calls.pending += 1;
      try {
        return await call.apply(this, args);
      } finally {
        calls.pending -= 1;
      }
    });
  };
  watch(Firestore.prototype, 'getAll');
  watch(Query.prototype, 'get');
  watch(WriteBatch.prototype, 'commit');
  return calls;
}

/** Two workers of the whole program, and a store that is unavailable when the command of one of them ends. */
describe('a store that is unavailable when a command ends', () => {
  let folder: string;
  let clock: ManualClock;
  let calls: { readonly pending: number };
  let attempts: number;
  let lost: number;
  const open: AsyncDisposable[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-away-at-end-'));
    clock = new ManualClock(Date.now());
    calls = pendingCalls();
    attempts = 0;
    lost = 0;
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The clock moves by seconds, and stands still until every call has its answer. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(SECOND);
      do {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await clock.advance(0);
      } while (calls.pending > 0);
    }
  }

  const linesOf = (name: string): number =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n').length : 0;

  async function start(
    engine: object,
    settings: { readonly queue: 'ledger' | 'pubsub'; readonly lease?: string },
    change: (infrastructure: Infrastructure) => Infrastructure,
  ): Promise<App> {
    const script = `cat > /dev/null; echo $$ >> started; until test -e gate -o ! -e started; do sleep 0.05; done`;
    const text = JSON.stringify({
      ...engine,
      data: folder,
      timelines: { store: 'memory' },
      sources: { channel: { youtube: CHANNEL } },
      pipelines: {
        videos: {
          kind: 'process',
          sources: ['channel'],
          ...settings,
          first_contact: { newest: 1000 },
          publish: [],
          processor: { command: ['sh', '-c', script], timeout: '10h' },
        },
      },
    });
    const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const add = (name: string, n: number): void => {
      if (name === 'kawaraban_claims_lost_total') lost += n;
    };
    const app = await openApp(loaded.config, {
      telemetry: { ...silentTelemetry, events: createEvents(silentLogger, { ...silentMetrics, add }) },
      version: '0',
      clock,
      interpose: (infrastructure) => {
        const fetch: Infrastructure['fetcher']['fetch'] = async ({ url }) => ({
          outcome: 'response',
          status: 200,
          headers: {},
          body: Buffer.from(feedOf([{ id: VIDEO, at: clock.now() - SECOND }])),
          url,
          movedTo: null,
          retryAt: null,
        });
        return change({ ...infrastructure, fetcher: { fetch, async [Symbol.asyncDispose]() {} } });
      },
    });
    open.push(app);
    return app;
  }

  /** Counts the attempts to record the end of the work in the store. */
  function countingRecords(ledger: Ledger, isUnavailable: () => boolean): Ledger {
    return new Proxy(ledger, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          if (name === 'record') attempts += 1;
          if (isUnavailable()) return Promise.reject(new Error('SQLITE_BUSY: database is locked'));
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  }

  function withFailingLedger(infrastructure: Infrastructure, isUnavailable: () => boolean): Infrastructure {
    const { engine } = infrastructure;
    const pipelineStores: typeof engine.pipelineStores = async (pipeline) => {
      const stores = await engine.pipelineStores(pipeline);
      if ('curator' in stores) throw new Error('A curator tracks no videos.');
      return { ...stores, ledger: countingRecords(stores.ledger, isUnavailable) };
    };
    return {
      ...infrastructure,
      engine: Object.assign(Object.create(engine) as typeof engine, { pipelineStores }),
    };
  }

  async function runsOnce(
    apps: readonly App[],
    { leaseSeconds, outageSeconds }: { readonly leaseSeconds: number; readonly outageSeconds: number },
    setUnavailable: (unavailable: boolean) => void,
  ): Promise<void> {
    const [one] = apps.map((app) => app.pipelines.get('videos') ?? expect.fail('no pipeline'));
    expect(await one?.run(NEVER)).toMatchObject({ ran: true });
    const stop = new AbortController();
    const running = apps.map((app) => app.pipelines.get('videos')?.runBackgroundWork(stop.signal));
    open.push({
      async [Symbol.asyncDispose]() {
        stop.abort();
        await Promise.all(running);
      },
    });
    await vi.waitFor(() => expect(linesOf('started')).toBe(1), POLL);
    // A second later the lease would be renewed.
    await pass(leaseSeconds / 3 - 1);
    setUnavailable(true);
    writeFileSync(join(folder, 'gate'), '');
    await vi.waitFor(() => expect(attempts).toBe(1), POLL);
    await pass(outageSeconds);
    setUnavailable(false);
    await pass(200);
    const key = 'https://www.youtube.com/watch?v=onlyOnce000';
    expect(await one?.ledger.find(key as never)).toMatchObject({ state: 'published', attempts: 0 });
    expect(linesOf('started')).toBe(1);
    expect(lost).toBe(0);
  }

  /** A lease that is shorter than all retries of Firestore together. */
  const SHORT = { lease: '60s', leaseSeconds: 60, outageSeconds: 20 };

  it('D6 D8 X2 runs a video once: on SQLite', async () => {
    let isUnavailable = false;
    const { lease } = SHORT;
    const apps = [0, 1].map(() =>
      start({}, { queue: 'ledger', lease }, (infrastructure) =>
        withFailingLedger(infrastructure, () => isUnavailable),
      ),
    );
    await runsOnce(await Promise.all(apps), SHORT, (unavailable) => {
      isUnavailable = unavailable;
    });
  });

  requires('gcloud')('on Firestore', () => {
    const firestore = emulatorForThisFile('firestore');
    const pubsub = emulatorForThisFile('pubsub');

    it.each([
      { queue: 'ledger', ...SHORT },
      // A renewal that has begun would be retried too late.
      { queue: 'pubsub', ...SHORT, outageSeconds: 25 },
      // With the default lease, for as long as Firestore calls are retried.
      { queue: 'ledger', leaseSeconds: 120, outageSeconds: 60 },
    ] as const)('D6 D8 X2 A16 runs a video once: $queue, unavailable for $outageSeconds s', async (given) => {
      const { queue, leaseSeconds, outageSeconds } = given;
      const relay = await new FirestoreRelay(firestore.host).start();
      open.push(relay);
      const engine = {
        engine: {
          kind: 'distributed',
          project: freshProject(),
          firestore: { emulator: relay.address },
          pubsub: { emulator: pubsub.host },
        },
      };
      const settings = { queue, ...('lease' in given && { lease: given.lease }) };
      const apps = [];
      for (const _ of [1, 2])
        apps.push(
          await start(engine, settings, (infrastructure) => withFailingLedger(infrastructure, () => false)),
        );
      await runsOnce(apps, { leaseSeconds, outageSeconds }, (unavailable) =>
        relay.refuseAll(unavailable ? 'UNAVAILABLE' : null),
      );
    });
  });
});
