import type { Clock } from '../../time/clock.ts';
import type { Answer, Model, ModelFailure, Question, Reasoning } from '../model.ts';
import {
  callModel,
  type FailedResponse,
  fieldAt,
  isConfigurationError,
  laterAnswer,
  messageIn,
  parseRetryAfter,
  unexpectedFormat,
  withCalls,
} from '../remote/model-call.ts';

export interface OpenaiOptions {
  /** Many local servers need none. */
  readonly apiKey?: () => string;
  readonly model: string;
  /** With the version: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** The guarded HTTP client. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly contextTokens?: number;
  /** Name of the judge in verdicts. */
  readonly id?: string;
  /** Default 0; omitted if the server refuses it. */
  readonly temperature?: number;
  /** Not sent if absent or if the server refuses it. */
  readonly reasoning?: Reasoning;
}

type Provider = ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>;
type LanguageModel = ReturnType<Provider['chatModel']>;
type CallOptions = Parameters<LanguageModel['doGenerate']>[0];

/** The SDK's name for this provider; options under it go into the body of the request as they are. */
const PROVIDER_NAME = 'openai';

/**
 * Any server with OpenAI's chat completions API: OpenAI, Ollama, llama.cpp, vLLM. They accept different parameters, so a refused one
 * is omitted from then on, for the lifetime of the process.
 */
export function createOpenaiModel(options: OpenaiOptions): Model {
  let loading: Promise<Readonly<Record<AnswerFormat, LanguageModel>>> | undefined;
  let known: RequestForm = {
    format: 'json_schema',
    limits: limitNames(options.baseUrl),
    maxOutputTokens: Number.POSITIVE_INFINITY,
    temperature: options.temperature ?? 0,
    reasoning: options.reasoning ?? null,
  };
  const { clock } = options;

  const load = async (): Promise<Readonly<Record<AnswerFormat, LanguageModel>>> => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const modelWith = (supportsStructuredOutputs: boolean): LanguageModel =>
      createOpenAICompatible({
        name: PROVIDER_NAME,
        baseURL: options.baseUrl.replace(/\/+$/, ''),
        fetch: options.fetch,
        supportsStructuredOutputs,
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey() }),
      }).chatModel(options.model);
    const loose = modelWith(false);
    return { json_schema: modelWith(true), json_object: loose, plain: loose };
  };

  const askOnce = async (
    form: RequestForm,
    question: Question,
    signal: AbortSignal | undefined,
  ): Promise<Answer | { readonly refused: FormChange; readonly answer: Answer }> => {
    loading ??= load();
    const model = (await loading)[form.format];
    const secrets = options.apiKey === undefined ? [] : [options.apiKey()];
    return callModel(
      {
        clock,
        timeoutMs: options.timeoutMs,
        secrets,
        generate: (abortSignal) => model.doGenerate({ ...callOptions(question, form), abortSignal }),
        failure: (failed) => {
          const answer = openaiFailure(failed, options.model, secrets, clock.now());
          const refused = simplerForm(failed, form);
          return refused === null ? answer : { refused, answer };
        },
        blocked: () => 'The server refused the text (content filter)',
      },
      question,
      signal,
    );
  };

  return {
    id: options.id ?? 'openai',
    name: options.model,
    takesPdf: false,
    contextTokens: options.contextTokens ?? 16_000,

    async ask(question, signal): Promise<Answer> {
      let form = known;
      let learned = known;
      for (let calls = 1; ; calls++) {
        const outcome = await askOnce(form, question, signal);
        const answer = 'refused' in outcome ? outcome.answer : outcome;
        if (!('refused' in outcome) || calls >= MAX_FORM_CHANGES) {
          // If no form was accepted, nothing is stored: the next question starts from the known form.
          if (learned !== known && !isMisconfigured(answer)) known = learned;
          return withCalls(answer, calls);
        }
        const { change, lasting } = outcome.refused;
        form = { ...form, ...change };
        if (lasting) learned = { ...learned, ...change };
      }
    },
  };
}

function isMisconfigured(answer: Answer): boolean {
  return answer.outcome === 'later' && answer.why === 'misconfigured';
}

function callOptions(question: Question, form: RequestForm): CallOptions {
  const shape = `\n\nThe JSON Schema of the answer:\n${JSON.stringify(question.schema)}`;
  const [limit] = form.limits;
  const maxOutputTokens = Math.min(question.maxOutputTokens, form.maxOutputTokens);
  return {
    prompt: [
      { role: 'system', content: question.instructions + (form.format === 'json_schema' ? '' : shape) },
      { role: 'user', content: [{ type: 'text', text: question.data }] },
    ],
    ...(form.temperature !== null && { temperature: form.temperature }),
    ...(form.format !== 'plain' && {
      responseFormat: { type: 'json', schema: question.schema, name: question.schemaName },
    }),
    providerOptions: {
      [PROVIDER_NAME]: {
        ...(limit !== undefined && { [limit]: maxOutputTokens }),
        ...(form.reasoning !== null && { reasoningEffort: form.reasoning }),
      },
    },
  };
}

/** Ways to request structured output, best first. */
export const ANSWER_FORMATS = ['json_schema', 'json_object', 'plain'] as const;
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

type LimitName = 'max_completion_tokens' | 'max_tokens';

/**
 * Names of the output limit, in the order in which they are tried. OpenAI's newer models refuse `max_tokens`. Other servers get it
 * first: some refuse `max_completion_tokens`, and some (Ollama) ignore it, so that an endless answer would have no limit.
 */
export function limitNames(baseUrl: string): readonly LimitName[] {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return /(?:^|\.)(?:openai|azure)\.com$/.test(host)
    ? ['max_completion_tokens', 'max_tokens']
    : ['max_tokens', 'max_completion_tokens'];
}

