import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { openApp } from '../src/app/app.ts';
import { type CliOutput, cli as runCli } from '../src/cli/cli.fixture.ts';
import { loadConfig } from '../src/config/config.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';

/** Each model as a judge with its own pipeline: the request depends on what its server accepts. */
const MODELS = {
  newer: { kind: 'openai', model: 'gpt-5-sim', more: '' },
  thrifty: { kind: 'openai', model: 'gpt-5-sim', more: 'reasoning: low' },
  older: { kind: 'openai', model: 'mistral-sim', more: 'reasoning: low' },
  thinking: { kind: 'gemini', model: 'gemini-2.5-pro', more: '' },
  'thinking-none': { kind: 'gemini', model: 'gemini-2.5-pro', more: 'reasoning: none' },
  'thinking-level': { kind: 'gemini', model: 'gemini-3-flash-preview', more: 'reasoning: low' },
  /** Its first answer is truncated by reasoning, and requested again with a larger limit. */
  tight: { kind: 'gemini', model: 'gemini-2.5-pro', more: 'max_output_tokens: 2048' },
} as const;

/** Judges whose requests are refused, each for a different reason. */
const MISCONFIGURED: Readonly<Record<string, (urls: Simulator['urls']) => string>> = {
  'bad-request': ({ openai }) =>
    `kind: openai, model: gpt-sim, base_url: "${openai}/v1", key: { env: OPENAI_KEY }`,
  'bad-key': ({ openai }) => `kind: openai, model: gpt-sim, base_url: "${openai}/v1", key: { env: BAD_KEY }`,
  'a-page': ({ pages }) => `kind: openai, model: gpt-sim, base_url: "${pages}"`,
  thoughtful: ({ gemini }) =>
    `kind: gemini, model: gemini-2.5-pro, base_url: "${gemini}/v1beta", key: { env: GEMINI_KEY }, max_output_tokens: 1000`,
};
const BAD_KEY = 'sk-not-a-key-of-this-server';

const PIPELINE = `
    kind: curate
    sources: [herald]
    interests: [{ topic: databases, aliases: [database, SQL, PostgreSQL] }, { topic: TypeScript }]
    min_relevance_score: 50
    max_articles: 1
    min_articles: 1
    first_contact: { newest: 6 }
    publish: [discord]`;

let cwd: string;
let simulator: Simulator;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-models-'));
  simulator = await startSimulator({});
  env = {
    HOOK: simulator.discord.webhookUrl,
    OPENAI_KEY: simulator.openai.key,
    GEMINI_KEY: simulator.gemini.key,
    BAD_KEY,
  };
  const address = {
    openai: `base_url: "${simulator.urls.openai}/v1", key: { env: OPENAI_KEY }`,
    gemini: `base_url: "${simulator.urls.gemini}/v1beta", key: { env: GEMINI_KEY }`,
  };
  const judges = Object.entries(MODELS).map(
    ([id, { kind, model, more }]) =>
      `  ${id}: { kind: ${kind}, model: ${model}, ${address[kind]}, price: { input: 1, output: 4 }, limits: { calls_per_minute: 1000 }${more === '' ? '' : `, ${more}`} }`,
  );
  const wrong = Object.entries(MISCONFIGURED).map(
    ([id, settings]) => `  ${id}: { ${settings(simulator.urls)}, limits: { calls_per_minute: 1000 } }`,
  );
  const pipelines = [...Object.keys(MODELS), ...Object.keys(MISCONFIGURED)].map(
    (id) => `  by-${id}:${PIPELINE}\n    judge: ${id}`,
  );
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
server: { port: 0 }
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  herald: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml", first_contact: { newest: 6 } }
judges:
${judges.join('\n')}
${wrong.join('\n')}
publishers:
  discord: { kind: discord-webhook, url: { env: HOOK } }
