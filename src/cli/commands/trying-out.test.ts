import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';

let cwd: string;
let simulator: Simulator;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-trying-'));
  simulator = await startSimulator({});
  env = {
    HOOK: simulator.discord.webhookUrl,
    DEAD_HOOK: `${simulator.urls.discord}/api/webhooks/1/none`,
    TOKEN: simulator.mastodon.token,
    OPENAI_KEY: simulator.openai.key,
  };
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  herald: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml", first_contact: { newest: 20 } }
  ministry: { feed: "${simulator.urls.feeds}/shomusho/feed.xml" }
judges:
  remote:
    kind: openai
    base_url: ${simulator.urls.openai}/v1
    key: { env: OPENAI_KEY }
    model: gpt-sim-mini
    price: { input: 1, output: 4 }
    limits: { calls_per_minute: 100, calls_per_day: 500, usd_per_day: 2 }
publishers:
  discord: { kind: discord-webhook, url: { env: HOOK } }
  dead: { kind: discord-webhook, url: { env: DEAD_HOOK } }
  mastodon: { kind: mastodon, instance: "${simulator.urls.mastodon}", token: { env: TOKEN }, language: en }
pipelines:
  morning:
    kind: curate
    sources: [herald]
    interests: [{ topic: databases, aliases: [database, SQL, PostgreSQL] }, { topic: TypeScript }]
    min_relevance_score: 50
    max_articles: 1
    min_articles: 1
    first_contact: { newest: 20 }
    publish: [discord]
  bot: { kind: summarise, sources: [ministry], judge: remote, language: en, sentences: { least: 1 }, publish: [mastodon] }
