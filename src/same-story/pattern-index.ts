const FIRST_LETTER = 0x61;
const LETTERS = 26;
/** The letters, and one place for everything else. */
const PLACES_OF_LETTER = LETTERS + 1;
const BITS = 32;

/** What many patterns have for words with one beginning. */
interface Beginning {
  /** Matches where any of them does: most words have only the beginning in common with them. */
  readonly any: RegExp;
  readonly patterns: readonly (readonly [number: number, pattern: RegExp])[];
}

/**
 * Finds those of many patterns that a title in lower case matches. It tries only alternatives that begin with the three
 * letters that a word begins with, or with the same Japanese character, and only there: to try every pattern on every
 * title takes longer than all other comparing. An English alternative begins at the border of a word with two letters or
 * more, a Japanese one with a character or a digit (`\d`).
 */
export class PatternIndex {
  /** By `placeAfter` of three letters. */
  readonly #english: readonly (Beginning | undefined)[];
  /** By character. */
  readonly #japanese: ReadonlyMap<number, Beginning>;
  /** A bit for each pattern. */
  readonly #found: Uint32Array;

  constructor(patterns: readonly RegExp[]) {
    const [english, japanese] = [new Alternatives(), new Alternatives()];
    for (const [number, { source }] of patterns.entries())
      for (const alternative of expand(source)) {
        const letters = lettersOf(alternative);
        if (letters === '') for (const code of codesOf(alternative)) japanese.add(code, number, alternative);
        else for (const place of placesOf(letters)) english.add(place, number, alternative);
      }
    const places = english.beginnings();
    this.#english = Array.from({ length: PLACES_OF_LETTER ** 3 }, (_, place) => places.get(place));
    this.#japanese = japanese.beginnings();
    this.#found = new Uint32Array(Math.ceil(patterns.length / BITS));
  }

  /** Calls `found` with the number of each pattern that the title matches, in their order. */
  match(title: string, found: (pattern: number) => void): void {
    if (!this.#search(title)) return;
    for (let index = 0; index < this.#found.length; index++) {
      for (let left = this.#found[index] ?? 0; left !== 0; left &= left - 1)
        found(index * BITS + BITS - 1 - Math.clz32(left & -left));
      this.#found[index] = 0;
    }
  }

  #search(title: string): boolean {
    let isAny = false;
    let isAfterWordPart = false;
    for (let at = 0; at < title.length; at++) {
      const letter = title.charCodeAt(at);
      const isBeginning = isLetter(letter) && !isAfterWordPart;
      isAfterWordPart = isWordPart(letter);
      let beginning: Beginning | undefined;
      if (isBeginning) {
        const next = at + 1 < title.length ? title.charCodeAt(at + 1) : 0;
        if (!isLetter(next)) continue;
        const third = at + 2 < title.length ? title.charCodeAt(at + 2) : 0;
        beginning = this.#english[placeAfter(placeAfter(letter - FIRST_LETTER, next), third)];
      } else if (letter > 0x7f || isDigit(letter)) beginning = this.#japanese.get(letter);
      if (beginning === undefined || !matchesAt(beginning.any, title, at)) continue;
      isAny = true;
      for (const [number, pattern] of beginning.patterns)
        if (!this.#isFound(number) && matchesAt(pattern, title, at)) this.#setFound(number);
    }
    return isAny;
  }

  #isFound(pattern: number): boolean {
    return ((this.#found[pattern >>> 5] ?? 0) & (1 << (pattern & 31))) !== 0;
  }

  #setFound(pattern: number): void {
    this.#found[pattern >>> 5] = (this.#found[pattern >>> 5] ?? 0) | (1 << (pattern & 31));
  }
}

function matchesAt(pattern: RegExp, title: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(title);
}

/** Alternatives of patterns by what they begin with. */
class Alternatives {
  readonly #byKey = new Map<number, Map<number, string[]>>();

  add(key: number, pattern: number, alternative: string): void {
    const patterns = this.#byKey.get(key) ?? new Map<number, string[]>();
    this.#byKey.set(key, patterns.set(pattern, [...(patterns.get(pattern) ?? []), alternative]));
  }

  beginnings(): Map<number, Beginning> {
    return new Map(
      [...this.#byKey].map(([key, patterns]) => [
        key,
        {
          any: here([...new Set([...patterns.values()].flat())]),
          patterns: [...patterns].map(([number, alternatives]) => [number, here(alternatives)] as const),
        },
      ]),
    );
  }
}

function here(alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'y');
}

/** The alternatives of a pattern, without a group or the border of a word at the beginning. */
function expand(source: string): string[] {
  return alternativesIn(source).flatMap((alternative) => {
    const rest = alternative.replace(/^\\b/, '');
    if (!rest.startsWith('(?:')) return rest === '' ? [] : [rest];
    const end = endOfGroup(rest);
    const after = rest.slice(end + 1);
    const isOptional = after.startsWith('?');
    const tail = isOptional ? after.slice(1) : after;
    return [...expand(rest.slice(3, end)).map((one) => one + tail), ...(isOptional ? expand(tail) : [])];
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

/** At most three letters that an alternative begins with; none in Japanese. A letter that may be missing is none. */
function lettersOf(alternative: string): string {
  const letters = /^[a-z]*/.exec(alternative.replace(/^([a-z]*)[a-z][?*{].*$/, '$1'))?.[0] ?? '';
  return letters.slice(0, 3);
}

function placesOf(letters: string): number[] {
  // All places with these letters stand side by side.
  const places = PLACES_OF_LETTER ** (3 - letters.length);
  const first = [...letters].reduce((place, letter) => placeAfter(place, letter.charCodeAt(0)), 0) * places;
  return Array.from({ length: places }, (_, n) => first + n);
}

function codesOf(alternative: string): number[] {
  const characters = alternative.startsWith('\\d') ? '0123456789' : alternative.charAt(0);
  return [...characters].map((character) => character.charCodeAt(0));
}

function placeAfter(place: number, code: number): number {
  return place * PLACES_OF_LETTER + (isLetter(code) ? code - FIRST_LETTER : LETTERS);
}

function isLetter(code: number): boolean {
  return code >= FIRST_LETTER && code < FIRST_LETTER + LETTERS;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Of what a word border (`\b`) separates. */
function isWordPart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === 0x5f;
}
