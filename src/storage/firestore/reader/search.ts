import { plainText } from '../../../feeds/plain-text.ts';
import {
  hasTerm,
  MAX_SEARCHED_CHARACTERS,
  SearchedNames,
  type SearchTerm,
  searchedText,
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
function rarestToken(terms: readonly SearchTerm[]): string | null {
  const words = terms.filter(({ excluded }) => !excluded).flatMap((term) => term.words);
  return words.reduce<string | null>(
    (longest, word) => (longest === null || word.length > longest.length ? word : longest),
    null,
  );
}

/** The conditions of a search, and the sources whose names of now have each term. */
export class EntrySearch {
  readonly terms: readonly SearchTerm[];
  readonly #named: ReadonlyMap<SearchTerm, ReadonlySet<string>>;

  constructor(terms: readonly SearchTerm[], sourceNames: ReadonlyMap<string, string> | undefined) {
    const names = new SearchedNames(sourceNames);
    this.terms = terms;
    this.#named = new Map(terms.map((term) => [term, new Set(names.with(term))]));
  }

  /** Whether an entry meets every condition. */
  matches(stored: StoredEntry): boolean {
    const texts = searchedTexts(stored).map(searchedText);
    return this.terms.every((term) => {
      const isNamed = stored.entry.sourceIds.some((id) => this.sourcesWith(term).has(id));
      return (isNamed || texts.some((text) => hasTerm(term, text))) !== term.excluded;
    });
  }

  /** IDs of the sources whose names have a term. */
  sourcesWith(term: SearchTerm): ReadonlySet<string> {
    return this.#named.get(term) ?? new Set();
  }

  /** What every result has in its index, or the name of one of these sources. `null` if every term is excluded. */
  key(): { readonly token: string; readonly sourceIds: readonly string[] } | null {
    const wanted = this.terms.filter(({ excluded }) => !excluded);
    const inText = wanted.filter((term) => this.sourcesWith(term).size === 0);
    const [first] = inText.length > 0 ? inText : wanted;
    if (first === undefined) return null;
    const token = rarestToken(inText.length > 0 ? inText : [first]);
    return token === null ? null : { token, sourceIds: [...this.sourcesWith(first)] };
  }
}

function searchedTexts({ entry, sourceNames, textStart }: StoredEntry): string[] {
  return [entry.title, entry.author ?? '', ...sourceNames, entry.excerpt ?? '', textStart];
}
