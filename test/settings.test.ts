import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { loadConfigWithPlugins, parseConfig } from '../src/config/config.ts';
import { openConfiguredTelemetry, silentTelemetry } from '../src/telemetry/telemetry.ts';
import { allSettings, DISTRIBUTED_SETTINGS, recordReads, SECURE_SETTINGS } from './settings.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const NETWORK = "allow: ['127.0.0.1'], host_spacing: 0s";

/** Settings that the program has under another name after they are resolved, or as one of several forms. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^(sources\.\*<feed>)\.feed$/, '$1.url'],
  [/^(sources\.\*<youtube>)\.youtube$/, '$1.channel'],
  [/^(sources\.\*<hackernews>)\.hackernews$/, '$1.list'],
  [/\.firstContact\..*$/, '.firstContact'],
  // `src/config/resolve.ts` makes one schedule, and one table of keep times, of them.
  [/^(pipelines\.\*<\w+>)\.(every|timeZone)$/, '$1.schedule'],
  [/^(pipelines\.\*<\w+>)\.retention\..*$/, '$1.keep'],
  [/^retention\.(notified|rejected)$/, 'pipelines.*<curate>.keep'],
  [/^retention\.processed$/, 'pipelines.*<summarise>.keep'],
  [/^retention\.(completed|failed)$/, 'pipelines.*<process>.keep'],
];

/** Settings that this newsroom on the embedded engine does not read, with what reads them. */
const ELSEWHERE: readonly RegExp[] = [
  // Discriminators: they choose the form of the setting.
  /\.(kind|builtin)$/,
  // The same check on the distributed engine: `distributed.test.ts`.
  ...DISTRIBUTED_SETTINGS,
  ...SECURE_SETTINGS,
  // Read for people who are signed in: `sign-in.test.ts`.
  /^server\.rateLimit\.perPerson$/,
  // Copied as a group: `connected.test.ts` tests the effect of each.
  /^pipelines\.\*<summarise>\.attachments\./,
  // There is one embedder at a time: `same-story.test.ts` uses both kinds.
  /^embedder<gemini>/,
];

/** A plugin with every kind of entry. */
const PLUGIN = `import { FolderSourceStore } from '${new URL('../docs/examples/kawaraban-plugin-sitemap/folder-source-store.js', import.meta.url).href}';
const settings = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const publisher = {
  abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 1 },
  render: () => ({ body: '', templateVersion: '1' }),
  send: async () => ({ outcome: 'sent', remoteId: '1' }),
  readBack: async () => ({ outcome: 'cannot_tell', detail: '' }),
};
export default {
  name: 'mine',
  apiVersion: 1,
  sources: { mine: { settings, create: () => ({ read: async (memory) => ({ outcome: 'unchanged', memory }) }) } },
  judges: { mine: { settings, create: (_, { judge }) => judge('local') } },
  publishers: { mine: { settings, create: () => publisher } },
  sourceStores: { mine: { settings, create: (_, { folder }) => new FolderSourceStore(folder + '/state') } },
};`;

const nameOf = (path: string): string =>
  RENAMED.reduce((name, [written, resolved]) => name.replace(written, resolved), path);

