/**
 * Finds sets that overlap, among very many, without comparing with each: MinHash signatures in bands (locality-sensitive
 * hashing). Everything lies in typed arrays, so that 100,000 signatures take some thirty megabytes and no garbage.
 */

const ROWS = 3;

export interface MinHashShape {
  /** More bands find weaker likeness. */
  readonly bands: number;
}

export type Signature = Uint32Array;

/** The signature of a set of feature hashes; two signatures agree in about as many places as the sets overlap. */
export function signatureOf(features: Iterable<number>, { bands }: MinHashShape): Signature {
  const size = bands * ROWS;
  const signature = new Uint32Array(size).fill(0xffffffff);
  for (const feature of features) {
    let x = feature;
    for (let i = 0; i < size; i++) {
      // A fresh mix for each place: xorshift, then a multiplication.
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
      const value = Math.imul(x, 0x9e3779b1) >>> 0;
      if (value < (signature[i] ?? 0)) signature[i] = value;
    }
  }
  return signature;
}

/** A hash of a short text that is never 0, which the mix above could not leave. */
export function featureHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return hash === 0 ? 1 : hash;
}

/** In how many places two signatures agree, as a part of all. */
export function agreement(one: Signature, other: Signature): number {
  let same = 0;
  for (let i = 0; i < one.length; i++) if (one[i] === other[i]) same++;
  return same / one.length;
}

/** Signatures by number, and a way to those that share a band with a given one. */
export class SignatureIndex {
  readonly #shape: MinHashShape;
  readonly #size: number;
  #signatures: Uint32Array;
  #heads: Int32Array;
  /** For each signature and band: the one before it in the same bucket. */
  #links: Int32Array;
  #seen: Int32Array;
  #stamp = 0;
  #count = 0;

  constructor(shape: MinHashShape, capacity = 1024) {
    this.#shape = shape;
    this.#size = shape.bands * ROWS;
    this.#signatures = new Uint32Array(capacity * this.#size);
    this.#heads = new Int32Array(bucketsFor(capacity * shape.bands)).fill(-1);
    this.#links = new Int32Array(capacity * shape.bands);
    this.#seen = new Int32Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  signature(number: number): Signature {
    return this.#signatures.subarray(number * this.#size, (number + 1) * this.#size);
  }

  /** Adds a signature under the next number. */
  add(signature: Signature): number {
    const number = this.#count++;
    if (number >= this.#seen.length) this.#grow();
    this.#signatures.set(signature, number * this.#size);
    this.#link(number);
    return number;
  }

  /**
   * The numbers that share a band, newest first within each band, each once; at most `limit` from one bucket, so that a
   * bucket full of sameness stays cheap.
   */
  *candidates(signature: Signature, limit: number): Generator<number> {
    const stamp = ++this.#stamp;
    const { bands } = this.#shape;
    for (let band = 0; band < bands; band++) {
      let number = this.#heads[this.#bucket(signature, band)] ?? -1;
      for (let steps = 0; number >= 0 && steps < limit; steps++) {
        if (this.#seen[number] !== stamp) {
          this.#seen[number] = stamp;
          yield number;
        }
        number = this.#links[number * bands + band] ?? -1;
      }
    }
  }

  #link(number: number): void {
    const { bands } = this.#shape;
    const signature = this.signature(number);
    for (let band = 0; band < bands; band++) {
      const bucket = this.#bucket(signature, band);
      this.#links[number * bands + band] = this.#heads[bucket] ?? -1;
      this.#heads[bucket] = number;
    }
  }

  #bucket(signature: Signature, band: number): number {
    let hash = Math.imul(band + 1, 0x9e3779b1);
    for (let row = 0; row < ROWS; row++) {
      hash = Math.imul(hash ^ (signature[band * ROWS + row] ?? 0), 0x85ebca6b);
      hash ^= hash >>> 13;
    }
    return (hash >>> 0) & (this.#heads.length - 1);
  }

  #grow(): void {
    const capacity = this.#seen.length * 2;
    this.#signatures = grown(this.#signatures, capacity * this.#size);
    this.#seen = new Int32Array(capacity);
    this.#links = new Int32Array(capacity * this.#shape.bands);
    this.#heads = new Int32Array(bucketsFor(capacity * this.#shape.bands)).fill(-1);
    for (let number = 0; number < this.#count - 1; number++) this.#link(number);
  }
}

function bucketsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1024, entries)));
}

function grown(array: Uint32Array, size: number): Uint32Array {
  const larger = new Uint32Array(size);
  larger.set(array);
  return larger;
}
