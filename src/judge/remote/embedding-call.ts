import type { Clock } from '../../time/clock.ts';
import type { Embedder } from '../embedder.ts';
import type { ModelFailure } from '../model.ts';
import { estimateTokens } from '../text-length.ts';
import {
  connectionFailure,
  type FailedResponse,
  failedResponseOf,
  laterAnswer,
  withTimeout,
} from './model-call.ts';

/** Texts of one call: servers accept about a hundred. */
const MAX_TEXTS = 64;
const MAX_DIMENSIONS = 8_192;

/** The common part of the SDKs' embedding models that is used here. */
interface SdkModel {
  doEmbed(options: { readonly values: string[]; readonly abortSignal: AbortSignal }): PromiseLike<{
    readonly embeddings: readonly (readonly number[])[];
    readonly usage?: { readonly tokens: number } | undefined;
  }>;
}

export interface RemoteEmbedderOptions {
  readonly model: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Secrets to mask in every message. */
  readonly secrets: () => readonly string[];
  /** Loads the SDK; called once, with the first text. */
  readonly load: () => Promise<SdkModel>;
  /** Maps an error response. */
  readonly failure: (response: FailedResponse) => ModelFailure;
}

/** An embedder on a model of the SDK. What the server returns is checked: a wrong vector would merge or split news. */
export function createRemoteEmbedder(options: RemoteEmbedderOptions): Embedder {
  const { model, clock, timeoutMs, secrets } = options;
  let loading: Promise<SdkModel> | undefined;
  return {
    model,
    maxTexts: MAX_TEXTS,
    async embed(texts, signal) {
      loading ??= options.load();
      const sdk = await loading;
      try {
        const result = await withTimeout(clock, timeoutMs, signal, (abortSignal) =>
          sdk.doEmbed({ values: [...texts], abortSignal }),
        );
        if (!result.done) return laterAnswer('timeout', `no answer within ${timeoutMs} ms`);
        const { embeddings, usage } = result.value;
        const inputTokens = usage?.tokens ?? texts.reduce((sum, text) => sum + estimateTokens(text), 0);
        const used = { calls: 1, inputTokens, outputTokens: 0 };
        const problem = problemOf(embeddings, texts.length);
        if (problem !== null)
          return laterAnswer('bad_answer', `The server answered with ${problem}`, undefined, used);
        return { outcome: 'embedded', vectors: embeddings.map((one) => Float32Array.from(one)), usage: used };
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const failed = failedResponseOf(error);
        return failed === null ? connectionFailure(error, secrets()) : options.failure(failed);
      }
    },
  };
}

/** What is wrong with the vectors of an answer; `null` if nothing is. */
function problemOf(vectors: readonly (readonly number[])[], expected: number): string | null {
  if (vectors.length !== expected) return `${vectors.length} vectors for ${expected} texts`;
  const dimensions = vectors[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS) return `vectors of ${dimensions} numbers`;
  if (vectors.some(({ length }) => length !== dimensions)) return 'vectors of different lengths';
  const isUsable = (vector: readonly number[]): boolean =>
    vector.every((value) => Number.isFinite(Math.fround(value))) &&
    vector.some((value) => Math.fround(value) !== 0);
  return vectors.every(isUsable) ? null : 'a vector that is not made of finite numbers, or is zero';
}
