/** Bytes of the longest number. */
const MAX_NUMBER_BYTES = 8;
const FIRST_BITS = 64;
const NEXT_BITS = 128;

/**
 * Writes integers of at most 53 bits with as few bytes as each needs: the first byte holds the sign and six bits, each further
 * one seven bits; the highest bit says that another byte follows.
 */
export class NumberWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  put(number: number): void {
    if (!Number.isSafeInteger(number))
      throw new RangeError(`${number} is not an integer of at most 53 bits.`);
    if (this.#length + MAX_NUMBER_BYTES > this.#bytes.length) this.#grow();
    let rest = Math.abs(number);
    const first = rest % FIRST_BITS;
    rest = Math.floor(rest / FIRST_BITS);
    this.#bytes[this.#length++] = (rest > 0 ? 128 : 0) | (number < 0 ? 64 : 0) | first;
    while (rest > 0) {
      const bits = rest % NEXT_BITS;
      rest = Math.floor(rest / NEXT_BITS);
      this.#bytes[this.#length++] = (rest > 0 ? 128 : 0) | bits;
    }
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads what a `NumberWriter` wrote, in the same order. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let byte = this.#byte();
    const sign = (byte & 64) === 0 ? 1 : -1;
    let number = byte & 63;
    for (let factor = FIRST_BITS; (byte & 128) !== 0; factor *= NEXT_BITS) {
      byte = this.#byte();
      number += (byte & 127) * factor;
    }
    return number === 0 ? 0 : sign * number;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('The packed numbers are incomplete.');
    return byte;
  }
}
