const FIRST_LETTER = 0x61;
const LETTERS = 26;
/** The letters, and one place for everything else. */
const PLACES_OF_LETTER = LETTERS + 1;
const BITS = 32;

/**
 * Finds those of many patterns that a title in lower case matches. It tries only alternatives that begin with the letters
 * of a word, or with the same Japanese character, and only there: to try every pattern on every title takes longer than all
 * other comparing. An English alternative begins at the border of a word of two letters or more, a Japanese one with a
 * character or a digit (`\d`).
 */
export class PatternIndex {
  readonly #groups: readonly (readonly RegExp[])[];
  /** By `placeAfter` of three letters. */
  readonly #english = new Map<number, Beginning[]>();
  /** By character. */
  readonly #japanese = new Map<number, Beginning[]>();
  readonly #found: Int32Array;

  /** Each group of patterns begins at an integer of its own in what `match` returns. The index is built on first use. */
  constructor(groups: readonly (readonly RegExp[])[]) {
    this.#groups = groups;
    this.#found = new Int32Array(groups.reduce((size, group) => size + Math.ceil(group.length / BITS), 0));
  }

  #build(): void {
    let first = 0;
    for (const patterns of this.#groups) {
      for (const [number, { source }] of patterns.entries())
        for (const alternative of expand(source)) this.#add(alternative, first + number);
      first += Math.ceil(patterns.length / BITS) * BITS;
    }
  }

  #add(alternative: string, pattern: number): void {
    const isEnglish = isLetter(alternative.charCodeAt(0));
    const literal = literalOf(alternative, isEnglish ? ENGLISH_LITERAL : JAPANESE_LITERAL);
    const index = isEnglish ? this.#english : this.#japanese;
    for (const place of isEnglish ? placesOf(literal.slice(0, 3)) : codesOf(alternative)) {
      const beginnings = index.get(place) ?? [];
      index.set(place, beginnings);
      let known = beginnings.find((each) => each.literal === literal && each.pattern === pattern);
      if (known === undefined) {
        known = { literal, pattern, isEnough: false, endings: [], alternatives: [], compiled: null };
        beginnings.push(known);
      }
      const rest = alternative.slice(literal.length);
      const endings = endingsOf(rest);
      if (ANYTHING.has(rest)) known.isEnough = true;
      else if (endings !== null) known.endings.push(...endings);
      else known.alternatives.push(alternative);
    }
  }

  /** A bit for each pattern that the title matches, valid until the next call; `null` if there is none. */
  match(title: string): Int32Array | null {
    if (this.#english.size === 0) this.#build();
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
      let beginnings: readonly Beginning[] | undefined;
      if (isBeginning) {
        const next = at + 1 < title.length ? title.charCodeAt(at + 1) : 0;
        if (!isWordPart(next)) continue;
        const third = at + 2 < title.length ? title.charCodeAt(at + 2) : 0;
        beginnings = this.#english.get(placeAfter(placeAfter(letter - FIRST_LETTER, next), third));
      } else if (letter > 0x7f || isDigit(letter)) beginnings = this.#japanese.get(letter);
      if (beginnings !== undefined && this.#addMatching(beginnings, title, at)) isAny = true;
    }
    return isAny;
  }

  /** Sets the bits of the patterns that match at a place; returns whether there is one. */
  #addMatching(beginnings: readonly Beginning[], title: string, at: number): boolean {
    let isAny = false;
    for (const beginning of beginnings) {
      const { literal, pattern } = beginning;
      if (!title.startsWith(literal, at)) continue;
      const index = Math.floor(pattern / BITS);
      const before = this.#found[index] ?? 0;
      const after = before | (1 << (pattern % BITS));
      if (before === after || !matchesAt(beginning, title, at)) continue;
      this.#found[index] = after;
      isAny = true;
    }
    return isAny;
  }
}

/** The alternatives of a pattern that begin with the same text. */
interface Beginning {
  readonly literal: string;
  readonly pattern: number;
  /** Whether one of them is that text and nothing else. */
  isEnough: boolean;
  /** What may stand after that text, up to the border of a word. */
  readonly endings: string[];
  /** All others; compiled when a title has the text, as that takes longer than all else at the start. */
  readonly alternatives: string[];
  compiled: RegExp | null;
}

function matchesAt(beginning: Beginning, title: string, at: number): boolean {
  if (beginning.isEnough) return true;
  const end = at + beginning.literal.length;
  for (const ending of beginning.endings)
    if (title.startsWith(ending, end) && !isWordPart(title.charCodeAt(end + ending.length))) return true;
  if (beginning.alternatives.length === 0) return false;
  beginning.compiled ??= new RegExp(beginning.alternatives.join('|'), 'y');
  beginning.compiled.lastIndex = at;
  return beginning.compiled.test(title);
}

const ENGLISH_LITERAL = /^[a-z][a-z\d '-]*/;
const JAPANESE_LITERAL = /^[^\0-\x7f]*/;

const ANYTHING: ReadonlySet<string> = new Set(['', '\\w*', '\\w*\\b']);
/** `\b`, `s?\b`, `[sd]?\b`, `(?:s|ed)?\b`. */
const ENDINGS = /^(?:\(\?:([a-z|]+)\)|\[([a-z]+)\]|([a-z]))?(\?)?\\b$/;

/** All that the rest of an alternative may be, if that are some letters only. */
function endingsOf(rest: string): string[] | null {
  const [found, group, letters, letter, optional] = ENDINGS.exec(rest) ?? [];
  if (found === undefined) return null;
  const endings = group?.split('|') ?? [...(letters ?? letter ?? '')];
  return endings.length === 0 || optional !== undefined ? ['', ...endings] : endings;
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
  const found: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < source.length; at++) {
    const letter = source[at];
    if (letter === '(') depth++;
    else if (letter === ')') depth--;
    else if (letter === '|' && depth === 0) {
      found.push(source.slice(from, at));
      from = at + 1;
    }
  }
  found.push(source.slice(from));
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

/** What an alternative begins with, without a character that may be missing. */
function literalOf(alternative: string, literal: RegExp): string {
  const fixed = literal.exec(alternative)?.[0] ?? '';
  return /^[?*{]/.test(alternative.slice(fixed.length)) ? fixed.slice(0, -1) : fixed;
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