/** Optional parameters of a request. A parameter that the server refuses is omitted. */
export interface RequestForm {
  readonly format: AnswerFormat;
  /** Names of the output limit that are left to try; the first is sent. None left = no limit is sent. */
  readonly limits: readonly LimitName[];
  /** The largest output limit that the server accepts, if it reported one. */
  readonly maxOutputTokens: number;
  /** `null` = not sent. */
  readonly temperature: number | null;
  readonly reasoning: Reasoning | null;
}

/** Upper bound of the parameters that can be omitted, and so of the retries. */
export const MAX_FORM_CHANGES = 8;

/** A change of the form, and whether it applies to later questions: what depends on the length of one text does not. */
export interface FormChange {
  readonly change: Partial<RequestForm>;
  readonly lasting: boolean;
}

/**
 * What to change after a refusal before the retry; `null` if the refusal has another reason. Each form has fewer parameters than the
 * one before, so this ends.
 */
export function simplerForm(failed: FailedResponse, form: RequestForm): FormChange | null {
  if (![400, 404, 415, 416, 422, 500, 501].includes(failed.status)) return null;
  const clientError = failed.status < 500 && failed.status !== 404;
  const { param, text } = refusalText(failed.body);
  const names = (name: string, words: RegExp): boolean =>
    param === name || (param === null && words.test(text));
  const [limit] = form.limits;
  if (clientError && limit !== undefined) {
    const largest = largestOutput(text);
    if (largest !== null && largest < form.maxOutputTokens)
      return { change: { maxOutputTokens: largest }, lasting: true };
    // The limit and the text together exceed the context: let the server choose the limit this once.
    if (/in the completion|for the completion|plus \d+ '?max_|max_\w+' is too large/i.test(text))
      return { change: { limits: [] }, lasting: false };
    if (names(limit, new RegExp(`\\b${limit}\\b`)))
      return { change: { limits: form.limits.slice(1) }, lasting: true };
  }
  if (clientError && form.temperature !== null && names('temperature', /\btemperature\b/i))
    return { change: { temperature: null }, lasting: true };
  if (clientError && form.reasoning !== null && names('reasoning_effort', /reasoning|\bthink(?:ing)?\b/i))
    return { change: { reasoning: null }, lasting: true };
  if (
    form.format !== 'plain' &&
    /response_format|json_schema|json_object|structured.?output|grammar|guided/i.test(failed.body)
  )
    return { change: { format: nextFormat(ANSWER_FORMATS, form.format) }, lasting: true };
  return null;
}

function nextFormat<T>(all: readonly [...T[]], one: T): T {
  return all[Math.min(all.indexOf(one) + 1, all.length - 1)] ?? one;
}

/** “This model supports at most 4096 completion tokens”, “the valid range of max_tokens is [1, 8192]”, “expected a value <= 12288”. */
function largestOutput(text: string): number | null {
  if (!/max_(?:completion_)?tokens/i.test(text)) return null;
  const found = /at most (\d+)|\[\s*\d+\s*,\s*(\d+)\s*\]|<=\s*(\d+)/.exec(text);
  const largest = Number(found?.[1] ?? found?.[2] ?? found?.[3] ?? 0);
  return largest > 0 ? largest : null;
}

/** The parameter that the server names, if any, and its whole message. */
function refusalText(body: string): { readonly param: string | null; readonly text: string } {
  try {
    const param = fieldAt(JSON.parse(body), 'error', 'param');
    return { param: typeof param === 'string' && param !== '' ? param : null, text: body };
  } catch {
    return { param: null, text: body };
  }
}

/** Maps the error responses of such servers to outcomes of a judge. They agree on the status, less on the rest. */
export function openaiFailure(
  failed: FailedResponse,
  model: string,
  secrets: readonly string[],
  now: number,
): ModelFailure {
  const message = messageIn(failed.body, secrets);
  const code = errorCode(failed.body);
  const detail = `The server answered ${failed.status}: ${message}`;
  const retryAt = parseRetryAfter(failed.headers, now);
  if (['content_filter', 'content_policy_violation', 'invalid_prompt'].includes(code)) {
    return { outcome: 'unfit', why: 'blocked', detail, usage: null };
  }
  switch (failed.status) {
    case 200:
      return unexpectedFormat(failed.body, secrets);
    case 400:
    case 422:
      if (
        code === 'context_length_exceeded' ||
        /context (?:length|window|size)|too (?:long|large)/i.test(message)
      ) {
        return { outcome: 'unfit', why: 'too_large', detail, usage: null };
      }
      if (code === 'model_not_found' || /model .*(?:not found|does not exist)/i.test(message)) {
        return laterAnswer('wrong_model', detail);
      }
      return laterAnswer('misconfigured', detail);
    case 401:
    case 403:
      return laterAnswer('refused_key', detail);
    case 402:
      return laterAnswer('no_credit', detail);
    case 404:
      return code === 'model_not_found' || /model/i.test(message)
        ? laterAnswer('wrong_model', `The server knows no model "${model}": ${message}`)
        : laterAnswer('misconfigured', `${detail}. Check base_url`);
    case 413:
      return { outcome: 'unfit', why: 'too_large', detail, usage: null };
    case 429:
      if (code === 'insufficient_quota' || code === 'billing_hard_limit_reached')
        return laterAnswer('no_credit', detail, retryAt);
      return laterAnswer('rate_limited', detail, retryAt ?? now + 60_000);
    default:
      return laterAnswer(
        isConfigurationError(failed.status) ? 'misconfigured' : 'server_error',
        detail,
        retryAt,
      );
  }
}

function errorCode(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return String(fieldAt(parsed, 'error', 'code') ?? fieldAt(parsed, 'error', 'type') ?? '');
  } catch {
    return '';
  }
}
