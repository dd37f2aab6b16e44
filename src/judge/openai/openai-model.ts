import type { Clock } from '../../time/clock.ts';
import type { Answer, Model, Question } from '../model.ts';
import { later } from '../remote/call-failure.ts';
import { generate } from '../remote/generate.ts';
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

/** How the answer's shape is asked for, best first. A server that refuses one is asked the next way from then on. */
const FORMATS = ['json_schema', 'json_object', 'plain'] as const;
type Format = (typeof FORMATS)[number];

/** Any server that speaks OpenAI's chat completions: OpenAI, Ollama, llama.cpp, vLLM. */
export function createOpenaiModel(options: OpenaiOptions): Model {
  let loading: Promise<Readonly<Record<Format, LanguageModel>>> | undefined;
  let best = 0;
  const { clock } = options;
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

  const askOnce = async (
    format: Format,
    question: Question,
    signal: AbortSignal | undefined,
  ): Promise<Answer | 'refused'> => {
    loading ??= load();
    const model = (await loading)[format];
    return generate(
      {
        clock,
        timeoutMs: options.timeoutMs,
        secrets,
        generate: (abortSignal) =>
          model.doGenerate({
            ...callOptions(question, format),
            temperature: options.temperature ?? 0,
            abortSignal,
          }),
        failure: (failed) =>
          refusesFormat(failed) ? 'refused' : openaiFailure(failed, options.model, secrets, clock.now()),
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
