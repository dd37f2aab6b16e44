import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { silentTelemetry } from '../src/app/telemetry.ts';
import { type App, openApp } from '../src/app.ts';
import { parseConfig } from '../src/config/config.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const NETWORK = "allow: ['127.0.0.1'], host_spacing: 0s";

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
    const server = createServer(async (_request, response) => {
      most = Math.max(most, ++now);
      for (let turns = 0; turns < 200; turns++) await turn();
      now--;
      response.end('<rss version="2.0"><channel><title>t</title></channel></rss>');
    }).listen(0, '127.0.0.1');
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
        `look-${lookBack}`,
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
});
