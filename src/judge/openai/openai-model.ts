import type { Clock } from '../../time/clock.ts';
import type { Answer, Model, Question, Reasoning } from '../model.ts';
import { generate, withCalls } from '../remote/generate.ts';
import { openaiFailure } from './openai-failure.ts';
import {
  type Format,
  type FormChange,
  limitNames,
  MAX_FORMS,
  type RequestForm,
  simplerForm,
} from './request-form.ts';

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
  /** Default 0; left out where the server refuses it. */
  readonly temperature?: number;
  /** Not sent when absent; left out where the server refuses it. */
  readonly reasoning?: Reasoning;
}

type Provider = ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>;
type LanguageModel = ReturnType<Provider['chatModel']>;
type CallOptions = Parameters<LanguageModel['doGenerate']>[0];

/** The SDK's name for this provider; options under it go into the body of the request as they are. */
const PROVIDER = 'openai';

/**
 * Any server that speaks OpenAI's chat completions: OpenAI, Ollama, llama.cpp, vLLM. They differ in which parameters they take, so a
 * refused one is left out, and this is remembered for as long as the process lives.
 */
export function createOpenaiModel(options: OpenaiOptions): Model {
  let loading: Promise<Readonly<Record<Format, LanguageModel>>> | undefined;
  let known: RequestForm = {
    format: 'json_schema',
    limits: limitNames(options.baseUrl),
    maxOutputTokens: Number.POSITIVE_INFINITY,
    temperature: options.temperature ?? 0,
    reasoning: options.reasoning ?? null,
  };
  const { clock } = options;
  const secrets = options.apiKey === undefined ? [] : [options.apiKey];

  const load = async (): Promise<Readonly<Record<Format, LanguageModel>>> => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const modelWith = (supportsStructuredOutputs: boolean): LanguageModel =>
      createOpenAICompatible({
        name: PROVIDER,
        baseURL: options.baseUrl.replace(/\/+$/, ''),
        fetch: options.fetch,
        supportsStructuredOutputs,
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
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
    return generate(
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
        if (!('refused' in outcome) || calls >= MAX_FORMS) {
          // Where no form was right, nothing was learned: the next question starts from the known form.
          if (learned !== known && !refusedAsAsked(answer)) known = learned;
          return withCalls(answer, calls);
        }
        const { change, lasting } = outcome.refused;
        form = { ...form, ...change };
        if (lasting) learned = { ...learned, ...change };
      }
    },
  };
}

function refusedAsAsked(answer: Answer): boolean {
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
      [PROVIDER]: {
        ...(limit !== undefined && { [limit]: maxOutputTokens }),
        ...(form.reasoning !== null && { reasoningEffort: form.reasoning }),
      },
    },
  };
}
