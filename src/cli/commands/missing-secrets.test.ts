import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CliOutput, cli } from '../cli.fixture.ts';

let cwd: string;
let simulator: Simulator;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-secrets-'));
  simulator = await startSimulator({});
  writeFileSync(
    join(cwd, 'article.txt'),
    'A new release of PostgreSQL makes replication faster.\n'.repeat(20),
  );
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
network: { allow: ["127.0.0.1"], host_spacing: 0s }
judges:
  gemini: { kind: gemini, model: gemini-2.5-flash, key: { env: GEMINI_KEY } }
sources:
  herald: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml", first_contact: { newest: 20 } }
  talks: { youtube: "@datatalks", feed_url: "${simulator.urls.youtube}", key: { env: YOUTUBE_KEY } }
publishers:
  discord: { kind: discord-webhook, url: { env: HOOK } }
  toots: { kind: mastodon, instance: "${simulator.urls.mastodon}", token: { env: TOKEN } }
pipelines:
  morning:
    kind: curate
    sources: [herald]
    interests: [{ topic: databases, aliases: [database, SQL, PostgreSQL] }]
    min_articles: 1
    publish: [discord, toots]
  far:
    kind: summarise
    sources: [herald]
    judge: gemini
    publish: [toots]
  videos: { kind: process, sources: [talks], processor: { builtin: summarise }, look_back: 300d, publish: [timeline] }
`,
  );
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<CliOutput> => cli(args, { cwd, env: {} });
const NOTE = /Missing secrets, which `start` and `run` need:\n.*judges\.gemini\.key: .*GEMINI_KEY is not set/;

describe('X12 commands that send nothing', () => {
  it('X12 status needs no secret, and lists those that are missing', async () => {
    const { code, err, out } = await run('status');
    expect([code, out]).toEqual([0, expect.stringContaining('morning')]);
    expect(err).toMatch(NOTE);
    expect(err).toContain('publishers.discord.url: the environment variable HOOK is not set');
  });

  it('X12 a dry run needs no secret of a destination', async () => {
    const { code, err, out } = await run('run', 'morning', '--dry-run');
    expect([code, out]).toEqual([0, expect.stringMatching(/^Would be sent to discord:\n {2}▌ /m)]);
    expect(out).toMatch(/^Would be sent to toots:$/m);
    expect(err).toMatch(NOTE);
    expect((await run('run', 'videos', '--dry-run')).out).toMatch(/^Would be sent to timeline:$/m);
  });

  it('X12 judge try needs only the key of the judge that it asks', async () => {
    const local = await run('judge', 'try', 'article.txt', '--pipeline', 'morning');
    expect([local.code, local.out]).toEqual([0, expect.stringContaining('databases')]);
    for (const args of [
      ['judge', 'try', 'article.txt', '--pipeline', 'far'],
      ['run', 'far', '--dry-run'],
    ]) {
      const far = await run(...args);
      expect([far.code, far.out]).toEqual([78, '']);
      expect(far.err).toContain('judges.gemini.key: the environment variable GEMINI_KEY is not set');
      expect(far.err).not.toContain('HOOK');
    }
  });

  it('X12 a run needs every secret', async () => {
    const { code, err } = await run('run', 'morning');
    expect(code).toBe(78);
    for (const name of ['GEMINI_KEY', 'YOUTUBE_KEY', 'HOOK', 'TOKEN']) expect(err).toContain(name);
  });
});
