/** A hash of a word, well mixed in all its 32 bits; signed, so that it is kept without a box. */
export function wordHash(word: string): number {
  let hash = START;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), FACTOR);
  return mixed(hash);
}

/** The same of two characters that stand side by side in a text. */
export function pairHash(one: number, other: number): number {
  return mixed(Math.imul(Math.imul(START ^ one, FACTOR) ^ other, FACTOR));
}

const START = 0x811c9dc5;
const FACTOR = 0x01000193;

function mixed(sum: number): number {
  let hash = sum ^ (sum >>> 15);
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}
