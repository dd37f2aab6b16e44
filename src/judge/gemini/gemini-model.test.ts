import { describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { startModelServer } from '../contract/model-server.ts';
import { remoteJudgeContract, TEST_KEY } from '../contract/remote-judge.ts';
import { goodAnswer, JAPANESE_ARTICLE } from '../contract/sample-answers.ts';
import { geminiDialect } from './dialect.fixture.ts';
import { createGeminiModel, geminiFailure } from './gemini-model.ts';

const failure = (status: number, code: string, message: string, details: unknown[] = [], headers = {}) => ({
  kind: 'failure' as const,
  status,
  headers,
  body: { error: { code: status, status: code, message, details } },
});

const model = (origin: string, timeoutMs: number) =>
  createGeminiModel({
    apiKey: () => TEST_KEY,
    model: 'test-model',
    baseUrl: `${origin}/v1beta`,
    fetch: globalThis.fetch,
    clock: systemClock,
    timeoutMs,
  });

remoteJudgeContract('Gemini', {
  dialect: geminiDialect,
  model,
  failures: [
    {
      name: 'a wrong key (400 API_KEY_INVALID)',
      reply: failure(400, 'INVALID_ARGUMENT', `API key not valid: ${TEST_KEY}`, [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      ]),
      why: 'refused_key',
    },
    { name: 'a refused key (403)', reply: failure(403, 'PERMISSION_DENIED', 'no'), why: 'refused_key' },
    {
      name: 'no credit (400 billing)',
      reply: failure(400, 'FAILED_PRECONDITION', 'Enable billing'),
      why: 'no_credit',
    },
    {
      name: 'a wrong model (404)',
      reply: failure(404, 'NOT_FOUND', 'models/x is not found'),
      why: 'wrong_model',
    },
    {
      name: 'too many calls (429 with RetryInfo)',
      reply: failure(429, 'RESOURCE_EXHAUSTED', 'quota', [
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' },
      ]),
      why: 'rate_limited',
      retryIn: 37,
    },
    {
      name: 'too many calls (429 with Retry-After)',
      reply: failure(429, 'RESOURCE_EXHAUSTED', 'quota', [], { 'retry-after': '12' }),
      why: 'rate_limited',
      retryIn: 12,
    },
    {
      name: 'too long a text (400)',
      reply: failure(400, 'INVALID_ARGUMENT', 'The input token count (2000000) exceeds the maximum'),
      why: 'too_large',
    },
    {
      name: 'an overloaded server (503)',
      reply: failure(503, 'UNAVAILABLE', 'overloaded'),
      why: 'server_error',
    },
    { name: 'a broken server (500)', reply: failure(500, 'INTERNAL', 'oops'), why: 'server_error' },
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

describe('Gemini', () => {
  it('B17 gets a PDF as a file', async () => {
    const server = await startModelServer(geminiDialect);
    server.answer(goodAnswer);
    const bytes = new TextEncoder().encode('%PDF-1.7 …');
    await model(server.origin, 5000).ask({
      instructions: 'Summarise.',
      data: JAPANESE_ARTICLE.text,
      files: [{ name: '資料.pdf', mediaType: 'application/pdf', bytes }],
      schema: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
      schemaName: 'summary',
      maxOutputTokens: 100,
    });
    expect(server.asked[0]?.files).toHaveLength(1);
    expect(server.asked[0]?.files[0]?.mediaType).toBe('application/pdf');
    expect(Buffer.from(server.asked[0]?.files[0]?.bytes ?? [])).toEqual(Buffer.from(bytes));
    await server[Symbol.asyncDispose]();
  });

  it('a candidate stopped for safety is unfit', async () => {
    const server = await startModelServer({
      ...geminiDialect,
      blocked: { candidates: [{ finishReason: 'SAFETY', index: 0, safetyRatings: [] }] },
    });
    server.answer(() => ({ kind: 'blocked' }));
    const answer = await model(server.origin, 5000).ask({
      instructions: 'x',
      data: 'y',
      files: [],
      schema: { type: 'object' },
      schemaName: 'x',
      maxOutputTokens: 10,
    });
    expect(answer).toMatchObject({
      outcome: 'unfit',
      why: 'blocked',
      detail: expect.stringContaining('SAFETY'),
    });
    await server[Symbol.asyncDispose]();
  });

  it.each([
    ['gemini-2.5-flash', 'none', 'none refused', [{ thinkingBudget: 0 }]],
    ['gemini-2.5-pro', 'none', 'Budget 0 is invalid', [{ thinkingBudget: 0 }, { thinkingBudget: 512 }]],
    ['gemini-2.5-flash', 'low', 'none refused', [{ thinkingBudget: 1024 }]],
    ['gemini-2.0-flash', 'low', 'all refused', [{ thinkingBudget: 1024 }, undefined]],
    ['gemini-3-flash-preview', 'medium', 'none refused', [{ thinkingLevel: 'medium' }]],
    [
      'gemini-3.1-pro-preview',
      'none',
      'minimal refused',
      [{ thinkingLevel: 'minimal' }, { thinkingLevel: 'low' }],
    ],
    ['gemini-flash-latest', 'high', 'none refused', [{ thinkingLevel: 'high' }]],
  ] as const)('X8 %s with reasoning %s (%s) is asked as it takes it', async (name, reasoning, _, sent) => {
    const server = await startModelServer(geminiDialect);
    server.answer((_question, count) =>
      count < sent.length
        ? failure(400, 'INVALID_ARGUMENT', 'Thinking level is not supported for this model.')
        : { kind: 'text', text: '{}' },
    );
    const subject = createGeminiModel({
      apiKey: () => TEST_KEY,
      model: name,
      baseUrl: `${server.origin}/v1beta`,
      fetch: globalThis.fetch,
      clock: systemClock,
      timeoutMs: 5000,
      reasoning,
    });
    expect(await subject.ask(QUESTION)).toMatchObject({ outcome: 'answer', usage: { calls: sent.length } });
    await subject.ask(QUESTION);
    expect(server.asked.map(({ settings }) => settings.thinkingConfig)).toEqual([...sent, sent.at(-1)]);
    const temperature = /gemini-[12]/.test(name) ? 0 : undefined;
    expect(server.asked[0]?.settings.temperature).toBe(temperature);
    await server[Symbol.asyncDispose]();
  });

  it('X9 thinking counts as output', async () => {
    const server = await startModelServer({
      ...geminiDialect,
      nothing: {
        candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
        usageMetadata: { promptTokenCount: 300, thoughtsTokenCount: 2000, totalTokenCount: 2300 },
      },
    });
    server.answer(() => ({ kind: 'nothing' }));
    expect(await model(server.origin, 5000).ask(QUESTION)).toMatchObject({
      outcome: 'answer',
      text: '',
      cutOff: true,
      reasoningTokens: 2000,
      usage: { inputTokens: 300, outputTokens: 2000 },
    });
    expect(server.asked[0]?.settings).not.toHaveProperty('thinkingConfig');
    await server[Symbol.asyncDispose]();
  });

  it('an exhausted daily quota is reset at midnight in California', () => {
    const clock = new ManualClock(Date.UTC(2026, 6, 1, 12));
    const body = JSON.stringify({
      error: {
        message: 'quota',
        details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }],
      },
    });
    const answer = geminiFailure({ status: 429, headers: {}, body }, 'm', 'k', clock.now());
    expect(answer).toMatchObject({ why: 'rate_limited', retryAt: Date.UTC(2026, 6, 2, 7) });
  });
});
