/** Characters of an entry's text that are searched. */
export const MAX_SEARCHED_CHARACTERS = 4_000;
/** Terms of a search, and words of a term; further ones are ignored. */
const MAX_TERMS = 32;
const MAX_TERM_WORDS = 32;
const MAX_WORD_LENGTH = 64;

/** Scripts without blanks between words, or with endings that are written as part of the word. */
export const UNSPACED =
  '[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}\\p{N}]]';
const RUNS = new RegExp(`(${UNSPACED}+)|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]+`, 'gv');
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])\p{M}+/gu;

/**
 * The words of a text in their order, without case and accents. Runs of a script without blanks are given as overlapping
 * pairs of letters and their last letter: 東京都 as 東京, 京都, 都.
 */
export function searchWords(text: string): string[] {
  const words: string[] = [];
  for (const run of runsOf(text)) words.push(...wordsOf(run));
  return words;
}

/** The letters of scripts without blanks that occur in a text, each once: a search for one letter finds them. */
export function searchLetters(text: string): string[] {
  const letters = new Set<string>();
  for (const { text: run, unspaced } of runsOf(text))
    if (unspaced) for (const letter of run) letters.add(letter);
  return [...letters];
}

/** One condition of a search. */
export interface SearchTerm {
  /** Entries with it are left out. */
  readonly excluded: boolean;
  /** A single letter, see `searchLetters`; otherwise a phrase of words as `searchWords` gives them. */
  readonly kind: 'letter' | 'phrase';
  readonly words: readonly string[];
  /** The last word of the phrase may go on: it is the first letter of a pair. */
  readonly isPrefix: boolean;
}

/**
 * The conditions of a search: every word, "phrases", -without. `null` if the text is blank, so that it is no condition; empty if
 * it has no word, so that nothing can be found.
 */
export function parseSearch(text: string): readonly SearchTerm[] | null {
  if (text.trim() === '') return null;
  const terms = new Map<string, SearchTerm>();
  for (const [, phraseSign, phrase, wordSign, word] of text.matchAll(/(-?)"([^"]*)"?|(-?)(\S+)/g)) {
    const term = toTerm(phrase ?? word ?? '', (phraseSign ?? wordSign) === '-');
    if (term !== null) terms.set(JSON.stringify(term), term);
    if (terms.size === MAX_TERMS) break;
  }
  return [...terms.values()];
}

function toTerm(text: string, excluded: boolean): SearchTerm | null {
  const runs = runsOf(text);
  const last = runs.at(-1);
  if (last === undefined) return null;
  const letters = [...last.text];
  if (runs.length === 1 && last.unspaced && letters.length === 1)
    return { excluded, kind: 'letter', words: letters, isPrefix: false };
  const words = runs.flatMap(wordsOf);
  // In the text the last run may go on, so its last letter need not stand alone.
  if (last.unspaced && letters.length > 1) words.pop();
  return {
    excluded,
    kind: 'phrase',
    words: words.slice(0, MAX_TERM_WORDS),
    isPrefix: last.unspaced && letters.length === 1 && words.length <= MAX_TERM_WORDS,
  };
}

/** A text that several terms are looked for in. */
export interface SearchedText {
  readonly words: readonly string[];
  readonly letters: ReadonlySet<string>;
}

export function searchedText(text: string): SearchedText {
  return { words: searchWords(text), letters: new Set(searchLetters(text)) };
}

/** Whether a text has the words of a term, wanted or not. */
export function hasTerm({ kind, words, isPrefix }: SearchTerm, text: SearchedText): boolean {
  if (kind === 'letter') return words.every((letter) => text.letters.has(letter));
  const last = words.length - 1;
  return text.words.some((_, at) =>
    words.every((word, nth) => {
      const there = text.words[at + nth];
      return there === word || (isPrefix && nth === last && there?.startsWith(word) === true);
    }),
  );
}

/** Names of sources that terms are looked for in. */
export class SearchedNames {
  readonly #names: readonly (readonly [string, SearchedText])[];

  constructor(names: ReadonlyMap<string, string> = new Map()) {
    this.#names = [...names].map(([id, name]) => [id, searchedText(name)]);
  }

  /** IDs of the sources whose names have a term. */
  with(term: SearchTerm): string[] {
    return this.#names.filter(([, name]) => hasTerm(term, name)).map(([id]) => id);
  }
}

interface Run {
  readonly text: string;
  readonly unspaced: boolean;
}

function runsOf(text: string): Run[] {
  const folded = text.normalize('NFKD').toLowerCase().replace(ACCENTS, '$1').normalize('NFC');
  return [...folded.matchAll(RUNS)].map(([run, unspaced]) => ({
    text: run,
    unspaced: unspaced !== undefined,
  }));
}

function wordsOf({ text, unspaced }: Run): string[] {
  if (!unspaced) return [text.slice(0, MAX_WORD_LENGTH).toWellFormed()];
  const letters = [...text];
  return letters.map((letter, n) => letter + (letters[n + 1] ?? ''));
}
