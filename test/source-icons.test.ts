import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { OUTLETS } from '../simulator/world/outlet.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { newsroomConfig } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { forThisFile, startRedis } from './redis.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const POLL = { interval: 100, timeout: 60_000 };
const OTHERS = ['channel', 'keyed', 'by-id', 'news'];

function describeIcons(engine: string, engineSettings: () => object): void {
  describe(`icons of sources, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let app: App;
    let server: RunningServer;
    let settings: object;
    let allow: readonly string[];
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-icons-'));
      simulator = await startSimulator();
      settings = engineSettings();
      allow = ['127.0.0.1'];
    });
    afterEach(async () => {
      await close();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function open(): Promise<void> {
      const { feeds, urls, youtube } = simulator;
      const [first, second, third] = youtube.channels;
      const tube = { feed_url: urls.youtube };
      const text = JSON.stringify({
        data: './data',
        ...settings,
        network: { allow, host_spacing: '0s' },
        server: { port: 0 },
        sources: {
          ...Object.fromEntries(OUTLETS.map((outlet) => [outlet.id, { feed: feeds.urlOf(outlet) }])),
          channel: { ...tube, youtube: first?.handle },
          keyed: { ...tube, youtube: second?.id, base_url: urls.youtube, key: { env: 'YOUTUBE_KEY' } },
          'by-id': { ...tube, youtube: third?.id },
          news: { hackernews: 'top', limit: 5, base_url: urls.hackernews, site_url: urls.hackernews },
        },
      });
      app = await openApp(newsroomConfig(text, folder, { YOUTUBE_KEY: youtube.key }), {
        telemetry: silentTelemetry,
        version: '0',
      });
      server = await app.serve();
    }

    async function close(): Promise<void> {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    }

    async function poll(): Promise<void> {
      const stop = new AbortController();
      const running = app.run(stop.signal);
      const isRead = async (): Promise<number> =>
        (await app.engine.sources.list()).filter(({ lastSuccessAt }) => lastSuccessAt !== null).length;
      await expect.poll(isRead, POLL).toBe(OUTLETS.length + OTHERS.length);
      stop.abort();
      await running;
    }

    async function paths(): Promise<Record<string, string | null>> {
      const { sources } = (await (await fetch(`${server.url}/api/v1/reader/overview`)).json()) as {
        sources: { id: string; icon: string | null }[];
      };
      return Object.fromEntries(sources.map(({ id, icon }) => [id, icon]));
    }

    const iconRequests = (): string[] =>
      simulator.journal
        .entries()
        .map(({ path }) => path)
        .filter((path) => /icon|picture/.test(path));

    it('R24 are found in the feed, on the page or at the host, kept, and served so that nothing in them runs', async () => {
      await open();
      await poll();
      const withIcon = [
        ...OUTLETS.filter(({ icon }) => icon !== 'none').map(({ id }) => id),
        ...OTHERS,
      ].sort();
      const shown = async (): Promise<string[]> =>
        Object.entries(await paths())
          .flatMap(([id, icon]) => (icon === null ? [] : [id]))
          .sort();
      await expect.poll(shown, POLL).toEqual(withIcon);
      const found = await paths();
      const types: Record<string, string | null> = {};
      for (const id of withIcon) {
        const response = await fetch(server.url + found[id]);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox$/);
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        types[id] = response.headers.get('content-type');
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
      }
      expect(types).toEqual({
        ...Object.fromEntries(withIcon.map((id) => [id, 'image/png'])),
        'machi-shimbun': 'image/svg+xml',
        'by-id': 'image/x-icon',
        news: 'image/x-icon',
      });
      const requested = iconRequests();
      expect(requested).toContain('/harbour-post/icon-96.png');
      expect(requested).not.toContain('/harbour-post/icon-16.png');
      expect((await fetch(`${server.url}/api/v1/icons/news/${'0'.repeat(32)}`)).status).toBe(404);

      // After a restart they are there at once, and none is looked for again, not even the missing one.
      await close();
      await open();
      expect(await paths()).toEqual(found);
      expect(iconRequests()).toEqual(requested);
    });

    it('R24 are not read from an address that is not allowed', async () => {
      await open();
      await poll();
      await close();
      allow = [new URL(simulator.urls.feeds).host];
      await open();
      await paths();
      const stored = async (): Promise<number> =>
        (await app.engine.sourceIcons.load(OUTLETS.map(({ id }) => id))).size;
      await expect.poll(stored, POLL).toBe(OUTLETS.length);
      expect(Object.values(await paths()).filter((icon) => icon !== null)).toEqual([]);
      expect(iconRequests().filter((path) => path !== '/favicon.ico')).toEqual([]);
    });
  });
}

describeIcons('the embedded engine', () => ({}));

requires('gcloud', 'redis-server')('with Redis and the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  const redis = forThisFile(() => startRedis());
  describeIcons('Firestore and Redis', () => ({
    engine: {
      kind: 'distributed',
      project: freshProject(),
      firestore: { emulator: emulator.host },
      redis: { nodes: [redis().address], prefix: `${randomUUID()}:` },
    },
  }));
});
