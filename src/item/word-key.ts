/** A topic or an alias without differences of writing: no two of a pipeline may be the same. */
export function wordKey(word: string): string {
  return word.normalize('NFKC').trim().toLowerCase();
}
