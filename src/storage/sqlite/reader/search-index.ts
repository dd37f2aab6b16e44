import { plainText } from '../../../feeds/plain-text.ts';
import {
  MAX_SEARCHED_CHARACTERS,
  parseSearch,
  type SearchTerm,
  searchLetters,
  searchWords,
} from '../../../reader/search-text.ts';
import type { Connection } from '../connection.ts';
import { type EntryRow, type EntryRows, sourceNumbers } from './entry-rows.ts';

/** A word of every entry, so that a search can consist of unwanted words only. */
const EVERY_ENTRY = 'every';
/** A word of none. */
const NO_ENTRY = 'none';
/** Between fields, so that no phrase spans two. Words have letters and digits only. */
const FIELD_END = ' \u241f ';
/** A row ID of FTS5 in SQL: Node binds numbers as REAL, which FTS5 ignores. */
export const INTEGER = 'CAST(? AS INTEGER)';

/**
 * The words of all entries. The text is split by our own rules (`searchWords`); FTS5 splits it at blanks. One letter of a
 * script without blanks is found in `letters`, the sources in `scope`.
 */
export class SearchIndex {
  readonly #db: Connection;
  readonly #rows: EntryRows;

  constructor(db: Connection, rows: EntryRows) {
    this.#db = db;
    this.#rows = rows;
  }

  /** `html`: the text of the entry, if it is kept. */
  put(row: EntryRow, html: string | null): void {
    const sources = sourceNumbers(row);
    const text = html === null ? '' : plainText(html, MAX_SEARCHED_CHARACTERS);
    const fields = [row.title, row.author ?? '', ...this.#rows.namesOf(sources), row.excerpt ?? '', text];
    this.#db.run(
      'INSERT OR REPLACE INTO search (rowid, words, letters, scope) VALUES (?, ?, ?, ?)',
      row.ord,
      fields.map((field) => searchWords(field).join(' ')).join(FIELD_END),
      searchLetters(fields.join(' ')).join(' '),
      [EVERY_ENTRY, ...sources.map(scopeWord)].join(' '),
    );
  }

  remove(ord: number): void {
    this.#db.run('DELETE FROM search WHERE rowid = ?', ord);
  }

  matches(expression: string, ord: number): boolean {
    return (
      this.#db.get(`SELECT 1 FROM search WHERE search MATCH ? AND rowid = ${INTEGER}`, expression, ord) !==
      undefined
    );
  }
}

function scopeWord(source: number): string {
  return `s${source}`;
}

/** The FTS5 expression of a search; `null` for a blank text, which is no condition. `named`: sources whose names have a term. */
export function matchExpression(
  text: string | undefined,
  named: (term: SearchTerm) => readonly number[],
): string | null {
  const terms = parseSearch(text ?? '');
  if (terms === null) return null;
  if (terms.length === 0) return `scope : "${NO_ENTRY}"`;
  const toExpressions = (some: readonly SearchTerm[]): string[] =>
    some.map((term) => [termExpression(term), ...named(term).map(sourceExpression)].join(' OR '));
  const wanted = toExpressions(terms.filter(({ excluded }) => !excluded));
  const unwanted = toExpressions(terms.filter(({ excluded }) => excluded));
  const positive = wanted.length === 0 ? `scope : "${EVERY_ENTRY}"` : `(${wanted.join(') AND (')})`;
  return unwanted.length === 0 ? `(${positive})` : `((${positive}) NOT (${unwanted.join(' OR ')}))`;
}

/** The expression, limited to some sources. */
export function scopedExpression(expression: string, sources: readonly number[]): string {
  return `${expression} AND (${sources.map(sourceExpression).join(' OR ')})`;
}

function sourceExpression(source: number): string {
  return `scope : "${scopeWord(source)}"`;
}

/** Words have no quotation marks, so they need no escape. */
function termExpression({ kind, words, isPrefix }: SearchTerm): string {
  const column = kind === 'letter' ? 'letters' : 'words';
  return `${column} : "${words.join(' ')}"${isPrefix ? ' *' : ''}`;
}
