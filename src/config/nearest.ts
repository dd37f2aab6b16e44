/** The one of `known` that `written` was probably meant to be, or `null` when none is near. */
export function nearest(written: string, known: readonly string[]): string | null {
  const wanted = plain(written);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return bestDistance <= Math.max(1, Math.floor(wanted.length / 3)) ? best : null;
}

/** `did you mean …?` where one is near, otherwise the whole list, so that a person always has something to write. */
export function suggestion(written: string, known: readonly string[]): string {
  const near = nearest(written, known);
  if (near !== null) return `did you mean \`${near}\`?`;
  if (known.length === 0) return 'there is none to choose from';
  const shown = known.slice(0, 12).join(', ');
  return `known here: ${shown}${known.length > 12 ? ', …' : ''}`;
}

/** `minArticles`, `min-articles` and `min_articles` are one word to a person. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/** Insertions, deletions, substitutions and swaps of neighbours, each counted as one. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(rows, i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(rows, i - 2, j - 2) + 1);
      row.push(cost);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
