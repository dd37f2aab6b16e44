import pLimit from 'p-limit';
import type { JudgeFailure } from './judge.ts';

/**
 * A language model behind an API: one question, one answer. It retries nothing, validates nothing and knows nothing of
 * articles; the remote judge does that for every model alike.
 */
export interface Model {
  /** Kind of judge it makes: `gemini`, `openai`. */
  readonly id: string;
  /** What its server calls it. */
  readonly name: string;
  /** Takes PDF files as they are. */
  readonly takesPdf: boolean;
  readonly contextTokens: number;
  ask(question: Question, signal?: AbortSignal): Promise<Answer>;
}

export interface Question {
  /** What to do. Ours. */
  readonly instructions: string;
  /** What to do it with: fenced data from outside. */
  readonly data: string;
  readonly files: readonly QuestionFile[];
  /** The shape of the answer, as JSON Schema. */
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

/** What a call used, as far as the server said so. */
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
      /** It ends at the output limit. */
      readonly cutOff: boolean;
      /** How much of the output was reasoning, as far as the server said so. */
      readonly reasoningTokens?: number;
      readonly usage: CallUsage;
    }
  | {
      readonly outcome: 'later';
      readonly why: JudgeFailure;
      readonly detail: string;
      readonly retryAt?: number;
      /** `null` = the server did not take the question, so nothing was used. */
      readonly usage: CallUsage | null;
    }
  | {
      readonly outcome: 'unfit';
      readonly why: 'blocked' | 'too_large';
      readonly detail: string;
      readonly usage: CallUsage | null;
    };

/** A model that is asked at most so many questions at a time; the others wait in line, in order. */
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
