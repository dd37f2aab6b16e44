import { MINUTE } from '../../src/time/duration.ts';
import { EmbeddingModel } from '../model/embedding.ts';
import { Brain, type BrainOptions, type ModelCall, type ScriptedAnswer } from '../model/model.ts';
import { countTokens, cutToTokens } from '../model/tokens.ts';
import { type Ask, header, type Reply, type Service } from '../net/exchange.ts';
import { json } from '../net/reply.ts';
import { badKey, badRequest, geminiError, noKey, noModel, notFound, quotaExceeded } from './errors.ts';
import { textsToEmbed, type Understood, understand } from './request.ts';
import { thinkingTokens } from './thinking.ts';

export interface GeminiOptions extends BrainOptions {
  readonly models?: readonly string[];
  /** Calls a minute before 429. */
  readonly requestsPerMinute?: number;
}

/** Not a secret: only the simulator accepts it. */
export const GEMINI_KEY = 'simulated-gemini-api-key';
const MODELS = ['gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.5-pro', 'gemini-3-flash-preview'];
const EMBEDDING_MODELS = ['gemini-embedding-001'];
const LARGEST = 20 * 1024 * 1024;
const TOKENS_A_DOCUMENT = 258;
const SILENT = /^(SAFETY|RECITATION|PROHIBITED_CONTENT|BLOCKLIST|SPII)$/;

/** The Gemini API. */
export class Gemini extends Brain implements Service {
  readonly #models: readonly string[];
  readonly #perMinute: number;
  #window = { minute: 0, used: 0 };

  constructor(options: GeminiOptions = {}) {
    super(options);
    this.#models = options.models ?? MODELS;
    this.#perMinute = options.requestsPerMinute ?? Number.POSITIVE_INFINITY;
  }

  readonly key: string = GEMINI_KEY;
  readonly embeddings = new EmbeddingModel();
  errorReply = geminiError;

  answer(ask: Ask): Reply {
    const key = header(ask, 'x-goog-api-key') ?? ask.query.get('key');
    if (!key) return noKey();
    if (key !== this.key) return badKey();
    const [, model, method] = /^\/v1(?:beta)?\/models(?:\/([^/:]+))?(?::(\w+))?$/.exec(ask.path) ?? [];
    if (model === undefined)
      return ask.path.endsWith('/models')
        ? json({ models: [...this.#models.map(describe), ...EMBEDDING_MODELS.map(describeEmbedding)] })
        : notFound();
    if (EMBEDDING_MODELS.includes(model)) return this.#embed(ask, model, method);
    if (!this.#models.includes(model)) return noModel(model);
    if (method === undefined) return json(describe(model));
    if (ask.body.length > LARGEST) {
      return badRequest(`Request payload size exceeds the limit: ${LARGEST} bytes.`);
    }
    const understood = understand(ask.body);
    if ('status' in understood) return understood;
    const call = asCall(understood, model, ask.now);
    if (method === 'countTokens') return json({ totalTokens: call.inputTokens });
    const waitMs = this.#take(ask.now);
    if (waitMs > 0) return quotaExceeded(waitMs, model);
    const thinking = thinkingTokens(model, understood.thinking);
    if (typeof thinking !== 'number') return thinking;
    const body = generated(call, understood, thinking, this.consider(call));
    if (method === 'generateContent') return json(body);
    return method === 'streamGenerateContent' ? streamed(body, ask) : notFound();
  }

  #embed(ask: Ask, model: string, method: string | undefined): Reply {
    if (method === undefined) return json(describeEmbedding(model));
    if (method !== 'embedContent' && method !== 'batchEmbedContents') return notFound();
    const texts = textsToEmbed(ask.body, method);
    if ('status' in texts) return texts;
    const waitMs = this.#take(ask.now);
    if (waitMs > 0) return quotaExceeded(waitMs, model);
    const embeddings = this.embeddings.embed({ model, texts }).map((values) => ({ values }));
    return json(method === 'embedContent' ? { embedding: embeddings[0] } : { embeddings });
  }

  #take(now: number): number {
    const minute = Math.floor(now / MINUTE);
    if (this.#window.minute !== minute) this.#window = { minute, used: 0 };
    this.#window.used++;
    return this.#window.used > this.#perMinute ? (minute + 1) * MINUTE - now : 0;
  }
}

function describe(model: string): object {
  return {
    name: `models/${model}`,
    displayName: model,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}

function describeEmbedding(model: string): object {
  return {
    name: `models/${model}`,
    displayName: model,
    inputTokenLimit: 2048,
    outputTokenLimit: 1,
    supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
  };
}

function asCall(understood: Understood, model: string, at: number): ModelCall {
  const { prompt, schema, documents } = understood;
  const inputTokens = countTokens(prompt) + documents.length * TOKENS_A_DOCUMENT;
  return { at, model, prompt, schema, documents, inputTokens };
}

function generated(
  call: ModelCall,
  understood: Understood,
  thinking: number,
  answer: ScriptedAnswer,
): object {
  // Thinking comes first and counts against the same limit: where it uses all of it, nothing is left to answer with.
  const thoughts = Math.min(thinking, understood.maxOutputTokens);
  const usage = (output: number, thoughtTokens = 0): object => ({
    usageMetadata: {
      promptTokenCount: call.inputTokens,
      ...(output > 0 ? { candidatesTokenCount: output } : {}),
      ...(thoughtTokens > 0 ? { thoughtsTokenCount: thoughtTokens } : {}),
      totalTokenCount: call.inputTokens + output + thoughtTokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: call.inputTokens }],
    },
    modelVersion: call.model,
    responseId: `sim-${call.at}`,
  });
  if (answer.blockReason !== undefined) {
    return { promptFeedback: { blockReason: answer.blockReason, safetyRatings: RATINGS }, ...usage(0) };
  }
  if (answer.empty) return usage(0);
  const whole = answer.text ?? JSON.stringify(answer.json ?? '', null, understood.wantsJson ? 2 : 0);
  const text = cutToTokens(whole, understood.maxOutputTokens - thoughts);
  const finishReason = answer.finishReason ?? (text.length < whole.length ? 'MAX_TOKENS' : 'STOP');
  if (SILENT.test(finishReason)) {
    return { candidates: [{ finishReason, index: 0, safetyRatings: RATINGS }], ...usage(0) };
  }
  const content = text === '' ? { role: 'model' } : { parts: [{ text }], role: 'model' };
  return { candidates: [{ content, finishReason, index: 0 }], ...usage(countTokens(text), thoughts) };
}

const RATINGS = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }];

function streamed(body: object, ask: Ask): Reply {
  if (ask.query.get('alt') !== 'sse') return json([body]);
  const headers = { 'content-type': 'text/event-stream' };
  return { status: 200, headers, body: `data: ${JSON.stringify(body)}\r\n\r\n` };
}
