import { describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import type { Reply } from '../contract/model-server.ts';
import { startModelServer } from '../contract/model-server.ts';
import { remoteJudgeContract, TEST_KEY } from '../contract/remote-judge-contract.ts';
import { openaiDialect } from './dialect.fixture.ts';
import { createOpenaiModel } from './openai-model.ts';

const failure = (status: number, message: string, code: string | null = null, headers = {}) => ({
  kind: 'failure' as const,
  status,
  headers,
  body: { error: { message, type: 'error', param: null, code } },
});

const model = (origin: string, timeoutMs: number, apiKey: string | undefined = TEST_KEY) =>
  createOpenaiModel({
    ...(apiKey === undefined ? {} : { apiKey }),
    model: 'test-model',
    baseUrl: `${origin}/v1/`,
    fetch: globalThis.fetch,
    clock: systemClock,
    timeoutMs,
  });

remoteJudgeContract('an OpenAI-compatible server', {
  dialect: openaiDialect,
  model,
  failures: [
    {
      name: 'a wrong key (401)',
      reply: failure(401, `Incorrect API key provided: ${TEST_KEY}`, 'invalid_api_key'),
      why: 'refused_key',
    },
    {
      name: 'a wrong model (404)',
      reply: failure(404, 'no such model', 'model_not_found'),
      why: 'wrong_model',
    },
    {
      name: 'no credit (429)',
      reply: failure(429, 'You exceeded it', 'insufficient_quota'),
      why: 'no_credit',
    },
    { name: 'no credit (402)', reply: failure(402, 'Payment required'), why: 'no_credit' },
    {
      name: 'too many calls (429 with Retry-After)',
      reply: failure(429, 'slow down', 'rate_limit_exceeded', { 'retry-after': '9' }),
      why: 'rate_limited',
      retryIn: 9,
    },
    {
      name: 'too long a text (400)',
      reply: failure(400, 'maximum context length is 8192', 'context_length_exceeded'),
      why: 'too_large',
    },
    { name: 'a filtered text (400)', reply: failure(400, 'filtered', 'content_filter'), why: 'blocked' },
    { name: 'a broken server (500)', reply: failure(500, 'oops'), why: 'server_error' },
    {
      name: 'a gateway without a server (502, not JSON)',
      reply: { kind: 'failure', status: 502, body: '<html>Bad gateway</html>' },
      why: 'server_error',
    },
  ],
});

const QUESTION = {
  instructions: 'Answer.',
  data: 'data',
  files: [],
  schema: { type: 'object', properties: { a: { type: 'integer' } } },
  schemaName: 'x',
  maxOutputTokens: 10,
};

describe('an OpenAI-compatible server without structured answers', () => {
  it.each([
    ['json_schema', ['schema', 'json', 'json']],
    ['response_format', ['schema', 'json', 'plain', 'plain']],
  ])('that does not know %s is asked more simply, and so from then on', async (word, formats) => {
    const server = await startModelServer(openaiDialect);
    const last = formats.at(-1);
    server.answer(
      (question): Reply =>
        question.format === last
          ? { kind: 'text', text: '{"a":1}' }
          : failure(400, `'${word}' is not supported by this server`),
    );
    const subject = model(server.origin, 5000);
    expect(await subject.ask(QUESTION)).toMatchObject({ outcome: 'answer', text: '{"a":1}' });
    expect(await subject.ask(QUESTION)).toMatchObject({ outcome: 'answer' });
    expect(server.asked.map(({ format }) => format)).toEqual(formats);
    expect(server.asked.at(-1)?.instructions).toContain('JSON Schema');
    await server[Symbol.asyncDispose]();
  });

  it('needs no key', async () => {
    const server = await startModelServer(openaiDialect);
    server.answer(() => ({ kind: 'text', text: '{}' }));
    const subject = createOpenaiModel({
      model: 'test-model',
      baseUrl: `${server.origin}/v1`,
      fetch: globalThis.fetch,
      clock: systemClock,
      timeoutMs: 5000,
    });
    await subject.ask(QUESTION);
    expect(server.asked[0]?.key).toBeNull();
    await server[Symbol.asyncDispose]();
  });
});