`,
  );
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

const cli = (...args: string[]): Promise<CliOutput> => run(args, { cwd, env });
const rewrite = (from: string, to: string): void => {
  const path = join(cwd, 'kawaraban.yaml');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
};

describe('judge try', { timeout: 240_000 }, () => {
  it('shows verdict, topics, summary, tokens, cost and time of a file', async () => {
    writeFileSync(
      join(cwd, 'article.md'),
      '# A faster database\n\nThe PostgreSQL database got a new index. It makes every SQL query twice as fast. The database keeps the old format, and nothing has to be rebuilt.\n',
    );
    const result = await cli('judge', 'try', 'article.md', '--pipeline', 'morning');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^A faster database$/m);
    expect(result.out).toMatch(/^Verdict +\d+ of 100: \S/m);
    expect(result.out).toMatch(/^Topics +databases$/m);
    expect(result.out).toMatch(/^Summary +\S/m);
    expect(result.out).toMatch(/^Used +0 calls, 0 tokens in, 0 out, \$0\.00, in /m);
  });

  it('X9 a remote judge costs something, and status shows it beside its limits', async () => {
    const { link } = await fetchFirst();
    const result = await cli('judge', 'try', link, '--pipeline', 'bot', '--json');
    expect(result.code, result.err).toBe(0);
    const trial = JSON.parse(result.out) as {
      trial: { evaluation: null; usage: { calls: number; microUsd: number } };
    };
    expect(trial).toMatchObject({ judge: 'remote', pipeline: 'bot', outcome: 'tried' });
    expect(trial.trial.evaluation).toBeNull();
    expect(trial.trial.usage.calls).toBe(2);
    expect(trial.trial.usage.microUsd).toBeGreaterThan(0);
    const status = await cli('status');
    expect(status.out).toMatch(/^Judge +Calls in a minute +Calls today +Tokens today +Spent today$/m);
    expect(status.out).toMatch(/^remote +2 of 100 +2 of 500 +\d+ +\$0\.\d{4} of \$2\.00$/m);
    const json = JSON.parse((await cli('status', '--json')).out) as { judges: { judge: string }[] };
    expect(json.judges).toMatchObject([
      {
        judge: 'remote',
        today: { calls: 2, microUsd: trial.trial.usage.microUsd },
        limits: { callsPerDay: 500 },
      },
    ]);
  });

  it('reports what is missing or cannot be read', async () => {
    const which = await cli('judge', 'try', 'article.md');
    expect([which.code, which.err]).toEqual([
      2,
      expect.stringContaining('--pipeline and one of morning, bot'),
    ]);
    const none = await cli('judge', 'try', 'no-such-file', '-p', 'morning');
    expect([none.code, none.err]).toEqual([66, expect.stringContaining('there is no such file')]);
    const gone = await cli('judge', 'try', `${simulator.urls.pages}/no/such/page`, '-p', 'morning');
    expect([gone.code, gone.err]).toEqual([66, expect.stringContaining('cannot be read')]);
    expect((await cli('judge', 'try', 'article.md', '-p', 'mornin')).code).toBe(66);
  });

  it('X18 an unavailable judge is reported as such', async () => {
    simulator.injectFault({ service: 'openai', how: 'status', status: 503, times: 'always' });
    writeFileSync(join(cwd, 'other.md'), '# Another text\n\nThis one was never judged before.\n');
    const result = await cli('judge', 'try', 'other.md', '-p', 'bot');
    simulator.clearFaults();
    expect([result.code, result.out]).toEqual([
      69,
      expect.stringMatching(/^Summary +no answer at the moment: server error/m),
    ]);
  });
});

describe('press', { timeout: 240_000 }, () => {
  it('press preview shows the exact messages and sends none', async () => {
    const result = await cli('press', 'preview', 'morning');
    expect(result.code, result.err).toBe(0);
    expect(result.out).toMatch(/^To discord:\n {2}▌ .+\n {2}▌ http/m);
    expect(result.err).toContain('1 message would be sent now. Nothing was written or sent.');
    expect(simulator.discord.messages()).toHaveLength(0);
    const json = JSON.parse((await cli('press', 'preview', 'morning', '--json')).out) as object;
    const raw = { destination: 'discord', body: expect.stringContaining('"embeds"') };
    expect(json).toMatchObject({ pipeline: 'morning', messages: [raw] });
    expect((await cli('press', 'preview', 'evening')).code).toBe(66);
  });

  it('press test sends a marked message and prints the response; it is no item', async () => {
    const discord = await cli('press', 'test', 'discord');
    expect([discord.code, discord.out]).toEqual([
      0,
      expect.stringMatching(/accepted the test message: \d{17,20}/),
    ]);
    const [message] = simulator.discord.messages();
    expect(JSON.stringify(message)).toContain('TEST: Kawaraban');
    const mastodon = await cli('press', 'test', 'mastodon', '--json');
    expect(mastodon.code, mastodon.err).toBe(0);
    expect(JSON.parse(mastodon.out)).toMatchObject({ destination: 'mastodon', answer: { outcome: 'sent' } });
    expect(JSON.stringify(simulator.mastodon.statuses())).toContain('TEST: Kawaraban');
    // Two tests are two messages: a test message is never deduplicated.
    await cli('press', 'test', 'mastodon');
    expect(simulator.mastodon.statuses()).toHaveLength(2);
    expect((await cli('press', 'test', 'timeline')).code).toBe(0);
    expect((await cli('items', '--text', 'TEST')).out).not.toContain('TEST');
  });

  it('press test reports why a destination fails, without its secret address', async () => {
    const dead = await cli('press', 'test', 'dead');
    expect(dead.code).not.toBe(0);
    expect(dead.out).toMatch(/^dead (refused|takes nothing)/);
    expect(dead.out + dead.err).not.toContain('/api/webhooks/1');
    const wrong = await cli('press', 'test', 'discrod');
    expect([wrong.code, wrong.err]).toEqual([66, expect.stringContaining('did you mean `discord`?')]);
  });
});

describe('A5 interests diff', { timeout: 240_000 }, () => {
  it('A5 shows what would be re-evaluated, and the next run re-evaluates exactly that', async () => {
    expect((await cli('run', 'morning')).code).toBe(0);
    const before = await cli('interests', 'diff');
    expect([before.code, before.out]).toEqual([0, expect.stringContaining('Nothing would be re-evaluated')]);

    rewrite('{ topic: TypeScript }', '{ topic: TypeScript, priority: high }');
    const diff = await cli('interests', 'diff', '--json');
    const [preview] = JSON.parse(diff.out) as {
      rejudge: { key: string; topics: string[]; why: string }[];
      keep: number;
      changes: object[];
    }[];
    expect(preview?.rejudge.every(({ topics }) => topics.includes('TypeScript'))).toBe(true);
    expect(preview?.keep).toBeGreaterThan(0);
    rewrite('{ topic: TypeScript, priority: high }', '{ topic: TypeScript }, { topic: gardens }');
    const result = await cli('interests', 'diff', '-p', 'morning');
    expect(result.out).toMatch(/^\+ gardens \(medium\)$/m);
    expect(result.out).toMatch(/“gardens” is new/);
    expect(result.out).toMatch(
      /\d+ items would be re-evaluated in the next run; 0 verdicts stay valid\. Nothing was changed\./,
    );

    const [all] = JSON.parse((await cli('interests', 'diff', '--json')).out) as {
      rejudge: { key: string }[];
    }[];
    const dry = JSON.parse((await cli('run', 'morning', '--dry-run', '--json')).out) as {
      report: { items: { key: string }[] };
    };
    const wouldBe = new Set(dry.report.items.map(({ key }) => key));
    expect(all?.rejudge.every(({ key }) => wouldBe.has(key))).toBe(true);
    expect((await cli('interests', 'diff')).out).toBe(result.out);
    const report = JSON.parse((await cli('run', 'morning', '--json')).out) as { items: { key: string }[] };
    const decided = new Set(report.items.map(({ key }) => key));
    expect(all?.rejudge.every(({ key }) => decided.has(key))).toBe(true);
    expect((await cli('interests', 'diff')).out).toContain('Nothing would be re-evaluated');
    expect((await cli('interests', 'diff', '-p', 'bot')).code).toBe(2);
  });
});

async function fetchFirst(): Promise<{ link: string }> {
  const feed = await (await fetch(`${simulator.urls.feeds}/byte-herald/feed.xml`)).text();
  return { link: /<item>[\s\S]*?<link>([^<]+)<\/link>/.exec(feed)?.[1] ?? '' };
}
