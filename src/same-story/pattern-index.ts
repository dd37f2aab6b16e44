const FIRST_LETTER = 0x61;
const LETTERS = 26;
/** The letters, and one place for everything else. */
const PLACES_OF_LETTER = LETTERS + 1;
const BITS = 32;

/**
 * Finds those of many English patterns that a title matches. Each pattern begins with the border of a word, and only those
 * are tried that may match where some word of the title begins with the same three letters: to try every pattern on every
 * title takes longer than all other comparing.
 */
export class PatternIndex {
  readonly #patterns: readonly RegExp[];
  /** Number of integers for a bit of each pattern. */
  readonly #size: number;
  /** Which patterns may match where a word begins with three letters: `#size` integers for each place by `placeAfter`. */
  readonly #byBeginning: Uint32Array;
  readonly #candidates: Uint32Array;

  constructor(patterns: readonly RegExp[]) {
    this.#patterns = patterns;
    this.#size = Math.ceil(patterns.length / BITS);
    this.#byBeginning = new Uint32Array(PLACES_OF_LETTER ** 3 * this.#size);
    this.#candidates = new Uint32Array(this.#size);
    for (const [number, { source }] of patterns.entries())
      for (const beginning of beginningsOf(source)) this.#addBeginning(beginning, number);
  }

  #addBeginning(beginning: string, pattern: number): void {
    // All places with these letters stand side by side.
    const places = PLACES_OF_LETTER ** (3 - beginning.length);
    const first =
      [...beginning].reduce((place, letter) => placeAfter(place, letter.charCodeAt(0)), 0) * places;
    for (let place = first; place < first + places; place++) {
      const at = place * this.#size + Math.floor(pattern / BITS);
      this.#byBeginning[at] = (this.#byBeginning[at] ?? 0) | (1 << (pattern % BITS));
    }
  }

  /** Calls `found` with the number of each pattern that the title matches, in their order. */
  match(title: string, found: (pattern: number) => void): void {
    this.#gatherCandidates(title);
    for (let index = 0; index < this.#size; index++) {
      let left = this.#candidates[index] ?? 0;
      while (left !== 0) {
        const bit = BITS - 1 - Math.clz32(left & -left);
        left &= left - 1;
        const pattern = index * BITS + bit;
        if (this.#patterns[pattern]?.test(title) === true) found(pattern);
      }
    }
  }

  #gatherCandidates(title: string): void {
    const [candidates, byBeginning, size] = [this.#candidates, this.#byBeginning, this.#size];
    candidates.fill(0);
    let isAfterWordPart = false;
    for (let at = 0; at < title.length; at++) {
      const letter = title.charCodeAt(at);
      const isBeginning = isLetter(letter) && !isAfterWordPart;
      isAfterWordPart = isWordPart(letter);
      const next = isBeginning && at + 1 < title.length ? title.charCodeAt(at + 1) : 0;
      if (!isLetter(next)) continue;
      const third = at + 2 < title.length ? title.charCodeAt(at + 2) : 0;
      const first = placeAfter(placeAfter(letter - FIRST_LETTER, next), third) * size;
      for (let index = 0; index < size; index++)
        candidates[index] = (candidates[index] ?? 0) | (byBeginning[first + index] ?? 0);
    }
  }
}

function placeAfter(place: number, code: number): number {
  return place * PLACES_OF_LETTER + (isLetter(code) ? code - FIRST_LETTER : LETTERS);
}

/** At most three letters that each alternative of a pattern begins with, after the border of a word. */
function beginningsOf(source: string): string[] {
  return alternativesIn(source).flatMap((alternative) => {
    const rest = alternative.replace(/^\\b/, '');
    if (rest.startsWith('(?:')) return beginningsOf(rest.slice(3, endOfGroup(rest)));
    // A letter that may be missing is none to begin with.
    const letters = /^[a-z]*/.exec(rest.replace(/^([a-z]*)[a-z]\?.*$/, '$1'))?.[0] ?? '';
    return letters.slice(0, 3);
  });
}

function alternativesIn(source: string): string[] {
  const found = [''];
  let depth = 0;
  for (const letter of source) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    if (letter === '|' && depth === 0) found.push('');
    else found[found.length - 1] += letter;
  }
  return found;
}

function endOfGroup(source: string): number {
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '(') depth++;
    if (source[at] === ')' && --depth === 0) return at;
  }
  return source.length;
}

function isLetter(code: number): boolean {
  return code >= FIRST_LETTER && code < FIRST_LETTER + LETTERS;
}

/** Of what a word border (`\b`) separates. */
function isWordPart(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
