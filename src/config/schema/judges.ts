import { z } from 'zod';
import { JUDGE_KINDS } from '../../judge/judge.ts';
import { REASONING } from '../../judge/model.ts';
import { byId, byKind, type OwnNames, pluginEntry, section } from './section.ts';
import { address, amount, duration, language, oneOf, secret, text, whole } from './values.ts';

export const DEFAULT_CONTEXT_TOKENS = 32_000;

export const budget = {
  calls_per_minute: whole(1, 1_000_000).default(10).describe('Calls a minute.'),
  calls_per_day: whole(1, 100_000_000).default(1000).describe('Calls a day.'),
  tokens_per_day: whole(1, 1e12).exactOptional().describe('Tokens a day, in and out together.'),
  usd_per_day: amount('US dollars').exactOptional().describe('Money a day in US dollars, by `price`.'),
};

const limits = section({
  ...budget,
  concurrency: whole(1, 100).default(2).describe('Concurrent calls.'),
});

const price = section({
  input: amount('US dollars').describe('US dollars for a million tokens read.'),
  output: amount('US dollars').describe('US dollars for a million tokens written.'),
});

const shared = {
  fallback: text('the ID of another judge', 1, 64)
    .exactOptional()
    .describe(
      'Judge that takes over while this one is unavailable; its verdicts are provisional and re-evaluated later.',
    ),
  timeout: duration(1000, 3_600_000).prefault('60s').describe('Timeout of a call.'),
};

const model = {
  model: text('the name of a model', 1, 200).describe('Name of the model.'),
  limits: limits.prefault({}).describe('Limits; over a limit an item is postponed, never lost.'),
  price: price.exactOptional().describe('What the model costs; needed for `usd_per_day`.'),
  ...shared,
  max_output_tokens: whole(256, 1_000_000)
    .exactOptional()
    .describe(
      'Maximum length of an answer, reasoning included. When absent: 8192, less with a small context or budget. A truncated answer is retried once with four times as many.',
    ),
  temperature: amount('a temperature')
    .max(2, { error: 'must be a temperature, from 0 to 2' })
    .exactOptional()
    .describe(
      'How freely the model answers, 0 to 2. When absent: 0, and the model’s own from Gemini 3 on. Left out where the server refuses it.',
    ),
  reasoning: oneOf(REASONING)
    .exactOptional()
    .describe(
      'How much the model reasons before it answers: OpenAI’s reasoning effort, Gemini’s thinking level or budget. When absent: as the model does by itself. Left out where the server refuses it.',
    ),
  prompts: text('a folder')
    .exactOptional()
    .describe('Folder with prompts of your own, relative to this file.'),
};

const local = section({
  kind: z.literal('local').describe('Scores by topic and text in this process: no key, no network, no cost.'),
  language: language()
    .exactOptional()
    .describe('Language of its reasons, `en` or `ja`; that of the article when absent.'),
});

const gemini = section({
  kind: z.literal('gemini').describe('Google’s Gemini.'),
  key: secret('the Gemini API key').describe('API key.'),
  base_url: address('the address of the API')
    .exactOptional()
    .describe('Base URL of another server with Gemini’s API.'),
  ...model,
});

const openai = section({
  kind: z.literal('openai').describe('Any OpenAI-compatible server, Ollama among them.'),
  base_url: address('the address of the API').describe(
    'Address of the server, as in http://localhost:11434/v1.',
  ),
  key: secret('the API key').exactOptional().describe('API key, if the server requires one.'),
  context_tokens: whole(512, 100_000_000)
    .default(DEFAULT_CONTEXT_TOKENS)
    .describe('Context length of the model, in tokens.'),
  ...model,
});

const builtIn = { local, gemini, openai } satisfies Record<(typeof JUDGE_KINDS)[number], z.ZodType>;

export const OWN_JUDGE_NAMES: OwnNames = { kinds: JUDGE_KINDS, keys: Object.keys(shared) };

const ofPlugin = pluginEntry(
  shared,
  'Kind of judge, of a plugin. Keys that are not listed here are its settings.',
  OWN_JUDGE_NAMES.kinds,
);

export const judges = byId(byKind({ ...builtIn, plugin: ofPlugin }, 'judge'), 'judge').describe(
  'Judges, which score, screen and summarise. A judge with the ID `local` always exists.',
);

export type JudgeConfig = z.output<typeof judges>[string];
