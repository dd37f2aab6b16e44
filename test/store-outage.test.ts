import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import { silentEvents } from '../src/telemetry/events.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR } from '../src/time/duration.ts';
import { newsroomConfig, newsroomText, quickReader, secretsOf } from './crash/newsroom-config.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let folder: string;
let simulator: Simulator;
let app: App;
/** The error that every store throws while it is set. */
let outage: Error | null;
const failedLoops = new Set<string>();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-outage-'));
  outage = null;
  failedLoops.clear();
  simulator = await startSimulator({ discord: { limits: false }, youtube: { videoMs: HOUR } });
  const text = newsroomText({ kind: 'process', destination: 'bot', feed: '' }, simulator);
  app = await openApp(newsroomConfig(text, folder, secretsOf(simulator)), {
    telemetry: {
      ...silentTelemetry,
      events: new Proxy(silentEvents, {
        get: (_, name) => (event: { loop?: string }) => {
          if (name === 'loopFailed' && event.loop !== undefined) failedLoops.add(event.loop);
        },
      }),
    },
    version: '0',
    interpose: (infrastructure) => ({ ...onFailingStores(infrastructure), reader: quickReader }),
  });
});
afterEach(async () => {
  outage = null;
  await app[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function onFailingStores(infrastructure: Infrastructure): Infrastructure {
  const { engine } = infrastructure;
  return {
    ...infrastructure,
    engine: {
      ...engine,
      runs: failing(engine.runs),
      sources: failing(engine.sources),
      async pipelineStores(pipeline) {
        const stores = await engine.pipelineStores(pipeline);
        if ('curator' in stores) throw new Error('This test is of the embedded engine.');
        return { ...stores, ledger: failing(stores.ledger), outbox: failing(stores.outbox) };
      },
      queueFor: (pipeline, ledger) => engine.queueFor(pipeline, ledger),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    },
  };
}

/** The same store; its methods fail during the outage. */
function failing<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === Symbol.asyncDispose) return value;
      return (...args: unknown[]) => {
        if (outage !== null) return Promise.reject(outage);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

describe('a program whose stores fail', () => {
  it('X2 D5 continues when they are back: nothing ends, nothing is lost, each loop has reported its failure', async () => {
    outage = new Error('the store is unavailable');
    const stop = new AbortController();
    let over = false;
    const running = app.run(stop.signal).finally(() => {
      over = true;
    });
    await vi.waitFor(
      () => expect([...failedLoops].sort()).toEqual(['dispatching', 'polling', 'processing', 'schedule']),
      60_000,
    );
    expect(over).toBe(false);
    outage = null;
    const { ledger } = app.pipelines.get('desk') ?? expect.fail('no pipeline');
    await vi.waitFor(
      async () => {
        const { byState } = await ledger.counts();
        expect(byState.published).toBeGreaterThan(0);
        expect(byState.waiting + byState.deferred).toBe(0);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(over).toBe(false);
    stop.abort();
    await running;
  });

  it('A16 stops as a whole, with that error, when one of them fails permanently', async () => {
    const running = app.run(new AbortController().signal);
    running.catch(() => {});
    outage = Object.assign(new Error('the role is missing'), { stops: 'program' });
    await expect(running).rejects.toThrow('the role is missing');
  });
});
