import { plainText } from '../../../feeds/plain-text.ts';
import {
  MAX_SEARCHED_CHARACTERS,
  type SearchTerm,
  searchLetters,
  searchWords,
} from '../../../reader/search-text.ts';
import type { StoredEntry } from './documents.ts';

/** Words of an entry that the index has: those of title, author and sources, then those of the text from its start on. */
export const MAX_TOKENS = 150;

export function textStartOf(html: string): string {
  return plainText(html, MAX_SEARCHED_CHARACTERS);
}

export function tokensOf(stored: StoredEntry): string[] {
  const tokens = new Set<string>();
  for (const text of searchedTexts(stored))
    for (const word of [...searchWords(text), ...searchLetters(text)]) {
      tokens.add(word);
      if (tokens.size === MAX_TOKENS) return [...tokens];
    }
  return [...tokens];
}

/** The token that is probably the rarest: the longest one. `null` if every term is excluded. */
export function rarestToken(terms: readonly SearchTerm[]): string | null {
  const words = terms.filter(({ excluded }) => !excluded).flatMap((term) => term.words);
  return words.reduce<string | null>(
    (longest, word) => (longest === null || word.length > longest.length ? word : longest),
    null,
  );
}

/** Whether an entry meets every condition. */
export function matchesSearch(terms: readonly SearchTerm[], stored: StoredEntry): boolean {
  const texts = searchedTexts(stored);
  const letters = new Set(texts.flatMap(searchLetters));
  const words = texts.map(searchWords);
  return terms.every(({ kind, excluded, words: wanted, isPrefix }) => {
    const has =
      kind === 'letter'
        ? wanted.every((letter) => letters.has(letter))
        : words.some((all) => hasPhrase(all, wanted, isPrefix));
    return has !== excluded;
  });
}

function searchedTexts({ entry, sourceNames, textStart }: StoredEntry): string[] {
  return [entry.title, entry.author ?? '', ...sourceNames, entry.excerpt ?? '', textStart];
}

function hasPhrase(all: readonly string[], wanted: readonly string[], isPrefix: boolean): boolean {
  const last = wanted.length - 1;
  return all.some((_, at) =>
    wanted.every((word, nth) => {
      const there = all[at + nth];
      return there === word || (isPrefix && nth === last && there?.startsWith(word) === true);
    }),
  );
}
