import { MINUTE } from '../../src/time/duration.ts';
import { EmbeddingModel } from '../model/embedding.ts';
import { Brain, type BrainOptions, type ScriptedAnswer } from '../model/model.ts';
import { countTokens, cutToTokens } from '../model/tokens.ts';
import { type Ask, header, type Reply, type Service } from '../net/exchange.ts';
import { json } from '../net/reply.ts';
import {
  badKey,
  badRequest,
  noCredit,
  noKey,
  noModel,
  openAiError,
  rateLimited,
  unknownUrl,
} from './errors.ts';
import { reasoningTokens, refusedParameters } from './model-rules.ts';
import { type Chat, type Formats, readChat, readEmbeddingRequest } from './request.ts';

export interface OpenAiOptions extends BrainOptions {
  readonly models?: readonly string[];
  readonly formats?: Formats;
  /** Local servers require no key. */
  readonly keyless?: boolean;
  readonly contextTokens?: number;
  /** Calls a minute before 429. */
  readonly requestsPerMinute?: number;
}

/** Not a secret: only the simulator accepts it. */
export const OPENAI_KEY = 'sk-simulated-openai-key';
const EMBEDDING_MODELS = ['embedding-sim'];
const MODELS = ['gpt-sim', 'gpt-sim-mini', 'llama-sim', 'gpt-5-sim', 'mistral-sim'];

/** A server with OpenAI's chat completions API. */
export class OpenAi extends Brain implements Service {
  readonly #options: OpenAiOptions;
  readonly #models: readonly string[];
  #window = { minute: 0, used: 0 };
  #serial = 0;
  /** The account has no credit left. */
  broke = false;

  constructor(options: OpenAiOptions = {}) {
    super(options);
    this.#options = options;
    this.#models = options.models ?? MODELS;
  }

  readonly embeddings = new EmbeddingModel();

  readonly key: string = OPENAI_KEY;

  errorReply = openAiError;

  answer(ask: Ask): Reply {
    const refused = this.#options.keyless ? null : this.#checkKey(ask);
    if (refused) return refused;
    if (ask.method === 'GET' && ask.path === '/v1/models') {
      return json({
        object: 'list',
        data: [...this.#models, ...EMBEDDING_MODELS].map((id) => ({
          id,
          object: 'model',
          created: 1_760_000_000,
          owned_by: 'simulator',
        })),
      });
    }
    if (ask.method === 'POST' && ask.path === '/v1/embeddings') return this.#embed(ask);
    if (ask.method !== 'POST' || ask.path !== '/v1/chat/completions') return unknownUrl(ask.method, ask.path);
    const chat = readChat(ask.body, this.#options.formats ?? 'json_schema');
    if ('status' in chat) return chat;
    if (!this.#models.includes(chat.model)) return noModel(chat.model);
    const unfit = refusedParameters(chat);
    if (unfit) return unfit;
    if (this.broke) return noCredit();
    const waitMs = this.#take(ask.now);
    if (waitMs > 0) return rateLimited(waitMs, chat.model);
    const inputTokens = countTokens(chat.prompt);
    const most = this.#options.contextTokens ?? 128_000;
    if (inputTokens > most) {
      return badRequest(
        `This model's maximum context length is ${most} tokens. However, your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`,
        'messages',
        'context_length_exceeded',
      );
    }
    const { model, prompt, schema } = chat;
    const answer = this.consider({ at: ask.now, model, prompt, schema, documents: [], inputTokens });
    return completed(chat, answer, inputTokens, ask.now, ++this.#serial);
  }

  #embed(ask: Ask): Reply {
    const request = readEmbeddingRequest(ask.body);
    if ('status' in request) return request;
    const { model, texts } = request;
    if (!EMBEDDING_MODELS.includes(model)) return noModel(model);
    if (this.broke) return noCredit();
    const waitMs = this.#take(ask.now);
    if (waitMs > 0) return rateLimited(waitMs, model);
    const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
    return json({
      object: 'list',
      data: this.embeddings
        .embed({ model, texts })
        .map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
  }

  #checkKey(ask: Ask): Reply | null {
    const key = /^Bearer (.+)$/.exec(header(ask, 'authorization') ?? '')?.[1];
    if (key === undefined) return noKey();
    return key === this.key ? null : badKey(key);
  }

  #take(now: number): number {
    const minute = Math.floor(now / MINUTE);
    if (this.#window.minute !== minute) this.#window = { minute, used: 0 };
    this.#window.used++;
    const most = this.#options.requestsPerMinute ?? Number.POSITIVE_INFINITY;
    return this.#window.used > most ? (minute + 1) * MINUTE - now : 0;
  }
}

function completed(
  chat: Chat,
  answer: ScriptedAnswer,
  inputTokens: number,
  now: number,
  serial: number,
): Reply {
  const whole = answer.empty
    ? ''
    : (answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json)));
  const reasoning = Math.min(reasoningTokens(chat), chat.maxTokens);
  const text = cutToTokens(whole, chat.maxTokens - reasoning);
  const blocked = answer.finishReason === 'content_filter' || answer.blockReason !== undefined;
  const finish = blocked
    ? 'content_filter'
    : (answer.finishReason ?? (text.length < whole.length ? 'length' : 'stop'));
  const content = blocked || answer.refusal !== undefined ? null : text;
  const output = reasoning + countTokens(content ?? answer.refusal ?? '');
  const head = { id: `chatcmpl-sim${serial}`, created: Math.floor(now / 1000), model: chat.model };
  if (chat.stream) return streamed(head, content ?? '', finish);
  return json({
    ...head,
    object: 'chat.completion',
    choices: answer.empty
      ? []
      : [
          {
            index: 0,
            message: { role: 'assistant', content, refusal: answer.refusal ?? null },
            logprobs: null,
            finish_reason: finish,
          },
        ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: output,
      total_tokens: inputTokens + output,
      ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    },
    system_fingerprint: 'fp_simulated',
  });
}

function streamed(head: object, content: string, finish: string): Reply {
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const body = `${chunk({ role: 'assistant', content }, null)}${chunk({}, finish)}data: [DONE]\n\n`;
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body };
}
