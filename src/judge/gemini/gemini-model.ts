import { calendarDay } from '../../time/calendar-day.ts';
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

export interface GeminiOptions {
  readonly apiKey: () => string;
  /** For example `gemini-2.5-flash`. */
  readonly model: string;
  /** Another address of the same API: a proxy, or the simulator. */
  readonly baseUrl?: string;
  /** The guarded HTTP client. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly contextTokens?: number;
  /** Name of the judge in verdicts. */
  readonly id?: string;
  /** Default 0, and the model's own from Gemini 3 on, which loops at low temperatures. */
  readonly temperature?: number;
  /** Not sent if absent or if the model refuses it. */
  readonly reasoning?: Reasoning;
}

type LanguageModel = ReturnType<ReturnType<typeof import('@ai-sdk/google').createGoogle>['languageModel']>;

/** A prompt of the SDK; its type is not exported by this package. */
type CallOptions = Parameters<LanguageModel['doGenerate']>[0];

/**
 * Google's Gemini. The SDK's model is called directly, without the layer that retries by itself; the SDK is loaded with the first
 * question.
 */
export function createGeminiModel(options: GeminiOptions): Model {
  const { clock } = options;
  let loading: Promise<LanguageModel> | undefined;
  const temperature = options.temperature ?? (hasThinkingLevels(options.model) ? undefined : 0);
  const thinking = options.reasoning === undefined ? [] : thinkingConfigs(options.model, options.reasoning);
  /** Index of the first one that the model did not refuse. */
  let known = 0;
  const load = async (): Promise<LanguageModel> => {
    const { createGoogle } = await import('@ai-sdk/google');
    const provider = createGoogle({
      apiKey: options.apiKey(),
      fetch: options.fetch,
      ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl.replace(/\/+$/, '') }),
    });
    return provider.languageModel(options.model);
  };

  const askOnce = async (
    thinkingConfig: ThinkingConfig | undefined,
    question: Question,
    signal: AbortSignal | undefined,
  ): Promise<Answer | 'refused'> => {
    loading ??= load();
    const model = await loading;
    return callModel(
      {
        clock,
        timeoutMs: options.timeoutMs,
        secrets: [options.apiKey()],
        generate: (abortSignal) =>
          model.doGenerate({
            ...callOptions(question),
            ...(temperature !== undefined && { temperature }),
            ...(thinkingConfig !== undefined && { providerOptions: { google: { thinkingConfig } } }),
            abortSignal,
          }),
        failure: (failed) =>
          thinkingConfig !== undefined && refusesThinking(failed)
            ? 'refused'
            : geminiFailure(failed, options.model, options.apiKey(), clock.now()),
        blocked: (raw) => `Gemini refused the text: ${raw ?? 'safety'}`,
      },
      question,
      signal,
    );
  };

  return {
    id: options.id ?? 'gemini',
    name: options.model,
    takesPdf: true,
    contextTokens: options.contextTokens ?? 1_000_000,

    async ask(question, signal): Promise<Answer> {
      // Ends at the latest after the last setting: without one nothing can be refused.
      const first = known;
      for (let place = first; ; place++) {
        const answer = await askOnce(thinking[place], question, signal);
        if (answer === 'refused') continue;
        known = Math.max(known, place);
        return withCalls(answer, place - first + 1);
      }
    },
  };
}

function callOptions(question: Question): CallOptions {
  return {
    prompt: [
      { role: 'system', content: question.instructions },
      {
        role: 'user',
        content: [
          { type: 'text', text: question.data },
          ...question.files.map((file) => ({
            type: 'file' as const,
            mediaType: file.mediaType,
            filename: file.name,
            data: { type: 'data' as const, data: file.bytes },
          })),
        ],
      },
    ],
    maxOutputTokens: question.maxOutputTokens,
    responseFormat: { type: 'json', schema: question.schema, name: question.schemaName },
  };
}

export type ThinkingConfig =
  | { readonly thinkingLevel: 'minimal' | 'low' | 'medium' | 'high' }
  | { readonly thinkingBudget: number };

