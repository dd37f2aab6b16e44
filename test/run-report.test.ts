import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { publishNews } from './crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { Program, type ProgramResult } from './program.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const API_KEY = 'sk-report-secret-7f3a9c';

interface ReportedItem {
  readonly key: string;
  readonly title: string;
  readonly outcome: string;
  readonly reason: string;
  readonly why: string;
}

interface Report {
  readonly items: readonly ReportedItem[];
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly toDo: readonly string[];
  readonly unfinished?: { readonly waiting: number; readonly items: readonly ReportedItem[] };
}

interface Listed {
  readonly items: readonly { readonly key: string; readonly state: string }[];
}

/** The real program with a pipeline of each kind, whose services misbehave. */
function reports(engine: () => object | null): {
  readonly simulator: () => Simulator;
  start(...args: string[]): Program;
  run(pipeline: string, ...more: string[]): Promise<ProgramResult>;
  statesOf(pipeline: string): Promise<ReadonlyMap<string, string>>;
} {
  let folder: string;
  let simulator: Simulator;
  const running: Program[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-report-'));
    simulator = await startSimulator({ discord: { limits: false }, mastodon: { limits: false } });
    const { urls } = simulator;
    const news = publishNews(simulator, 'news', 2);
    const missing = simulator.feeds.create({ id: 'missing' });
    missing.publish({ title: 'A page that is gone', link: `${urls.pages}/made/gone/1.html` });
    const where = engine();
    const curate = {
      kind: 'curate',
      sources: ['news'],
      interests: [{ topic: 'TypeScript', aliases: ['compiler'] }],
      min_relevance_score: 0,
      min_articles: 1,
      publish: ['hook'],
    };
    const config = {
      ...(where !== null && { engine: where, timelines: { store: 'memory' } }),
      data: './data',
      server: { port: 0 },
      network: { allow: ['127.0.0.1'], host_spacing: '0s' },
      identity: { same_story: { enabled: false } },
      sources: {
        news: { feed: news.url, first_contact: { newest: 9 } },
        missing: { feed: missing.url, first_contact: { newest: 9 } },
        broken: { feed: `${urls.feeds}/no-such-feed.xml` },
        ...(where === null && {
          videos: { youtube: '@datatalks', feed_url: urls.youtube, look_back: '4h' },
        }),
      },
      judges: {
        remote: {
          kind: 'openai',
          model: 'sim',
          base_url: `${urls.openai}/v1`,
          key: { env: 'OPENAI_KEY' },
          limits: { calls_per_minute: 1000 },
        },
      },
      publishers: {
        hook: { kind: 'discord-webhook', url: { env: 'HOOK' } },
        mastodon: { kind: 'mastodon', instance: urls.mastodon, token: { env: 'MASTODON' } },
      },
      pipelines: {
        desk: { ...curate, sources: ['news', 'broken'] },
        both: { ...curate, publish: ['hook', 'timeline'] },
        judged: { ...curate, judge: 'remote' },
        bot: {
          kind: 'summarise',
          sources: ['news', 'missing'],
          publish: ['mastodon'],
          language: 'en',
          max_per_run: 9,
        },
        strict: {
          kind: 'summarise',
          sources: ['missing'],
          publish: ['mastodon'],
          language: 'en',
          retry_limit: 0,
        },
        ...(where === null && {
          videos: {
            kind: 'process',
            sources: ['videos'],
            look_back: '4h',
            processor: { command: ['sh', '-c', 'echo "no space left on tape" >&2; exit 3'] },
          },
        }),
      },
    };
    writeFileSync(join(folder, 'kawaraban.yaml'), JSON.stringify(config));
  });
  afterEach(async () => {
    for (const program of running.splice(0)) await program.kill();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (...args: string[]): Program => {
    const env = {
      HOOK: simulator.discord.webhookUrl,
      MASTODON: simulator.mastodon.token,
      OPENAI_KEY: API_KEY,
      METADATA_SERVER_DETECTION: 'none',
      KAWARABAN_LOG_LEVEL: 'error',
    };
    const program = new Program(args, env, folder);
    running.push(program);
    return program;
  };
  return {
    simulator: () => simulator,
    start,
    run: (pipeline, ...more) => start('run', pipeline, ...more).ended,
    async statesOf(pipeline) {
      const result = await start('items', '--json', '--pipeline', pipeline).ended;
      const [listed] = JSON.parse(result.out) as Listed[];
      return new Map((listed?.items ?? []).map(({ key, state }) => [key, state]));
    },
  };
}

function reportOf({ out, err }: ProgramResult): Report {
  expect(out, err).toMatch(/^\{/);
  return JSON.parse(out) as Report;
}

function onEachEngine(newsroom: ReturnType<typeof reports>): void {
  it('X2 X12 a message whose reply was lost: run reports it as parked with what to do, and exits with 1', async () => {
    newsroom.simulator().injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    const result = await newsroom.run('desk');
    expect(result.code, result.err).toBe(1);
    expect(result.out.match(/^parked .*hook: .*may or may not have been posted/gm)).toHaveLength(2);
    expect(result.out).not.toMatch(/^published/m);
    expect(result.out).toMatch(/^parked: hook: .*\(2 items\)$/m);
    expect(result.out).toContain('2 parked: ');
    expect(result.out).toContain('kawaraban resolve <item> --as sent');
    // The reason why a source was not read is reported, too.
    expect(result.out).toMatch(/^Failed to read broken: .*404/m);
    expect(result.out.trimEnd().split('\n').at(-1)).toMatch(
      /1 source read, 1 failed, .* 2 items decided \(2 parked\)/,
    );
    expect(newsroom.simulator().discord.messages()).toHaveLength(1);
    // A second run sends nothing again.
    expect((await newsroom.run('desk')).code).toBe(0);
    expect(newsroom.simulator().discord.messages()).toHaveLength(1);
  });

  it('X12 a refusal is reported with Discord’s error, also where another destination accepted the item', async () => {
    for (const pipeline of ['desk', 'both']) {
      newsroom.simulator().injectFault({
        service: 'discord',
        how: 'status',
        status: 400,
        body: JSON.stringify({ message: 'Invalid Form Body', code: 50035 }),
      });
      const result = await newsroom.run(pipeline, '--json');
      expect(result.code, result.err).toBe(1);
      const { items, counts, toDo } = reportOf(result);
      expect(counts).toEqual({ refused: 2 });
      for (const { why } of items) expect(why).toMatch(/hook: .*Invalid Form Body/);
      expect(toDo.join()).toContain('2 refused: ');
    }
  });

  it('X12 B10 what Mastodon refuses is reported by the state of its item, with Mastodon’s error', async () => {
    newsroom.simulator().injectFault({
      service: 'mastodon',
      how: 'status',
      match: { method: 'POST' },
      status: 422,
      body: JSON.stringify({ error: 'Validation failed: Text is not allowed here' }),
      times: 'always',
    });
    const { items } = reportOf(await newsroom.run('bot', '--json'));
    const states = await newsroom.statesOf('bot');
    const reported = items.filter(({ title }) => title.startsWith('TypeScript'));
    expect(reported).toHaveLength(2);
    for (const { key, outcome, why } of reported) {
      expect(outcome).toBe(states.get(key) === 'deferred' ? 'deferred' : 'refused');
      expect(why).toContain('Text is not allowed here');
    }
    // The other has no page: it is deferred with the reason.
    expect(items.find(({ title }) => title === 'A page that is gone')).toMatchObject({
      outcome: 'deferred',
      reason: 'download_failed',
      why: expect.stringContaining('404'),
    });
  });

  it('X7 X12 X18 a failing judge: items are deferred with its error and without its key; nothing waits for a person', async () => {
    newsroom.simulator().injectFault({
      service: 'openai',
      how: 'status',
      status: 500,
      body: JSON.stringify({ error: { message: `The model ${API_KEY} is on fire`, type: 'server_error' } }),
      times: 'always',
    });
    const result = await newsroom.run('judged', '--json');
    expect(result.code, result.err).toBe(0);
    const { items, counts } = reportOf(result);
    expect(counts).toEqual({ deferred: 2 });
    for (const { why, reason } of items) {
      expect(reason).toBe('api_failed');
      expect(why).toMatch(/500.*is on fire/);
    }
    expect(result.out + result.err).not.toContain(API_KEY);
    const due = reportOf(await newsroom.run('judged', '--json'));
    expect(due.items).toEqual([]);
  });
}

describe('the report of run, on the embedded engine', () => {
  const newsroom = reports(() => null);
  onEachEngine(newsroom);

  it('X12 what was published is counted once, with its destinations', async () => {
    const result = await newsroom.run('both', '--json');
    expect(result.code, result.err).toBe(0);
    const { items, counts, toDo } = reportOf(result);
    expect(counts).toEqual({ published: 2 });
    expect(items.map(({ why }) => why)).toEqual(['hook, timeline', 'hook, timeline']);
    expect(toDo).toEqual([]);
  });

  it('B11 X12 an item beyond the maximum of attempts is failed, not deferred, with its last reason', async () => {
    const result = await newsroom.run('strict');
    expect(result.code, result.err).toBe(1);
    expect(result.out).toMatch(/^failed .*given up after 1 attempt, last: download_failed: .*404/m);
    expect(result.out).toContain('kawaraban retry <item>');
    expect(result.out).toMatch(/1 item decided \(1 failed\)/);
  });

  it('X12 --if-due reports why something failed', async () => {
    newsroom.simulator().injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    const result = await newsroom.run('desk', '--if-due');
    expect(result.out).toMatch(/2 parked; .*parked: hook: .*\(2 items\)/);
    expect(result.out).not.toContain('published');
  });

  it('D6 X12 a command that fails: run reports which videos it did not process, and why', async () => {
    const first = reportOf(await newsroom.run('videos', '--json'));
    expect(first.unfinished?.waiting).toBeGreaterThan(0);
    expect((await newsroom.run('videos')).out).toMatch(
      /\d+ items? to be processed\. A running `kawaraban start` does it\./,
    );
    const program = newsroom.start('start');
    await program.waitForOutput(/Ctrl-C stops it/);
    await expect
      .poll(async () => [...(await newsroom.statesOf('videos')).values()], { interval: 500 })
      .toContain('deferred');
    program.child.kill('SIGINT');
    await program.ended;
    const { unfinished } = reportOf(await newsroom.run('videos', '--json'));
    expect(unfinished?.items[0]).toMatchObject({
      outcome: 'deferred',
      reason: 'processor_failed',
      why: expect.stringMatching(/3.*no space left on tape/),
    });
  });
});

requires('gcloud')('the report of run, on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  onEachEngine(
    reports(() => ({
      kind: 'distributed',
      project: freshProject(),
      firestore: { emulator: emulator.host },
      pubsub: { emulator: '127.0.0.1:1' },
    })),
  );
});
