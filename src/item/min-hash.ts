/**
 * Finds sets that overlap, among very many, without comparing with each: MinHash signatures in bands (locality-sensitive
 * hashing). Everything lies in typed arrays, so that 100,000 signatures take some thirty megabytes and no garbage.
 */

const ROWS = 3;
/** Looked at in one bucket: enough for what is really alike. */
const MOST_IN_BUCKET = 8;

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

/** Signatures by number, and a way to those that share a band with a given one. */
export class SignatureIndex {
  readonly #shape: MinHashShape;
  readonly #size: number;
  #signatures: Uint32Array;
  #heads: Int32Array;
  /** For each signature and band: the one before it in the same bucket. */
  #links: Int32Array;
  /** When a number was last found, and in how many bands; kept here so that a search makes no garbage. */
  #seen: Int32Array;
  #shared: Uint8Array;
  #stamp = 0;
  #count = 0;

  constructor(shape: MinHashShape, capacity = 1024) {
    this.#shape = shape;
    this.#size = shape.bands * ROWS;
    this.#signatures = new Uint32Array(capacity * this.#size);
    this.#heads = new Int32Array(bucketsFor(capacity * shape.bands)).fill(-1);
    this.#links = new Int32Array(capacity * shape.bands);
    this.#seen = new Int32Array(capacity);
    this.#shared = new Uint8Array(capacity);
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

  /** How much the signature of that number agrees with another. */
  agreement(number: number, signature: Signature): number {
    const from = number * this.#size;
    let same = 0;
    for (let i = 0; i < this.#size; i++) if (this.#signatures[from + i] === signature[i]) same++;
    return same / this.#size;
  }

  /**
   * The numbers that share most bands with a signature, most first, newest first among equals. Only so many are looked
   * at in one bucket, so that buckets full of sameness stay cheap.
   */
  nearest(signature: Signature, most: number): number[] {
    const stamp = ++this.#stamp;
    const { bands } = this.#shape;
    const found: number[] = [];
    let top = 1;
    for (let band = 0; band < bands; band++) {
      let number = this.#heads[this.#bucket(signature, band)] ?? -1;
      for (let steps = 0; number >= 0 && steps < MOST_IN_BUCKET; steps++) {
        if (this.#seen[number] === stamp) {
          const shared = (this.#shared[number] ?? 0) + 1;
          this.#shared[number] = shared;
          if (shared > top) top = shared;
        } else {
          this.#seen[number] = stamp;
          this.#shared[number] = 1;
          found.push(number);
        }
        number = this.#links[number * bands + band] ?? -1;
      }
    }
    const best: number[] = [];
    for (let shared = top; shared >= 1 && best.length < most; shared--) {
      for (const number of found) {
        if (this.#shared[number] === shared && best.length < most) best.push(number);
      }
    }
    return best;
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
    this.#shared = new Uint8Array(capacity);
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
