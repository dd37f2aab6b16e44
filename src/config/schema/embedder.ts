import { z } from 'zod';
import { budget } from './judges.ts';
import { byKind, section } from './section.ts';
import { address, amount, duration, secret, text } from './values.ts';

const shared = {
  model: text('the name of an embedding model', 1, 200).describe('Name of the embedding model.'),
  min_similarity: amount('a similarity')
    .max(1, { error: 'must be a similarity, from 0 to 1' })
    .default(0.85)
    .describe(
      'Cosine from which a pair in doubt is the same story, 0 to 1. Models differ: too low merges different news.',
    ),
  timeout: duration(1000, 600_000)
    .prefault('10s')
    .describe('Timeout of a call; new articles of all sources wait for it.'),
  limits: section(budget).prefault({}).describe('Limits; over a limit the rules decide, and that is said.'),
  price: section({ input: amount('US dollars').describe('US dollars for a million tokens read.') })
    .exactOptional()
    .describe('What the model costs; needed for `usd_per_day`.'),
};

const gemini = section({
  kind: z.literal('gemini').describe('Google’s Gemini, as with `gemini-embedding-001`.'),
  key: secret('the Gemini API key').describe('API key.'),
  base_url: address('the address of the API')
    .exactOptional()
    .describe('Base URL of another server with Gemini’s API.'),
  ...shared,
});

const openai = section({
  kind: z.literal('openai').describe('Any OpenAI-compatible server, Ollama among them.'),
  base_url: address('the address of the API').describe(
    'Address of the server, as in http://localhost:11434/v1.',
  ),
  key: secret('the API key').exactOptional().describe('API key, if the server requires one.'),
  ...shared,
});

export const embedder = byKind({ gemini, openai }, 'embedder');

export type EmbedderConfig = z.output<typeof embedder>;
