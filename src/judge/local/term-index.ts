import { type FoldedText, fold, hasJapanese, isWholeWord, isWordUnit } from './text.ts';

/** A word or phrase to match, and what a match means. */
export interface Term<T> {
  readonly text: string;
  /** Must be written in exactly this letter case (IT, Go): in any other it is another word. */
  readonly exactCase: boolean;
  readonly meaning: T;
}

export interface TermMatch<T> {
  readonly meaning: T;
  readonly at: number;
}

interface WordTerm<T> {
  readonly words: readonly string[];
  readonly cased: string | null;
  readonly meaning: T;
}

interface LiteralTerm<T> {
  readonly lower: string;
  readonly cased: string | null;
  readonly meaning: T;
}

const MAX_CACHED_STEMS = 50_000;
const stemCache = new Map<string, string>();

/**
 * Finds many terms in one pass over a text. Terms of Latin words are found by whole words and in either number;
 * terms with Japanese writing or signs (C++, .NET) are found as strings whose edges are checked.
 */
export class TermIndex<T> {
  readonly #words = new Map<string, WordTerm<T>[]>();
  readonly #literals = new Map<number, LiteralTerm<T>[]>();
  /** First units of literals and first pairs of words: most positions are skipped after this check. */
  readonly #literalStarts = new Uint8Array(65_536);
  readonly #wordStarts = new Set<number>();

  constructor(terms: Iterable<Term<T>>) {
    for (const term of terms) this.#add(term);
  }

  #add(term: Term<T>): void {
    const folded = fold(term.text.trim());
    if (folded.lower === '') return;
    const cased = term.exactCase ? folded.cased : null;
    const words = hasJapanese(folded.lower) || /[+#]|^\./.test(folded.lower) ? [] : wordsIn(folded.lower);
    if (words.length > 0) {
      const first = words[0] ?? '';
      append(this.#words, first, { words, cased, meaning: term.meaning });
      for (const start of [first, ...irregularPlurals(first)]) this.#wordStarts.add(pairKey(start, 0));
      return;
    }
    this.#literalStarts[folded.lower.charCodeAt(0)] = 1;
    append(this.#literals, pairKey(folded.lower, 0), { lower: folded.lower, cased, meaning: term.meaning });
  }

  /** All matches, in the order of the text. Longer terms do not hide shorter ones. */
  find(text: FoldedText): TermMatch<T>[] {
    const finds: TermMatch<T>[] = [];
    const { lower } = text;
    for (let at = 0; at < lower.length; at++) {
      const unit = lower.charCodeAt(at);
      if (this.#literalStarts[unit] === 1) this.#findLiterals(text, at, finds);
      if (!isWordUnit(unit)) continue;
      const end = wordEnd(lower, at);
      const start = end - at === 1 ? unit * 65_536 : unit * 65_536 + lower.charCodeAt(at + 1);
      if (this.#wordStarts.has(start)) this.#findWords(text, at, end, finds);
      at = end - 1;
    }
    return finds;
  }

  #findLiterals(text: FoldedText, at: number, finds: TermMatch<T>[]): void {
    const candidates =
      this.#literals.get(pairKey(text.lower, at)) ?? this.#literals.get(singleKey(text.lower, at));
    if (!candidates) return;
    for (const term of candidates) {
      if (!text.lower.startsWith(term.lower, at)) continue;
      if (term.cased !== null && !text.cased.startsWith(term.cased, at)) continue;
      if (isWholeWord(text.lower, at, term.lower.length)) finds.push({ meaning: term.meaning, at });
    }
  }

  #findWords(text: FoldedText, at: number, end: number, finds: TermMatch<T>[]): void {
    const candidates = this.#words.get(stemOf(text.lower.slice(at, end)));
    if (!candidates) return;
    for (const term of candidates) {
      if (term.cased !== null && !text.cased.startsWith(term.cased, at)) continue;
      if (phraseContinues(text.lower, end, term.words)) finds.push({ meaning: term.meaning, at });
    }
  }
}

function phraseContinues(text: string, firstEnd: number, words: readonly string[]): boolean {
  let end = firstEnd;
  for (let i = 1; i < words.length; i++) {
    let start = end;
    while (start < text.length && start - end < 3 && /[\s\-‐–'’./]/.test(text[start] ?? '')) start++;
    const next = wordEnd(text, start);
    if (next === start || stemOf(text.slice(start, next)) !== words[i]) return false;
    end = next;
  }
  return true;
}

function wordsIn(lower: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < lower.length; at++) {
    if (!isWordUnit(lower.charCodeAt(at))) continue;
    const end = wordEnd(lower, at);
    words.push(stemOf(lower.slice(at, end)));
    at = end - 1;
  }
  return words;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isWordUnit(text.charCodeAt(end))) end++;
  return end;
}

/** The singular, cached: a vocabulary is small and looked up often. */
export function stemOf(word: string): string {
  const known = stemCache.get(word);
  if (known !== undefined) return known;
  const made = stem(word);
  if (stemCache.size >= MAX_CACHED_STEMS) stemCache.clear();
  stemCache.set(word, made);
  return made;
}

function pairKey(text: string, at: number): number {
  const second = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  return text.charCodeAt(at) * 65_536 + second;
}

function singleKey(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536;
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['analyses', 'analysis'],
  ['children', 'child'],
  ['crises', 'crisis'],
  ['criteria', 'criterion'],
  ['indices', 'index'],
  ['matrices', 'matrix'],
  ['men', 'man'],
  ['mice', 'mouse'],
  ['people', 'person'],
  ['women', 'woman'],
]);

/**
 * The singular of an English word in lower case. Only plurals and possessives: cutting more would make one of
 * `training` and `train`, and a reader's topic would match what it does not mean.
 */
export function stem(word: string): string {
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word;
  const known = IRREGULAR.get(bare);
  if (known !== undefined) return known;
  const length = bare.length;
  if (length < 4 || !bare.endsWith('s')) return bare;
  if (/(?:ss|us|is|ics|ous)$/.test(bare)) return bare;
  if (bare.endsWith('ies')) return length > 4 ? `${bare.slice(0, -3)}y` : bare.slice(0, -1);
  if (/(?:sses|shes|ches|xes|zes)$/.test(bare)) return bare.slice(0, -2);
  return bare.slice(0, -1);
}

/** Plurals of a word that are not made by adding to it. */
export function irregularPlurals(singular: string): string[] {
  return [...IRREGULAR].filter(([, one]) => one === singular).map(([many]) => many);
}
