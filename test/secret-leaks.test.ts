import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { runCli } from '../src/cli/program.ts';
import { loadConfig } from '../src/config/config.ts';
import { openTelemetry } from '../src/telemetry/telemetry.ts';

/**
 * Secrets of every kind, some that work and some that are refused, from the environment and from a file; services that
 * fail in ways that make programs verbose; then everything that was printed or served is searched.
 */
describe('X7 secrets do not leak', () => {
  const canary = (): string => `canary-${randomBytes(10).toString('hex')}`;
  let folder: string;
  let simulator: Simulator;
  let app: App | undefined;
  let output: string[];
  let secrets: string[];
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'canary-'));
    simulator = await startSimulator();
    output = [];
    const refused = canary();
    const works = simulator.discord.webhookUrl;
    const [token, key] = [canary(), canary()];
    const worksToken = works.slice(works.lastIndexOf('/') + 1);
    secrets = [refused, worksToken, token, key];
    env = {
      PATH: process.env.PATH,
      CANARY_HOOK: works,
      CANARY_BAD_HOOK: works.replace(worksToken, refused),
      CANARY_KEY: key,
    };
    writeFileSync(join(folder, 'token.txt'), `${token}\n`, { mode: 0o600 });
    writeFileSync(join(folder, 'kawaraban.yaml'), yaml(simulator));
  });
  afterEach(async () => {
    await app?.[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function yaml({ urls }: Simulator): string {
    return `
data: ${join(folder, 'data')}
server: { host: 127.0.0.1, port: 1, public: true }
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  herald: { feed: ${urls.feeds}/byte-herald/feed.xml, first_contact: { newest: 20 } }
judges:
  local: { kind: local }
  gemini: { kind: gemini, model: gemini-2.5-flash, key: { env: CANARY_KEY }, base_url: "${urls.gemini}" }
publishers:
  good: { kind: discord-webhook, url: { env: CANARY_HOOK } }
  bad: { kind: discord-webhook, url: { env: CANARY_BAD_HOOK } }
  toots: { kind: mastodon, instance: "${urls.mastodon}", token: { file: token.txt } }
pipelines:
  morning:
    kind: curate
    sources: [herald]
    every: 1d
    judge: local
    interests: [{ topic: databases, aliases: [SQL, index] }, { topic: AI, aliases: [model] }]
    min_relevance_score: 1
    max_articles: 3
    min_articles: 1
    publish: [good, bad, toots]
`;
  }

  async function cli(...args: string[]): Promise<void> {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    for (const stream of Object.values(streams))
      stream.setEncoding('utf8').on('data', (text) => output.push(text));
    const config = join(folder, 'kawaraban.yaml');
    await runCli([...args, '--config', config], { ...streams, stdin: new PassThrough(), env, cwd: folder });
  }

  it('X7 neither in the log, the API, the metrics, nor on the command line, whatever fails', {
    timeout: 240_000,
  }, async () => {
    const loaded = loadConfig(join(folder, 'kawaraban.yaml'), env);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const telemetry = await openTelemetry({
      serviceName: 'kawaraban',
      version: '0',
      metrics: true,
      log: { level: 'debug', format: 'json', output: { write: (line) => output.push(line) } },
    });
    app = await openApp(loaded.config, { telemetry, version: '0' });
    simulator.injectFault({ service: 'discord', how: 'reset', times: 1 });
    simulator.injectFault({ service: 'mastodon', how: 'html', times: 1 });
    const pipeline = app.pipelines.get('morning');
    const report = await pipeline?.run(new AbortController().signal);
    output.push(JSON.stringify(report));
    await pipeline?.dispatch();

    const server = await app.serve(0);
    try {
      const keys = (await pipeline?.ledger.list({ limit: 100 }))?.items.map(({ key }) => key) ?? [];
      expect(keys.length).toBeGreaterThan(0);
      const paths = [
        '/metrics',
        '/readyz',
        ...[
          'newsroom',
          'pipelines',
          'items?pipeline=morning&limit=100',
          'sources',
          'users',
          'timelines/local',
        ].map((name) => `/api/v1/${name}`),
        ...keys.slice(0, 20).map((key) => `/api/v1/item?pipeline=morning&key=${encodeURIComponent(key)}`),
      ];
      for (const path of paths) {
        const response = await fetch(new URL(path, server.url));
        expect(response.status, path).toBeLessThan(400);
        output.push(await response.text());
      }
    } finally {
      await server[Symbol.asyncDispose]();
    }
    await app[Symbol.asyncDispose]();
    app = undefined;

    await cli('status', '--json');
    await cli('items', 'morning', '--json');
    await cli('config', 'check');
    await cli('config', 'show');
    await cli('doctor');
    await cli('run', 'morning');
    await cli('run', 'no-such-pipeline');

    const all = output.join('\n');
    expect(all.length).toBeGreaterThan(5000);
    for (const secret of secrets) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
    }
    // What was sent did carry them: otherwise this would prove nothing.
    const requestedPaths = simulator.journal.entries().map(({ path }) => path);
    for (const secret of secrets.slice(0, 2))
      expect(requestedPaths.some((path) => path.includes(secret))).toBe(true);
    expect(simulator.journal.counts().mastodon).toBeGreaterThan(0);
  });
});
