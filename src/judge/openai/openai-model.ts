import type { Clock } from '../../time/clock.ts';
import type { Answer, CallUsage, Model, Question } from '../model.ts';
import { connectionTrouble, failedResponseOf, later } from '../remote/call-failure.ts';
import { timed } from '../remote/timed.ts';
import { estimateTokens } from '../tokens.ts';
import { openaiFailure, refusesFormat } from './openai-failure.ts';

export interface OpenaiOptions {
  /** Many local servers need none. */
  readonly apiKey?: string;
  readonly model: string;
  /** With the version: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** The guarded way out. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly contextTokens?: number;
  /** What verdicts call the judge. */
  readonly id?: string;
  readonly temperature?: number;
}

type Provider = ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>;
type LanguageModel = ReturnType<Provider['chatModel']>;
type CallOptions = Parameters<LanguageModel['doGenerate']>[0];
type Generated = Awaited<ReturnType<LanguageModel['doGenerate']>>;

/** How the answer's shape is asked for, best first. A server that refuses one is asked the next way from then on. */
const FORMATS = ['json_schema', 'json_object', 'plain'] as const;
type Format = (typeof FORMATS)[number];

/** Any server that speaks OpenAI's chat completions: OpenAI, Ollama, llama.cpp, vLLM. */
export function createOpenaiModel(options: OpenaiOptions): Model {
  let loading: Promise<Readonly<Record<Format, LanguageModel>>> | undefined;
  let best = 0;
  const secrets = options.apiKey === undefined ? [] : [options.apiKey];

  const load = async (): Promise<Readonly<Record<Format, LanguageModel>>> => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const modelWith = (supportsStructuredOutputs: boolean): LanguageModel =>
      createOpenAICompatible({
        name: 'openai',
        baseURL: options.baseUrl.replace(/\/+$/, ''),
        fetch: options.fetch,
        supportsStructuredOutputs,
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
      }).chatModel(options.model);
    const loose = modelWith(false);
    return { json_schema: modelWith(true), json_object: loose, plain: loose };
  };

  const askOnce = async (format: Format, question: Question, signal: AbortSignal | undefined) => {
    loading ??= load();
    const model = (await loading)[format];
    try {
      const result = await timed(options.clock, options.timeoutMs, signal, (both) =>
        model.doGenerate({
          ...callOptions(question, format),
          temperature: options.temperature ?? 0,
          abortSignal: both,
        }),
      );
      if (!result.done) return later('timeout', `no answer within ${options.timeoutMs} ms`);
      return answerOf(result.value, question);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const failed = failedResponseOf(error);
      if (failed === null) return connectionTrouble(error, secrets);
      if (refusesFormat(failed)) return 'refused' as const;
      return openaiFailure(failed, options.model, secrets, options.clock.now());
    }
  };

  return {
    id: options.id ?? 'openai',
    name: options.model,
    takesPdf: false,
    contextTokens: options.contextTokens ?? 16_000,

    async ask(question, signal): Promise<Answer> {
      for (let place = best; ; place++) {
        const format = FORMATS[place] ?? 'plain';
        const answer = await askOnce(format, question, signal);
        if (answer !== 'refused') {
          if (answer.outcome === 'answer') best = Math.max(best, place);
          return answer;
        }
        if (format === 'plain') return later('server_error', 'The server refuses every way of asking');
      }
    },
  };
}

function callOptions(question: Question, format: Format): CallOptions {
  const shape = `\n\nThe JSON Schema of the answer:\n${JSON.stringify(question.schema)}`;
  const options: CallOptions = {
    prompt: [
      { role: 'system', content: question.instructions + (format === 'json_schema' ? '' : shape) },
      { role: 'user', content: [{ type: 'text', text: question.data }] },
    ],
    maxOutputTokens: question.maxOutputTokens,
  };
  if (format === 'plain') return options;
  return { ...options, responseFormat: { type: 'json', schema: question.schema, name: question.schemaName } };
}

function answerOf(result: Generated, question: Question): Answer {
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const usage: CallUsage = {
    calls: 1,
    inputTokens: result.usage.inputTokens.total ?? estimateTokens(question.instructions + question.data),
    outputTokens: result.usage.outputTokens.total ?? estimateTokens(text),
  };
  if (result.finishReason.unified === 'content-filter') {
    return {
      outcome: 'unfit',
      why: 'blocked',
      detail: 'The server refused the text (content filter)',
      usage,
    };
  }
  return { outcome: 'answer', text, cutOff: result.finishReason.unified === 'length', usage };
}