/** Tokens, within the range of every 2.5 model; -1 lets the model choose. */
const BUDGETS: Readonly<Record<Reasoning, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: -1,
};

/** Gemini 3 and later, and aliases such as `gemini-flash-latest`, take a level; earlier ones take a budget. */
export function hasThinkingLevels(model: string): boolean {
  return !/gemini-[12](?:\D|$)/.test(model);
}

/** Settings for this amount of reasoning, best first. A model that refuses all of them uses its default. */
export function thinkingConfigs(model: string, reasoning: Reasoning): readonly ThinkingConfig[] {
  const budget = { thinkingBudget: BUDGETS[reasoning] };
  if (hasThinkingLevels(model)) {
    const levels =
      reasoning === 'none' || reasoning === 'minimal' ? (['minimal', 'low'] as const) : [reasoning];
    return [...levels.map((thinkingLevel) => ({ thinkingLevel })), budget];
  }
  // Some models cannot disable it: then use their minimum.
  return reasoning === 'none' ? [budget, { thinkingBudget: BUDGETS.minimal }] : [budget];
}

/** Whether the refusal is about thinking: a level or a budget that this model does not support. */
export function refusesThinking({ status, body }: FailedResponse): boolean {
  return status === 400 && /thinking/i.test(body);
}

/** Quotas per day are reset at midnight there. */
const QUOTA_TIME_ZONE = 'America/Los_Angeles';

/** Maps Google's error responses to outcomes of a judge. */
export function geminiFailure(
  failed: FailedResponse,
  model: string,
  apiKey: string,
  now: number,
): ModelFailure {
  const message = messageIn(failed.body, [apiKey]);
  const details = errorDetails(failed.body);
  const detail = `Gemini answered ${failed.status}: ${message}`;
  switch (failed.status) {
    case 200:
      return unexpectedFormat(failed.body, [apiKey]);
    case 400:
      if (
        details.some((detail) => fieldAt(detail, 'reason') === 'API_KEY_INVALID') ||
        /api key/i.test(message)
      ) {
        return laterAnswer('refused_key', detail);
      }
      if (/token count|too (?:large|long)|exceeds the (?:maximum|limit)|payload size/i.test(message)) {
        return { outcome: 'unfit', why: 'too_large', detail, usage: null };
      }
      if (/billing|location is not supported|FAILED_PRECONDITION/i.test(failed.body))
        return laterAnswer('no_credit', detail);
      return laterAnswer('misconfigured', detail);
    case 401:
    case 403:
      return laterAnswer('refused_key', detail);
    case 402:
      return laterAnswer('no_credit', detail);
    case 404:
      return laterAnswer('wrong_model', `Gemini knows no model "${model}": ${message}`);
    case 413:
      return { outcome: 'unfit', why: 'too_large', detail, usage: null };
    case 429:
      return laterAnswer('rate_limited', detail, quotaRetryAt(details, failed, now));
    default:
      return laterAnswer(
        isConfigurationError(failed.status) ? 'misconfigured' : 'server_error',
        detail,
        parseRetryAfter(failed.headers, now),
      );
  }
}

function quotaRetryAt(details: readonly unknown[], failed: FailedResponse, now: number): number {
  const perDay = details.some((detail) => {
    const violations = fieldAt(detail, 'violations');
    return Array.isArray(violations) && violations.some((v) => /PerDay/i.test(String(fieldAt(v, 'quotaId'))));
  });
  if (perDay) return calendarDay(now, QUOTA_TIME_ZONE).end;
  for (const detail of details) {
    const delay = fieldAt(detail, 'retryDelay');
    const seconds = typeof delay === 'string' ? Number.parseFloat(delay) : Number.NaN;
    if (Number.isFinite(seconds)) return now + Math.ceil(seconds * 1000);
  }
  return parseRetryAfter(failed.headers, now) ?? now + 60_000;
}

function errorDetails(body: string): readonly unknown[] {
  try {
    const details = fieldAt(JSON.parse(body), 'error', 'details');
    return Array.isArray(details) ? details : [];
  } catch {
    return [];
  }
}