describe('settings that change what the program does', () => {
  let folder: string;
  let simulator: Simulator;
  const open: AsyncDisposable[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-settings-'));
    simulator = await startSimulator();
    open.push(simulator);
  });
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, yaml: string): Promise<App> {
    const text = `data: ${join(folder, name)}\n${yaml}`;
    const loaded = parseConfig(text, join(folder, `${name}.yaml`), {});
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0' });
    open.push(app);
    return app;
  }

  async function run(app: App, id: string) {
    const result = await app.pipelines.get(id)?.run(new AbortController().signal);
    if (result?.ran !== true) throw new Error('it did not run');
    return result.report;
  }

  it('X24 network.concurrency bounds the requests to the outside', async () => {
    let now = 0;
    let most = 0;
    const answer = async (response: ServerResponse): Promise<void> => {
      most = Math.max(most, ++now);
      for (let n = 0; n < 200; n++) await setImmediate();
      now--;
      response.end('<rss version="2.0"><channel><title>t</title></channel></rss>');
    };
    const server = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push({
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    });
    const { port } = server.address() as AddressInfo;
    const ids = Array.from({ length: 8 }, (_, n) => `s${n}`);
    const app = await start(
      'crowd',
      `
network: { ${NETWORK}, requests_per_host: 100, concurrency: 2 }
sources:
${ids.map((id) => `  ${id}: { feed: 'http://127.0.0.1:${port}/${id}' }`).join('\n')}
pipelines:
  p: { kind: curate, sources: [${ids}], interests: [{ topic: databases }], publish: [timeline] }`,
    );
    expect((await run(app, 'p')).sourcesRead).toBe(8);
    expect(most).toBe(2);
  });

  it('X24 D4 look_back of a process pipeline is how far back its channels are read', async () => {
    const admitted = async (lookBack: string): Promise<number> => {
      const app = await start(
        `look-back-${lookBack}`,
        `
network: { ${NETWORK} }
sources:
  talks: { youtube: '@datatalks', feed_url: '${simulator.urls.youtube}' }
pipelines:
  videos: { kind: process, sources: [talks], look_back: ${lookBack}, publish: [timeline] }`,
      );
      return (await run(app, 'videos')).admitted;
    };
    const usual = await admitted('2.5h');
    expect(usual).toBeGreaterThan(0);
    expect(await admitted('24h')).toBeGreaterThan(usual);
  });

  it('X24 language of the local judge is the language of its reasons', async () => {
    const app = await start(
      'reasons',
      `
network: { ${NETWORK} }
sources:
  herald: { feed: '${simulator.urls.feeds}/byte-herald/feed.xml' }
judges:
  mine: { kind: local, language: ja }
pipelines:
  p:
    kind: curate
    sources: [herald]
    judge: mine
    interests: [{ topic: databases }]
    first_contact: { newest: 2 }
    publish: [timeline]`,
    );
    await run(app, 'p');
    const items = (await app.pipelines.get('p')?.ledger.list({ limit: 50 }))?.items ?? [];
    const reasons = items.flatMap(({ verdict }) => (verdict === null ? [] : [verdict.reason]));
    expect(reasons).toHaveLength(2);
    for (const reason of reasons) expect(reason).toMatch(/。$/);
  });

  it('X24 every setting is read by something outside the configuration', async () => {
    const { urls } = simulator;
    const text = `
data: ${folder}
server:
  port: 0
  address: http://127.0.0.1:1
  images: { enabled: true }
  sign_in: { secret: { env: SECRET }, jwks: '${urls.feeds}/keys', issuer: i, audience: a }
  grpc: { enabled: true, port: 0, service_token: { env: SECRET } }
network: { ${NETWORK}, contact: me@example.org }
telemetry: { log_level: silent, traces: 'http://127.0.0.1:1/v1/traces' }
plugins: [./plugin.mjs]
polling: { store: { kind: mine } }
sources:
  plugin: { kind: mine, folders: [a], first_contact: { newest: 1 } }
  feed: { feed: '${urls.feeds}/byte-herald/feed.xml', folders: [a], language: en, first_contact: { newest: 1 } }
  ministry: { feed: '${urls.feeds}/shomusho/feed.xml', first_contact: { newest: 20 } }
  young: { feed: '${urls.feeds}/open-ledger/feed.xml', first_contact: { newer_than: 1h } }
  talks: { youtube: '@datatalks', key: { env: SECRET }, feed_url: '${urls.youtube}', base_url: '${urls.youtube}', first_contact: { newest: 1 } }
  hn: { hackernews: top, base_url: '${urls.hackernews}', limit: 1, first_contact: { newest: 1 } }
judges:
  mine: { kind: local, language: en }
  plugin: { kind: mine, fallback: mine }
  gemini: { kind: gemini, model: m, key: { env: SECRET }, base_url: '${urls.gemini}', limits: { tokens_per_day: 9, usd_per_day: 1 }, price: { input: 1, output: 1 }, fallback: mine, prompts: prompts }
  openai: { kind: openai, model: m, key: { env: SECRET }, base_url: '${urls.openai}', limits: { tokens_per_day: 9, usd_per_day: 1 }, price: { input: 1, output: 1 }, fallback: mine, prompts: prompts }
publishers:
  hook: { kind: discord-webhook, url: { env: WEBHOOK }, thread: '1100000000000000001', username: n, max_per_day: 1 }
  bot: { kind: discord-bot, token: { env: SECRET }, channel: '1100000000000000001', base_url: '${urls.discord}', max_per_day: 1 }
  toot: { kind: mastodon, instance: '${urls.mastodon}', token: { env: SECRET }, language: en, sensitive: true, content_warning: w, images: true, max_per_day: 1 }
  post: { kind: webhook, url: '${urls.feeds}/hook', secret: { env: SECRET }, authorization: { env: SECRET }, max_per_day: 1 }
  atom: { kind: atom, title: t }
  mine: { kind: timeline, author: someone }
  plugin: { kind: mine, max_per_day: 1 }
pipelines:
  curate:
    kind: curate
    sources: [feed, young, hn, plugin]
    every: 1h
    judge: gemini
    interests: [{ topic: databases, aliases: [SQL] }]
    first_contact: { newest: 1 }
    publish: [hook, bot, toot, post, atom, mine, plugin]
  summarise: { kind: summarise, sources: [ministry], judge: mine, max_per_run: 20, first_contact: { newest: 20 }, publish: [atom] }
  command: { kind: process, sources: [talks], processor: { command: ['false'] }, publish: [] }
  builtin: { kind: process, sources: [talks], processor: { builtin: summarise, judge: mine }, publish: [mine] }
embedder: { kind: openai, model: m, key: { env: SECRET }, base_url: '${urls.openai}', limits: { tokens_per_day: 9, usd_per_day: 1 }, price: { input: 1 } }
stories: { enabled: true, source: both, base_url: '${urls.hackernews}' }
`;
    mkdirSync(join(folder, 'prompts'));
    const env = { SECRET: 'a secret of quite enough characters', WEBHOOK: simulator.discord.webhookUrl };
    writeFileSync(join(folder, 'plugin.mjs'), PLUGIN);
    writeFileSync(join(folder, 'kawaraban.yaml'), text);
    const loaded = await loadConfigWithPlugins(join(folder, 'kawaraban.yaml'), env);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    // Each pipeline has something to defer.
    for (const path of ['byte-herald', 'shomusho'])
      simulator.injectFault({ service: 'pages', how: 'status', status: 503, match: { path } });
    const { config, read } = recordReads(loaded.config);
    const telemetry = await openConfiguredTelemetry(config, '0');
    open.push(telemetry);
    const app = await openApp(config, { telemetry, version: '0' });
    open.push(app);
    open.push(await app.serve());
    const stop = new AbortController();
    const running = app.run(stop.signal);
    try {
      await app.newsroom.feed('atom');
      await app.retention.sweep({ dryRun: false }, stop.signal);
      const unread = (): string[] =>
        allSettings().filter(
          (path) => !ELSEWHERE.some((known) => known.test(path)) && !read.has(nameOf(path)),
        );
      await expect.poll(unread, { timeout: 60_000, interval: 100 }).toEqual([]);
    } finally {
      stop.abort();
      await running;
    }
  });
});
