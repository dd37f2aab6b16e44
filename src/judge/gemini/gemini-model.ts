import type { Clock } from '../../time/clock.ts';
import type { Answer, Model, Question, Reasoning } from '../model.ts';
import { generate, withCalls } from '../remote/generate.ts';
import { geminiFailure } from './gemini-failure.ts';
import { hasThinkingLevels, refusesThinking, type ThinkingConfig, thinkingConfigs } from './thinking.ts';

export interface GeminiOptions {
  readonly apiKey: string;
  /** For example `gemini-2.5-flash`. */
  readonly model: string;
  /** Another address of the same API: a proxy, or the simulator. */
  readonly baseUrl?: string;
  /** The guarded way out. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly contextTokens?: number;
  /** What verdicts call the judge. */
  readonly id?: string;
  /** Default 0, and the model's own from Gemini 3 on, which loops at low temperatures. */
  readonly temperature?: number;
  /** Not sent when absent; left out where the model refuses it. */
  readonly reasoning?: Reasoning;
}

type LanguageModel = ReturnType<ReturnType<typeof import('@ai-sdk/google').createGoogle>['languageModel']>;

/** What the SDK puts into a prompt. Its own types name it, but not from this package. */
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
  /** The first of them that the model did not refuse. */
  let known = 0;
  const load = async (): Promise<LanguageModel> => {
    const { createGoogle } = await import('@ai-sdk/google');
    const provider = createGoogle({
      apiKey: options.apiKey,
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
    return generate(
      {
        clock,
        timeoutMs: options.timeoutMs,
        secrets: [options.apiKey],
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
            : geminiFailure(failed, options.model, options.apiKey, clock.now()),
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
      // Ends at the latest after the last setting: without one nothing is refused.
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
