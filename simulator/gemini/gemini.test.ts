import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { generateText, Output } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MINUTE } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { pdf } from '../pages/pdf.ts';
import { type Simulator, startSimulator } from '../simulator.ts';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape.
  readonly body: any;
}

const clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
let sim: Simulator;

beforeEach(async () => {
  sim = await startSimulator({ clock });
});

afterEach(async () => {
  await sim[Symbol.asyncDispose]();
});

const SCHEMA = {
  type: 'OBJECT',
  properties: {
    score: { type: 'INTEGER' },
    topics: { type: 'ARRAY', items: { type: 'STRING' } },
    summary: { type: 'STRING' },
    reason: { type: 'STRING' },
  },
  required: ['score', 'topics', 'summary', 'reason'],
};

const PROMPT = `Judge the article by the interests.
Interests:
- Databases (aliases: SQL, Postgres)
- Cooking

<article>
Title: SQLite in production
A company moved its database to SQLite. Each transaction is short and every query is fast. Backups of the database are restored nightly.
</article>`;

async function call(path: string, body: unknown, key: string | null = sim.gemini.key): Promise<Answer> {
  const answer = await fetch(`${sim.urls.gemini}/v1beta/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'x-goog-api-key': key }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

function generate(prompt: string, config: object = {}, parts: readonly object[] = []): Promise<Answer> {
  return call('models/gemini-2.5-flash:generateContent', {
    contents: [{ role: 'user', parts: [{ text: prompt }, ...parts] }],
    generationConfig: config,
  });
}

const structured = { responseMimeType: 'application/json', responseSchema: SCHEMA };

describe('generateContent', () => {
  it('answers by the schema, with what the article says, and counts tokens', async () => {
    const { status, body } = await generate(PROMPT, structured);
    expect(status).toBe(200);
    const [candidate] = body.candidates;
    expect(candidate).toMatchObject({ finishReason: 'STOP', content: { role: 'model' } });
    const verdict = JSON.parse(candidate.content.parts[0].text);
    expect(verdict.score).toBeGreaterThan(70);
    expect(verdict.topics).toEqual(['Databases']);
    expect(verdict.summary).toContain('SQLite');
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = body.usageMetadata;
    expect(totalTokenCount).toBe(promptTokenCount + candidatesTokenCount);
    expect(sim.gemini.calls()).toHaveLength(1);
    expect(sim.gemini.total).toBe(1);
  });

  it('serves Google’s own client library in use', async () => {
    const google = createGoogleGenerativeAI({ apiKey: sim.gemini.key, baseURL: `${sim.urls.gemini}/v1beta` });
    const { output, usage } = await generateText({
      model: google('gemini-2.5-flash'),
      output: Output.object({
        schema: z.object({ score: z.int(), topics: z.array(z.string()), summary: z.string() }),
      }),
      prompt: PROMPT,
    });
    expect(output.topics).toEqual(['Databases']);
    expect(usage.inputTokens).toBeGreaterThan(20);
  });

  it('reads PDFs, and refuses invalid ones', async () => {
    const inlineData = (bytes: Buffer, mimeType = 'application/pdf'): object => ({
      inlineData: { mimeType, data: bytes.toString('base64') },
    });
    const good = inlineData(pdf('報告書', ['データベースの移行は九月に終わる。']));
    expect((await generate('Summarise the document.', {}, [good])).status).toBe(200);
    expect(sim.gemini.calls()[0]).toMatchObject({ documents: [{ mediaType: 'application/pdf' }] });
    expect(sim.gemini.calls()[0]?.prompt).toContain('データベースの移行');
    const empty = await generate('x', {}, [inlineData(Buffer.from('%PDF-1.4'))]);
    expect(empty).toMatchObject({ status: 400, body: { error: { message: 'The document has no pages.' } } });
    const zip = await generate('x', {}, [inlineData(Buffer.from('PK'), 'application/zip')]);
    expect(zip.body.error.message).toBe('Unsupported MIME type: application/zip');
  });

  it('blocks, stays silent, stops early and answers nothing, on request', async () => {
    sim.gemini.queueAnswers(
      { blockReason: 'SAFETY' },
      { finishReason: 'SAFETY' },
      { empty: true },
      { text: '{"score": 7' },
    );
    const blocked = (await generate('x')).body;
    expect(blocked.promptFeedback.blockReason).toBe('SAFETY');
    expect(blocked).not.toHaveProperty('candidates');
    const silent = (await generate('x')).body.candidates[0];
    expect([silent.finishReason, silent.content]).toEqual(['SAFETY', undefined]);
    expect((await generate('x')).body).not.toHaveProperty('candidates');
    expect((await generate('x')).body.candidates[0].content.parts[0].text).toBe('{"score": 7');
    const short = (await generate(PROMPT, { ...structured, maxOutputTokens: 10 })).body.candidates[0];
    expect(short.finishReason).toBe('MAX_TOKENS');
    expect(() => JSON.parse(short.content.parts[0].text)).toThrow(SyntaxError);
  });

  it('lets a test answer', async () => {
    sim.gemini.script((asked) => (asked.prompt.includes('special') ? { json: { score: 1 } } : undefined));
    expect(JSON.parse((await generate('special')).body.candidates[0].content.parts[0].text)).toEqual({
      score: 1,
    });
    expect((await generate(PROMPT, structured)).body.candidates[0].content.parts[0].text).toContain(
      'Databases',
    );
  });

  it('reports what is wrong with key, model and request', async () => {
    const body = { contents: [{ parts: [{ text: 'x' }] }] };
    const path = 'models/gemini-2.5-flash:generateContent';
    expect(await call(path, body, null)).toMatchObject({
      status: 403,
      body: { error: { status: 'PERMISSION_DENIED' } },
    });
    expect(await call(path, body, 'wrong')).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }, {}] } },
    });
    const missing = await call('models/gemini-9:generateContent', body);
    expect(missing).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
    expect(missing.body.error.message).toContain('models/gemini-9 is not found for API version v1beta');
    expect(await call(path, {})).toMatchObject({ status: 400 });
    expect(await generate('x', { responseSchema: SCHEMA })).toMatchObject({ status: 400 });
  });

  it('exhausts, overloads and breaks with its own errors', async () => {
    sim.injectFault({ service: 'gemini', how: 'rate_limit', retryAfterMs: 17_000 });
    const { status, body } = await generate('x');
    expect(status).toBe(429);
    expect(body.error.status).toBe('RESOURCE_EXHAUSTED');
    expect(body.error.details).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '17s',
    });
    for (const [code, word] of [
      [500, 'INTERNAL'],
      [503, 'UNAVAILABLE'],
      [401, 'UNAUTHENTICATED'],
      [403, 'PERMISSION_DENIED'],
    ] as const) {
      sim.injectFault({ service: 'gemini', how: 'status', status: code });
      expect(await generate('x')).toMatchObject({ status: code, body: { error: { code, status: word } } });
    }
    expect(sim.gemini.total).toBe(0);
  });

  it('counts thinking against the output limit, and answers nothing where nothing is left', async () => {
    const ask = (model: string, generationConfig: object) =>
      call(`models/${model}:generateContent`, {
        contents: [{ parts: [{ text: 'Summarise: a ferry was late.' }] }],
        generationConfig,
      });
    expect((await ask('gemini-2.5-pro', { maxOutputTokens: 2048 })).body).toMatchObject({
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }],
      usageMetadata: { thoughtsTokenCount: 2048 },
    });
    const low = { maxOutputTokens: 2048, thinkingConfig: { thinkingLevel: 'low' } };
    expect((await ask('gemini-3-flash-preview', low)).body).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { thoughtsTokenCount: 600 },
    });
    for (const [model, thinkingConfig, message] of [
      ['gemini-2.5-flash', { thinkingLevel: 'low' }, 'Thinking level is not supported for this model.'],
      [
        'gemini-2.5-pro',
        { thinkingBudget: 0 },
        'Budget 0 is invalid. This model only works in thinking mode.',
      ],
      [
        'gemini-3-flash-preview',
        { thinkingBudget: 512, thinkingLevel: 'low' },
        'You can only set only one of thinking budget and thinking level.',
      ],
    ] as const)
      expect(await ask(model, { thinkingConfig })).toMatchObject({
        status: 400,
        body: { error: { status: 'INVALID_ARGUMENT', message } },
      });
  });

  it('embeds one text and several', async () => {
    const embed = async (method: string, body: object) => {
      const response = await fetch(`${sim.urls.gemini}/v1beta/models/gemini-embedding-001:${method}`, {
        method: 'POST',
        headers: { 'x-goog-api-key': sim.gemini.key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Answer['body'] };
    };
    const request = (text: string) => ({ content: { parts: [{ text }] } });
    const one = await embed('embedContent', request('Ferry sinks'));
    expect(one.body.embedding.values).toHaveLength(256);
    const both = await embed('batchEmbedContents', { requests: [request('Ferry sinks'), request('沈没')] });
    expect(both.body.embeddings[0]).toEqual(one.body.embedding);
    expect(both.body.embeddings).toHaveLength(2);
    expect(sim.gemini.embeddings.calls().map(({ texts }) => texts)).toEqual([
      ['Ferry sinks'],
      ['Ferry sinks', '沈没'],
    ]);
    expect((await embed('batchEmbedContents', { requests: [] })).status).toBe(400);
    expect((await embed('generateContent', request('x'))).status).toBe(404);
  });

  it('limits calls by the minute', async () => {
    await sim[Symbol.asyncDispose]();
    const own = new ManualClock(Date.UTC(2026, 5, 1, 12, 0, 20));
    sim = await startSimulator({ clock: own, gemini: { requestsPerMinute: 1 } });
    expect((await generate('x')).status).toBe(200);
    const refused = await generate('x');
    expect(refused.body.error.details.at(-1)).toMatchObject({ retryDelay: '40s' });
    own.jump(MINUTE);
    expect((await generate('x')).status).toBe(200);
  });

  it('counts, lists and streams', async () => {
    const contents = [{ parts: [{ text: '日本語の文章です。' }] }];
    expect(
      (await call('models/gemini-2.5-flash:countTokens', { contents })).body.totalTokens,
    ).toBeGreaterThan(5);
    const list = await fetch(`${sim.urls.gemini}/v1beta/models?key=${sim.gemini.key}`);
    expect(JSON.stringify(await list.json())).toContain('models/gemini-2.5-flash');
    const stream = await fetch(
      `${sim.urls.gemini}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=${sim.gemini.key}`,
      {
        method: 'POST',
        body: JSON.stringify({ contents }),
      },
    );
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.text()).toMatch(/^data: \{/);
  });
});
