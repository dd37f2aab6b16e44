import pLimit from 'p-limit';
import type { JudgeFailure } from './judge.ts';

/**
 * A language model behind an API: one question, one answer. Retries, validation and everything about articles are in the remote
 * judge, for all models alike.
 */
export interface Model {
  /** Kind of the judge: `gemini`, `openai`. */
  readonly id: string;
  /** Name of the model at its server. */
  readonly name: string;
  /** Accepts PDF files. */
  readonly takesPdf: boolean;
  readonly contextTokens: number;
  ask(question: Question, signal?: AbortSignal): Promise<Answer>;
}

export interface Question {
  /** Our instructions. */
  readonly instructions: string;
  /** Fenced data from outside. */
  readonly data: string;
  readonly files: readonly QuestionFile[];
  /** JSON Schema of the answer. */
  readonly schema: JsonSchema;
  readonly schemaName: string;
  /** Of the answer, reasoning included. */
  readonly maxOutputTokens: number;
}

/** How much a model reasons before it answers. Reasoning counts as output, in tokens and in money. */
export const REASONING = ['none', 'minimal', 'low', 'medium', 'high'] as const;
export type Reasoning = (typeof REASONING)[number];

export interface QuestionFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export type JsonSchema = { readonly [key: string]: unknown };

/** What a call used, as far as the server reported it. */
export interface CallUsage {
  readonly calls: number;
  readonly inputTokens: number;
  /** Reasoning included. */
  readonly outputTokens: number;
}

export type Answer =
  | {
      readonly outcome: 'answer';
      readonly text: string;
      /** It was cut off at the output limit. */
      readonly cutOff: boolean;
      /** How much of the output was reasoning, as far as the server reported it. */
      readonly reasoningTokens?: number;
      readonly usage: CallUsage;
    }
  | {
      readonly outcome: 'later';
      readonly why: JudgeFailure;
      readonly detail: string;
      readonly retryAt?: number;
      /** `null` = the server rejected the question, so nothing was used. */
      readonly usage: CallUsage | null;
    }
  | {
      readonly outcome: 'unfit';
      readonly why: 'blocked' | 'too_large';
      readonly detail: string;
      readonly usage: CallUsage | null;
    };

/** Why there is no answer. */
export type ModelFailure = Exclude<Answer, { readonly outcome: 'answer' }>;

/** A model with a concurrency limit; further questions wait in order. */
export function withConcurrency(model: Model, atOnce: number): Model {
  const limit = pLimit(atOnce);
  return {
    ...model,
    ask: (question, signal) =>
      limit(() => {
        signal?.throwIfAborted();
        return model.ask(question, signal);
      }),
  };
}
