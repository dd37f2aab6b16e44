import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { cli as run, type Said } from '../src/cli/house.fixture.ts';

/** Each model as its own judge with its own pipeline: what it is asked depends on what its server takes. */
const MODELS = {
  newer: { kind: 'openai', model: 'gpt-5-sim', more: '' },
  thrifty: { kind: 'openai', model: 'gpt-5-sim', more: 'reasoning: low' },
  older: { kind: 'openai', model: 'mistral-sim', more: 'reasoning: low' },
  thinking: { kind: 'gemini', model: 'gemini-2.5-pro', more: '' },
  'thinking-none': { kind: 'gemini', model: 'gemini-2.5-pro', more: 'reasoning: none' },
  'thinking-level': { kind: 'gemini', model: 'gemini-3-flash-preview', more: 'reasoning: low' },
  tight: { kind: 'gemini', model: 'gemini-2.5-pro', more: 'max_output_tokens: 2048' },
} as const;

const PIPELINE = `
    kind: curate
    sources: [herald]
    interests: [{ topic: databases, aliases: [database, SQL, PostgreSQL] }, { topic: TypeScript }]
    min_relevance_score: 50
    max_articles: 1
    min_articles: 1
    first_contact: { newest: 20 }
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
  };
  const address = {
    openai: `base_url: "${simulator.urls.openai}/v1", key: { env: OPENAI_KEY }`,
    gemini: `base_url: "${simulator.urls.gemini}/v1beta", key: { env: GEMINI_KEY }`,
  };
  const judges = Object.entries(MODELS).map(
    ([id, { kind, model, more }]) =>
      `  ${id}: { kind: ${kind}, model: ${model}, ${address[kind]}, price: { input: 1, output: 4 }, limits: { calls_per_minute: 1000 }${more === '' ? '' : `, ${more}`} }`,
  );
  const pipelines = Object.keys(MODELS).map((id) => `  by-${id}:${PIPELINE}\n    judge: ${id}`);
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
network: { allow: ["127.0.0.1"], host_spacing: 0s }
sources:
  herald: { feed: "${simulator.urls.feeds}/byte-herald/feed.xml", first_contact: { newest: 20 } }
judges:
${judges.join('\n')}
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

const cli = (...args: string[]): Promise<Said> => run(args, { cwd, env });

describe('current models', { timeout: 60_000 }, () => {
  it.each(Object.keys(MODELS))('X8 a pipeline with the judge %s publishes', async (id) => {
    const before = simulator.discord.messages().length;
    const said = await cli('run', `by-${id}`, '--json');
    expect(said.code, said.err).toBe(0);
    expect(simulator.discord.messages().length, said.out.slice(0, 2000)).toBe(before + 1);
  });
});
