const DIMENSIONS = 256;
const KEPT = 1000;

/** One request to a simulated embedding model. */
export interface EmbeddingCall {
  readonly model: string;
  readonly texts: readonly string[];
}

/** Values that a test scripts; `null` is what JSON makes of a number that is none. */
export type ScriptedVectors = readonly (readonly (number | null)[])[];

/** A simulated embedding model: texts with the same letters in a row get vectors that point in similar directions. */
export class EmbeddingModel {
  readonly #calls: EmbeddingCall[] = [];
  /** Replaces the vectors of the model; `undefined` leaves them as they are. */
  script: ((call: EmbeddingCall) => ScriptedVectors | undefined) | undefined;

  /** The latest calls, oldest first. */
  calls(): readonly EmbeddingCall[] {
    return this.#calls;
  }

  embed(call: EmbeddingCall): ScriptedVectors {
    this.#calls.push(call);
    if (this.#calls.length > KEPT) this.#calls.shift();
    return this.script?.(call) ?? call.texts.map(vectorOf);
  }
}

/** Counts of hashed letter sequences, two and three long, of length 1. */
export function vectorOf(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  const letters = [
    ...text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\s\p{P}]+/gu, ' '),
  ];
  for (const length of [2, 3])
    for (let start = 0; start + length <= letters.length; start++) {
      const place = hashOf(letters.slice(start, start + length).join('')) % DIMENSIONS;
      vector[place] = (vector[place] ?? 0) + 1;
    }
  const norm = Math.hypot(...vector) || 1;
  return vector.map((value) => value / norm);
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of Buffer.from(text)) hash = Math.imul(hash ^ unit, 0x01000193) >>> 0;
  return hash;
}
