import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, Output } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import type { OpenAiOptions } from './openai.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape.
  readonly body: any;
}

let sim: Simulator;

async function start(options: OpenAiOptions = {}): Promise<void> {
  sim = await startSimulator({ clock: new ManualClock(Date.UTC(2026, 5, 1, 12, 0, 50)), openai: options });
}

afterEach(async () => {
  await sim[Symbol.asyncDispose]();
});

const SCHEMA = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: ['worth_it', 'not_valuable', 'not_ready'] },
    reason: { type: 'string' },
  },
  required: ['decision', 'reason'],
  additionalProperties: false,
};

async function chat(
  content: string,
  more: object = {},
  key: string | null = sim.openai.key,
): Promise<Answer> {
  const answer = await fetch(`${sim.urls.openai}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model: 'gpt-sim', messages: [{ role: 'user', content }], ...more }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

const format = (schema: object = SCHEMA): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 'screening', strict: true, schema } },
});

const LATER = '<page>検討会の開催について。会議の資料は、準備ができ次第、本ページに掲載します。</page>';

describe('chat completions', () => {
  it('answers by the schema', async () => {
    await start();
    const { status, body } = await chat(`Screen the page.\n${LATER}`, format());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'chat.completion',
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', refusal: null } }],
    });
    expect(JSON.parse(body.choices[0].message.content)).toMatchObject({ decision: 'not_ready' });
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens);
  });

  it('serves a client library in use', async () => {
    await start();
    const provider = createOpenAICompatible({
      name: 'sim',
      apiKey: sim.openai.key,
      baseURL: `${sim.urls.openai}/v1`,
      supportsStructuredOutputs: true,
    });
    const { output } = await generateText({
      model: provider('gpt-sim'),
      output: Output.object({
        schema: z.object({ decision: z.enum(['worth_it', 'not_valuable', 'not_ready']), reason: z.string() }),
      }),
      prompt: LATER,
    });
    expect(output.decision).toBe('not_ready');
  });

  it('on older servers refuses schemas, or every format, and still answers JSON when the prompt describes it', async () => {
    await start({ formats: 'json_object' });
    expect(await chat(LATER, format())).toMatchObject({
      status: 400,
      body: { error: { param: 'response_format' } },
    });
    expect((await chat('hello', { response_format: { type: 'json_object' } })).body.error.message).toContain(
      "the word 'json'",
    );
    const described = `Answer in JSON: {"decision": "worth_it | not_valuable | not_ready", "reason": "why"}\n${LATER}`;
    const { body } = await chat(described, { response_format: { type: 'json_object' } });
    expect(JSON.parse(body.choices[0].message.content)).toMatchObject({
      decision: 'not_ready',
      reason: expect.any(String),
    });
    await sim[Symbol.asyncDispose]();
    await start({ formats: 'none', keyless: true });
    expect((await chat(described, { response_format: { type: 'json_object' } }, null)).status).toBe(400);
    expect(JSON.parse((await chat(described, {}, null)).body.choices[0].message.content).decision).toBe(
      'not_ready',
    );
  });

  it('refuses strict schemas that are not strict', async () => {
    await start();
    const { additionalProperties: _, ...loose } = SCHEMA;
    expect((await chat(LATER, format(loose))).body.error.message).toContain(
      "'additionalProperties' is required",
    );
    expect((await chat(LATER, format({ ...SCHEMA, required: ['decision'] }))).body.error.message).toContain(
      "Missing 'reason'",
    );
  });

  it('embeds texts: similar ones get similar vectors, and a test can script them', async () => {
    await start();
    const embed = async (body: object) => {
      const response = await fetch(`${sim.urls.openai}/v1/embeddings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sim.openai.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Answer['body'] };
    };
    const input = ['Ferry sinks off Larkfield', 'Larkfield ferry sank', '株価が下落'];
    const { status, body } = await embed({ model: 'embedding-sim', input });
    expect(status).toBe(200);
    const [one, two, three] = body.data.map(({ embedding }: { embedding: number[] }) => embedding);
    const cosine = (a: number[], b: number[]) => a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0);
    expect(cosine(one, one)).toBeCloseTo(1);
    expect(cosine(one, two)).toBeGreaterThan(cosine(one, three) + 0.2);
    expect(body.usage.total_tokens).toBeGreaterThan(5);
    expect(sim.openai.embeddings.calls()).toEqual([{ model: 'embedding-sim', texts: input }]);
    sim.openai.embeddings.script = () => [[1, null]];
    expect((await embed({ model: 'embedding-sim', input: 'one' })).body.data).toMatchObject([
      { embedding: [1, null] },
    ]);
    expect((await embed({ model: 'gpt-sim', input })).status).toBe(404);
    expect((await embed({ model: 'embedding-sim', input: [] })).status).toBe(400);
  });

  it('reports what is wrong with key, model, request and length', async () => {
    await start({ contextTokens: 100 });
    expect(await chat('x', {}, null)).toMatchObject({ status: 401, body: { error: { code: null } } });
    expect(await chat('x', {}, 'sk-wrong-key')).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_api_key' } },
    });
    expect(await chat('x', { model: 'gpt-0' })).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found' } },
    });
    expect(await chat('x', { messages: [] })).toMatchObject({
      status: 400,
      body: { error: { param: 'messages' } },
    });
    expect(await chat('word '.repeat(200))).toMatchObject({
      status: 400,
      body: { error: { code: 'context_length_exceeded' } },
    });
    const models = await fetch(`${sim.urls.openai}/v1/models`, {
      headers: { authorization: `Bearer ${sim.openai.key}` },
    });
    expect(await models.json()).toMatchObject({
      object: 'list',
      data: [{ id: 'gpt-sim' }, {}, {}, {}, {}, {}],
    });
  });

  it('runs out of credit, and out of requests', async () => {
    await start({ requestsPerMinute: 1 });
    expect((await chat('x')).status).toBe(200);
    const limited = await chat('x');
    expect(limited).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limit_exceeded', type: 'requests' } },
    });
    expect(limited.headers.get('retry-after')).toBe('10');
    sim.openai.broke = true;
    expect(await chat('x')).toMatchObject({
      status: 429,
      body: { error: { code: 'insufficient_quota', type: 'insufficient_quota' } },
    });
  });

  it('stops early, filters, refuses and answers nothing', async () => {
    await start();
    const choice = async (more: object = {}): Promise<Record<string, unknown>> =>
      (await chat(`Summarise.\n${LATER}`, more)).body.choices[0];
    expect((await choice({ max_tokens: 5 })).finish_reason).toBe('length');
    sim.openai.queueAnswers(
      { finishReason: 'content_filter' },
      { refusal: 'I cannot help with that.' },
      { empty: true },
    );
    expect(await choice()).toMatchObject({ finish_reason: 'content_filter', message: { content: null } });
    expect(await choice()).toMatchObject({ message: { content: null, refusal: 'I cannot help with that.' } });
    expect(await choice()).toBeUndefined();
  });

  it('refuses what newer models refuse, and counts reasoning against the output limit', async () => {
    await start();
    const asked = (more: object) => chat(`Summarise.\n${LATER}`, { model: 'gpt-5-sim', ...more });
    expect(await asked({ max_tokens: 500 })).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_parameter', param: 'max_tokens' } },
    });
    expect(await asked({ temperature: 0 })).toMatchObject({
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
    });
    expect((await asked({ reasoning_effort: 'none' })).body.error.code).toBe('unsupported_value');
    expect((await asked({ max_completion_tokens: 2000 })).body).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: '' } }],
      usage: { completion_tokens: 2000, completion_tokens_details: { reasoning_tokens: 2000 } },
    });
    expect((await asked({ temperature: 1, reasoning_effort: 'low' })).body).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { completion_tokens_details: { reasoning_tokens: 512 } },
    });
  });

  it('refuses what other servers and older models refuse', async () => {
    await start();
    expect(await chat('x', { model: 'mistral-sim', max_completion_tokens: 9 })).toMatchObject({
      status: 422,
      body: { message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'max_completion_tokens'] }] } },
    });
    expect((await chat('x', { reasoning_effort: 'low' })).body.error.message).toBe(
      'Unrecognized request argument supplied: reasoning_effort',
    );
    expect((await chat('x', { max_tokens: 20_000 })).body.error).toMatchObject({
      message: expect.stringContaining('at most 16384 completion tokens'),
      param: 'max_tokens',
    });
  });

  it('streams', async () => {
    await start();
    const answer = await fetch(`${sim.urls.openai}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sim.openai.key}` },
      body: JSON.stringify({
        model: 'gpt-sim',
        stream: true,
        messages: [{ role: 'user', content: 'hello there' }],
      }),
    });
    expect(await answer.text()).toMatch(/^data: \{[\s\S]+data: \[DONE\]\n\n$/);
  });
});
