import { describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import type { Reply } from '../contract/model-server.ts';
import { startModelServer } from '../contract/model-server.ts';
import { remoteJudgeContract, TEST_KEY } from '../contract/remote-judge.ts';
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
    ...(apiKey === undefined ? {} : { apiKey: () => apiKey }),
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

/** Error messages of real servers, and the parameters that are sent after them. */
const REFUSALS: readonly {
  readonly name: string;
  readonly refuses: (settings: Readonly<Record<string, unknown>>) => Reply | null;
  readonly calls: number;
  readonly settings: object;
}[] = [
  {
    name: 'max_completion_tokens (Mistral, 422)',
    refuses: (sent) =>
      'max_completion_tokens' in sent
        ? {
            kind: 'failure',
            status: 422,
            body: {
              object: 'error',
              message: {
                detail: [{ type: 'extra_forbidden', loc: ['body', 'max_completion_tokens'], input: 10 }],
              },
              param: null,
            },
          }
        : null,
    calls: 2,
    settings: { max_tokens: 10, temperature: 0, reasoning_effort: 'low' },
  },
  {
    name: 'every output limit',
    refuses: (sent) =>
      'max_completion_tokens' in sent || 'max_tokens' in sent
        ? failure(400, `Unknown field: ${'max_tokens' in sent ? 'max_tokens' : 'max_completion_tokens'}`)
        : null,
    calls: 3,
    settings: { temperature: 0, reasoning_effort: 'low' },
  },
  {
    name: 'a temperature (OpenAI)',
    refuses: (sent) =>
      'temperature' in sent
        ? {
            kind: 'failure',
            status: 400,
            body: {
              error: {
                message:
                  "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
                type: 'invalid_request_error',
                param: 'temperature',
                code: 'unsupported_value',
              },
            },
          }
        : null,
    calls: 2,
    settings: { max_completion_tokens: 10, reasoning_effort: 'low' },
  },
  {
    name: 'reasoning (OpenAI)',
    refuses: (sent) =>
      'reasoning_effort' in sent
        ? failure(400, 'Unrecognized request argument supplied: reasoning_effort')
        : null,
    calls: 2,
    settings: { max_completion_tokens: 10, temperature: 0 },
  },
  {
    name: 'reasoning (Ollama)',
    refuses: (sent) =>
      'reasoning_effort' in sent ? failure(400, 'think value "low" is not supported for this model') : null,
    calls: 2,
    settings: { max_completion_tokens: 10, temperature: 0 },
  },
  {
    name: 'so large a limit (OpenAI)',
    refuses: (sent) =>
      sent.max_completion_tokens === 10
        ? failure(
            400,
            'max_tokens is too large: 10. This model supports at most 7 completion tokens, whereas you provided 10.',
          )
        : null,
    calls: 2,
    settings: { max_completion_tokens: 7, temperature: 0, reasoning_effort: 'low' },
  },
  {
    name: 'everything, one after the other',
    refuses: (sent) => {
      const name = ['temperature', 'max_completion_tokens', 'reasoning_effort'].find((one) => one in sent);
      return name === undefined ? null : failure(400, `Unsupported parameter: '${name}'`);
    },
    calls: 4,
    settings: { max_tokens: 10 },
  },
];

describe('an OpenAI-compatible server that does not accept every parameter', () => {
  it.each(REFUSALS)('X8 X9 that refuses $name is asked without it, and so from then on', async (refusal) => {
    const server = await startModelServer(openaiDialect);
    server.answer(({ settings }) => refusal.refuses(settings) ?? { kind: 'text', text: '{"a":1}' });
    const subject = createOpenaiModel({
      model: 'test-model',
      baseUrl: 'https://api.openai.com/v1',
      fetch: (url, init) =>
        globalThis.fetch(String(url).replace('https://api.openai.com', server.origin), init),
      clock: systemClock,
      timeoutMs: 5000,
      reasoning: 'low',
    });
    expect(await subject.ask(QUESTION)).toMatchObject({
      outcome: 'answer',
      usage: { calls: refusal.calls },
    });
    expect(await subject.ask(QUESTION)).toMatchObject({ outcome: 'answer', usage: { calls: 1 } });
    expect(server.asked).toHaveLength(refusal.calls + 1);
    expect(server.asked.at(-1)?.settings).toEqual(refusal.settings);
    await server[Symbol.asyncDispose]();
  });

  it('X8 X9 another server gets max_tokens first, and the newer name if that is refused', async () => {
    const server = await startModelServer(openaiDialect);
    server.answer(({ settings }) =>
      'max_tokens' in settings
        ? failure(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          )
        : { kind: 'text', text: '{"a":1}' },
    );
    const subject = model(server.origin, 5000);
    await subject.ask(QUESTION);
    await subject.ask(QUESTION);
    const sent = { temperature: 0, max_completion_tokens: 10 };
    expect(server.asked.map(({ settings }) => settings)).toEqual([
      { temperature: 0, max_tokens: 10 },
      sent,
      sent,
    ]);
    await server[Symbol.asyncDispose]();
  });

  it('X18 a limit that does not fit with one text is omitted for this text only', async () => {
    const server = await startModelServer(openaiDialect);
    server.answer(({ maxOutputTokens }, count) =>
      count === 1 && maxOutputTokens !== null
        ? failure(
            400,
            "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion).",
            'context_length_exceeded',
          )
        : { kind: 'text', text: '{"a":1}' },
    );
    const subject = model(server.origin, 5000);
    await subject.ask(QUESTION);
    await subject.ask(QUESTION);
    expect(server.asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([10, null, 10]);
    await server[Symbol.asyncDispose]();
  });

  it('X8 a server that refuses every form is asked a bounded number of times', async () => {
    const server = await startModelServer(openaiDialect);
    server.answer(() => failure(400, 'temperature max_tokens max_completion_tokens json_schema reasoning'));
    expect(await model(server.origin, 5000).ask(QUESTION)).toMatchObject({
      outcome: 'later',
      why: 'misconfigured',
      detail: expect.stringContaining('The server answered 400: temperature max_tokens'),
    });
    expect(server.asked.length).toBeLessThanOrEqual(8);
    await server[Symbol.asyncDispose]();
  });

  it.each([
    ['an address that is none', failure(404, 'Unknown request URL: POST /chat/completions'), 'misconfigured'],
    ['a method that is none', failure(405, 'Method Not Allowed'), 'misconfigured'],
    ['a request that took too long', failure(408, 'Request Timeout'), 'server_error'],
    [
      'an error in a good answer',
      { kind: 'failure', status: 200, body: { error: { message: 'Provider returned error', code: 502 } } },
      'server_error',
    ],
  ] as const)('X18 %s → %s', async (_, reply, why) => {
    const server = await startModelServer(openaiDialect);
    server.answer(() => reply);
    expect(await model(server.origin, 5000).ask(QUESTION)).toMatchObject({ outcome: 'later', why });
    expect(server.asked).toHaveLength(1);
    await server[Symbol.asyncDispose]();
  });
});

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
