import type { Clock } from '../../time/clock.ts';
import type { Answer, CallUsage, Model, Question } from '../model.ts';
import { connectionTrouble, failedResponseOf, later } from '../remote/call-failure.ts';
import { timed } from '../remote/timed.ts';
import { estimateTokens } from '../tokens.ts';
import { geminiFailure } from './gemini-failure.ts';

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
  readonly temperature?: number;
}

type LanguageModel = ReturnType<ReturnType<typeof import('@ai-sdk/google').createGoogle>['languageModel']>;

/** What the SDK puts into a prompt. Its own types name it, but not from this package. */
type CallOptions = Parameters<LanguageModel['doGenerate']>[0];

/**
 * Google's Gemini. The SDK's model is called directly, without the layer that retries by itself; the SDK is loaded with the first
 * question.
 */
export function createGeminiModel(options: GeminiOptions): Model {
  let loading: Promise<LanguageModel> | undefined;
  const load = async (): Promise<LanguageModel> => {
    const { createGoogle } = await import('@ai-sdk/google');
    const provider = createGoogle({
      apiKey: options.apiKey,
      fetch: options.fetch,
      ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl.replace(/\/+$/, '') }),
    });
    return provider.languageModel(options.model);
  };

  return {
    id: options.id ?? 'gemini',
    name: options.model,
    takesPdf: true,
    contextTokens: options.contextTokens ?? 1_000_000,

    async ask(question, signal): Promise<Answer> {
      loading ??= load();
      const model = await loading;
      try {
        const result = await timed(options.clock, options.timeoutMs, signal, (both) =>
          model.doGenerate({
            ...callOptions(question),
            temperature: options.temperature ?? 0,
            abortSignal: both,
          }),
        );
        if (!result.done) return later('timeout', `no answer within ${options.timeoutMs} ms`);
        return answerOf(result.value, question);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const failed = failedResponseOf(error);
        if (failed === null) return connectionTrouble(error, [options.apiKey]);
        return geminiFailure(failed, options.model, options.apiKey, options.clock.now());
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

type Generated = Awaited<ReturnType<LanguageModel['doGenerate']>>;

function answerOf(result: Generated, question: Question): Answer {
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const usage: CallUsage = {
    calls: 1,
    inputTokens: result.usage.inputTokens.total ?? estimateTokens(question.instructions + question.data),
    outputTokens: result.usage.outputTokens.total ?? estimateTokens(text),
  };
  const { unified, raw } = result.finishReason;
  if (unified === 'content-filter') {
    return { outcome: 'unfit', why: 'blocked', detail: `Gemini refused the text: ${raw ?? 'safety'}`, usage };
  }
  return { outcome: 'answer', text, cutOff: unified === 'length', usage };
}