pipelines:
${pipelines.join('\n')}
`,
  );
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

const cli = (...args: string[]): Promise<CliOutput> => runCli(args, { cwd, env });

describe('current models', { timeout: 60_000 }, () => {
  it.each(Object.keys(MODELS))('X8 a pipeline with the judge %s publishes', async (id) => {
    const before = simulator.discord.messages().length;
    const result = await cli('run', `by-${id}`, '--json');
    expect(result.code, result.err).toBe(0);
    expect(simulator.discord.messages().length, result.out.slice(0, 2000)).toBe(before + 1);
  });
});

describe('a judge whose server refuses the request', { timeout: 60_000 }, () => {
  interface Listed {
    readonly items: readonly { readonly state: string; readonly attempts: number; readonly detail: string }[];
  }
  const itemsOf = async (id: string): Promise<Listed['items']> => {
    const result = await cli('items', '--json', '--pipeline', `by-${id}`);
    expect(result.code, result.err).toBe(0);
    return ((JSON.parse(result.out) as Listed[])[0]?.items ?? []).filter(({ state }) => state !== 'baseline');
  };
  it.each([
    ['bad-request', 'misconfigured', 'The server answered 400: Invalid request.'],
    ['bad-key', 'refused key', 'The server answered 401: Incorrect API key provided: sk-***er.'],
    ['a-page', 'misconfigured', 'The server answered 405: an HTML page, “405 Method Not Allowed'],
  ])('X7 X8 X9 X18 %s: its error is shown, and no article is lost or blamed', async (id, why, words) => {
    if (id === 'bad-request')
      simulator.injectFault({ service: 'openai', how: 'status', status: 400, times: 'always' });
    try {
      const sent = simulator.discord.messages().length;
      for (let i = 0; i < 2; i++) expect((await cli('run', `by-${id}`)).code).toBe(0);
      expect(simulator.discord.messages()).toHaveLength(sent);
      const items = await itemsOf(id);
      expect(items).toHaveLength(6);
      for (const item of items) {
        expect(item).toMatchObject({ state: 'waiting', attempts: 0 });
        expect(item.detail).toContain(words);
      }
      const status = await cli('status');
      expect(status.out).toMatch(new RegExp(`^${id}: ${why} \\(.*\\): .*`, 'm'));
      expect(status.out).toContain(words);
      const doctor = await cli('doctor', '--offline');
      expect(doctor.code).toBe(1);
      expect(doctor.out).toMatch(new RegExp(`✗ Judge ${id}: ${why}: .*\\n +→ .*kawaraban judge try`));
      const json = JSON.parse((await cli('status', '--json')).out) as { judges: { judge: string }[] };
      expect(json.judges.find(({ judge }) => judge === id)).toMatchObject({
        trouble: { detail: expect.stringContaining(words), at: expect.any(Number) },
      });
      writeFileSync(join(cwd, 'article.md'), `# An article for ${id}\n\nThe database got an index.\n`);
      const trial = await cli('judge', 'try', 'article.md', '-p', `by-${id}`);
      expect([trial.code, trial.out]).toEqual([69, expect.stringContaining(words)]);
      for (const result of [status, doctor, trial])
        for (const secret of [BAD_KEY, simulator.openai.key]) expect(result.out).not.toContain(secret);
    } finally {
      simulator.clearFaults();
    }
  });

  it('X9 X18 a model whose output limit is too small reports what to change, and ends no article', async () => {
    expect((await cli('run', 'by-thoughtful')).code).toBe(0);
    for (const { state, detail } of await itemsOf('thoughtful')) {
      expect(state).toBe('deferred');
      expect(detail).toContain('answered nothing. Raise max_output_tokens, or lower reasoning');
    }
    const json = JSON.parse((await cli('status', '--json')).out) as {
      judges: { judge: string; today: { calls: number; tokens: number } }[];
    };
    const spend = json.judges.find(({ judge }) => judge === 'thoughtful')?.today;
    expect(spend?.calls).toBe(12);
    expect(spend?.tokens).toBeGreaterThan(6 * 5000);
  });

  it('X7 X18 the API shows the server’s error to signed-in users, and not to guests', async () => {
    const loaded = loadConfig(join(cwd, 'kawaraban.yaml'), env);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    await using app = await openApp(loaded.config, {
      telemetry: silentTelemetry,
      version: '0.0.0',
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
    });
    await using server = await app.serve();
    const link = await app.auth.accounts.ownerLink();
    const welcome = await fetch(`${server.url}/api/v1/welcome`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: link?.token, name: 'hana', password: 'a long enough password' }),
    });
    const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
    const failureOf = async (headers: Record<string, string>) => {
      const response = await fetch(`${server.url}/api/v1/judges`, { headers });
      const { judges } = (await response.json()) as { judges: { judge: string; trouble: unknown }[] };
      return judges.find(({ judge }) => judge === 'bad-key')?.trouble;
    };
    expect(await failureOf({ cookie })).toMatchObject({
      why: 'refused_key',
      detail: expect.stringContaining('The server answered 401: Incorrect API key provided: sk-***er.'),
    });
    expect(await failureOf({})).toBeNull();
  });

  it('X18 the failure is cleared by the next successful call', async () => {
    await cli('judge', 'try', 'article.md', '-p', 'by-bad-request');
    expect((await cli('status')).out).not.toMatch(/^bad-request: /m);
    expect((await cli('status')).out).toMatch(/^bad-key: /m);
  });
});
