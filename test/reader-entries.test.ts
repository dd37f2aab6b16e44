import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { newsroomConfig, quickReader } from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const POLL = { timeout: 100_000, interval: 50 };
const SHARED = 'Volcano erupts on the Iceland peninsula after weeks of earthquakes';

/** The whole program without a pipeline. */
function describeEntries(engine: string, settings: () => object): void {
  describe(`the entries of the reader, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let app: App;
    let stop: AbortController;
    let background: Promise<void>;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-entries-'));
      simulator = await startSimulator({ clock: skewedClock(() => 0) });
    });
    afterEach(async () => {
      stop.abort();
      await background;
      await app[Symbol.asyncDispose]();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function start(sources: object): Promise<void> {
      const text = JSON.stringify({
        data: './data',
        ...settings(),
        network: { allow: ['127.0.0.1'], host_spacing: '0s' },
        server: { port: 0 },
        sources,
        pipelines: {},
      });
      app = await openApp(newsroomConfig(text, folder, {}), {
        telemetry: silentTelemetry,
        version: '0',
        passwordCost: { n: 2 ** 12, r: 8, p: 1 },
        interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
      });
      stop = new AbortController();
      background = app.run(stop.signal);
    }

    const listed = async (): Promise<[string, string[]][]> => {
      const page = await app.engine.entries.list('ann', {}, { order: 'newest', limit: 100 });
      return page.entries.map(({ entry, others }) => [
        entry.title,
        [entry, ...others].flatMap(({ sourceIds }) => sourceIds),
      ]);
    };

    it('R1 R9 every article of sources that nothing uses is there, a story of two once', async () => {
      const [herald, wire] = ['herald', 'wire'].map((id) => simulator.feeds.create({ id }));
      for (let n = 0; n < 15; n++) herald?.publish({ title: `Old article number ${n}, about ${n * 7919}` });
      herald?.publish({ title: SHARED });
      await start({
        herald: { feed: herald?.url, every: '1s' },
        wire: { feed: wire?.url, every: '1s' },
        paused: { feed: `${wire?.url}?paused`, enabled: false },
      });
      await expect.poll(listed, POLL).toHaveLength(16);
      wire?.publish({ title: SHARED });
      await expect
        .poll(async () => new Map(await listed()).get(SHARED)?.toSorted(), POLL)
        .toEqual(['herald', 'wire']);
      expect(await listed()).toHaveLength(16);
      expect(await app.engine.entries.unreadCounts('ann', ['herald', 'wire'])).toEqual({
        all: 16,
        bySource: { herald: 16, wire: 1 },
      });
    });

    it('R15 limits that the owner sets are in force at the next sweep, without a restart', async () => {
      const feed = simulator.feeds.create({ id: 'herald' });
      for (const n of [1, 2, 3]) feed.publish({ title: `Article number ${n}, about ${n * 7919}` });
      await start({ herald: { feed: feed.url, every: '1s' } });
      await expect.poll(listed, POLL).toHaveLength(3);
      const sweep = async () => (await app.retention.sweep({ dryRun: false }, stop.signal))?.reader?.entries;
      expect(await sweep()).toBe(0);
      await app.entryRetention.change({ entriesMs: 0, keepPerSource: 1 }, 'ann');
      expect(await sweep()).toBe(2);
      await app.entryRetention.change({ entriesMs: null, keepPerSource: 0 }, 'ann');
      expect(await sweep()).toBe(0);
      expect(await listed()).toHaveLength(1);
    });

    it('R6 an account that is removed leaves nothing in the reader', async () => {
      const feed = simulator.feeds.create({ id: 'herald' });
      feed.publish({ title: 'One article' });
      await start({ herald: { feed: feed.url, every: '1s' } });
      const { accounts } = app.auth;
      await accounts.redeemLink((await accounts.ownerLink())?.token ?? '', person('ann'), '');
      const joined = await accounts.redeemLink((await accounts.invite()).token, person('ben'), '');
      if (!joined.ok) throw new Error(joined.why);
      const ben = joined.opened.identity.userId;
      await expect.poll(listed, POLL).toHaveLength(1);
      const { entries } = app.engine;
      const upTo = await entries.newestId();
      await entries.change(ben, { kind: 'readAll', upTo }, Date.now());
      expect((await entries.unreadCounts(ben, ['herald'])).all).toBe(0);
      expect(await accounts.remove(ben)).toBe('removed');
      expect((await entries.unreadCounts(ben, ['herald'])).all).toBe(1);
    });
  });
}

const person = (name: string) => ({ name, password: 'a long enough password' });

describeEntries('files', () => ({}));

requires('gcloud')('with the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  describeEntries('Firestore', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: emulator.host } },
    timelines: { store: 'memory' },
  }));
});
