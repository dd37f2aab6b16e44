const FIRST_LETTER = 0x61;
const LETTERS = 26;
/** The letters, and one place for everything else. */
const PLACES_OF_LETTER = LETTERS + 1;
const BITS = 32;

/**
 * Finds those of many patterns that a title in lower case matches. It tries only alternatives that begin with the three
 * letters that a word begins with, or with the same Japanese character, and only there: to try every pattern on every
 * title takes longer than all other comparing. An English alternative begins at the border of a word of two letters or
 * more, a Japanese one with a character or a digit (`\d`).
 */
export class PatternIndex {
  /** By `placeAfter` of three letters. */
  readonly #english: (Beginning | undefined)[] = Array.from({ length: PLACES_OF_LETTER ** 3 });
  /** By character. */
  readonly #japanese = new Map<number, Beginning>();
  readonly #found: Int32Array;

  /** Each group of patterns begins at an integer of its own in what `match` returns. */
  constructor(groups: readonly (readonly RegExp[])[]) {
    let first = 0;
    for (const patterns of groups) {
      for (const [number, { source }] of patterns.entries())
        for (const alternative of expand(source)) this.#add(alternative, first + number);
      first += Math.ceil(patterns.length / BITS) * BITS;
    }
    this.#found = new Int32Array(first / BITS);
  }

  #add(alternative: string, pattern: number): void {
    const letters = lettersOf(alternative);
    if (letters === '')
      for (const code of codesOf(alternative)) {
        const beginning = this.#japanese.get(code) ?? new Beginning();
        this.#japanese.set(code, beginning);
        beginning.add(alternative, pattern);
      }
    else
      for (const place of placesOf(letters)) {
        this.#english[place] ??= new Beginning();
        this.#english[place].add(alternative, pattern);
      }
  }

  /** A bit for each pattern that the title matches, valid until the next call; `null` if there is none. */
  match(title: string): Int32Array | null {
    this.#found.fill(0);
    return this.#search(title) ? this.#found : null;
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
        if (!isWordPart(next)) continue;
        const third = at + 2 < title.length ? title.charCodeAt(at + 2) : 0;
        beginning = this.#english[placeAfter(placeAfter(letter - FIRST_LETTER, next), third)];
      } else if (letter > 0x7f || isDigit(letter)) beginning = this.#japanese.get(letter);
      if (beginning?.addMatching(title, at, this.#found) === true) isAny = true;
    }
    return isAny;
  }
}

/** What many patterns have for words that begin alike; compiled when a title has such a word. */
class Beginning {
  readonly #alternatives = new Map<number, string[]>();
  readonly #numbers: number[] = [];
  readonly #patterns: RegExp[] = [];
  /** Matches where any of the patterns does: most words have only the beginning in common with them. */
  #any: RegExp | null = null;

  add(alternative: string, pattern: number): void {
    const known = this.#alternatives.get(pattern);
    if (known === undefined) this.#alternatives.set(pattern, [alternative]);
    else known.push(alternative);
  }

  /** Sets the bits of the patterns that match at a place; returns whether there is one. */
  addMatching(title: string, at: number, found: Int32Array): boolean {
    if (!matchesAt(this.#any ?? this.#compile(), title, at)) return false;
    const isOnlyOne = this.#numbers.length === 1;
    for (let n = 0; n < this.#numbers.length; n++) {
      const number = this.#numbers[n] ?? 0;
      const index = Math.floor(number / BITS);
      const before = found[index] ?? 0;
      const after = before | (1 << (number % BITS));
      if (isOnlyOne || (before !== after && matchesAt(this.#patterns[n] as RegExp, title, at)))
        found[index] = after;
    }
    return true;
  }

  #compile(): RegExp {
    for (const [number, alternatives] of this.#alternatives) {
      this.#numbers.push(number);
      this.#patterns.push(onlyThere(alternatives));
    }
    this.#any = onlyThere([...new Set([...this.#alternatives.values()].flat())]);
    return this.#any;
  }
}

function onlyThere(alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'y');
}

function matchesAt(pattern: RegExp, title: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(title);
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

/** At most three characters that an alternative begins with; none in Japanese. One that may be missing is none. */
function lettersOf(alternative: string): string {
  const fixed = /^[a-z][a-z\d '-]*/.exec(alternative)?.[0] ?? '';
  const isLastFixed = !/^[?*{]/.test(alternative.slice(fixed.length));
  return fixed.slice(0, isLastFixed ? 3 : Math.min(3, fixed.length - 1));
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
