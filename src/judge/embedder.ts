import type { CallUsage, ModelFailure } from './model.ts';

/** Vectors for texts, or why there are none: the failures are those of models. */
export type Embedding =
  | { readonly outcome: 'embedded'; readonly vectors: readonly Float32Array[]; readonly usage: CallUsage }
  | ModelFailure;

/** An embedding model: similar texts get vectors that point in similar directions (Q16). */
export interface Embedder {
  /** Name of the model at its server. */
  readonly model: string;
  /** Maximum number of texts of one call. */
  readonly maxTexts: number;
  /** One vector for each text. Throws only if the caller aborts. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Embedding>;
}

/** Cosine of the angle between two vectors of the same length: 1 for the same direction. */
export function cosineSimilarity(one: Float32Array, other: Float32Array): number {
  let [product, ones, others] = [0, 0, 0];
  for (const [place, value] of one.entries()) {
    const second = other[place] ?? 0;
    product += value * second;
    ones += value * value;
    others += second * second;
  }
  return product / Math.sqrt(ones * others);
}
