import type { z } from 'zod';
import type { YamlDocument } from './yaml-document.ts';

/** A mistake in a configuration, and what to write instead. Never contains the value of a secret. */
export interface Problem {
  readonly file: string;
  /** Counted from 1; `null` if the problem is with the file itself or with the environment. */
  readonly line: number | null;
  readonly column: number | null;
  /** Path in the document, as `pipelines.morning.sources[0]`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

/** `kawaraban.yaml:12:5 pipelines.morning.judge: …`, the form that editors and terminals make clickable. */
export function formatProblem(problem: Problem): string {
  const place =
    problem.line === null ? problem.file : `${problem.file}:${problem.line}:${problem.column ?? 1}`;
  return problem.path === '' ? `${place} ${problem.message}` : `${place} ${problem.path}: ${problem.message}`;
}

/** `['pipelines', 'morning', 'sources', 0]` → `pipelines.morning.sources[0]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** The entry of `known` nearest to `written`, or `null` if none is near. */
export function nearest(written: string, known: readonly string[]): string | null {
  const wanted = normaliseWord(written);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(wanted, normaliseWord(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return bestDistance <= Math.max(1, Math.floor(wanted.length / 3)) ? best : null;
}

/** `did you mean …?` if one is near, otherwise the whole list. */
export function suggestion(written: string, names: readonly string[]): string {
  // A name may be built in and configured as well.
  const known = [...new Set(names)];
  const near = nearest(written, known);
  if (near !== null) return `did you mean \`${near}\`?`;
  if (known.length === 0) return 'there is none to choose from';
  const shown = known.slice(0, 12).join(', ');
  return `known here: ${shown}${known.length > 12 ? ', …' : ''}`;
}

/** Treats `minArticles`, `min-articles` and `min_articles` as equal. */
function normaliseWord(word: string): string {
  return word.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/** Edit distance: insertions, deletions, substitutions and swaps of neighbours count as one each. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(
        cellAt(rows, i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        cellAt(rows, i - 1, j - 1) + same,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, cellAt(rows, i - 2, j - 2) + 1);
      row.push(cost);
    }
    rows.push(row);
  }
  return cellAt(rows, a.length, b.length);
}

function cellAt(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

/** Converts issues of the schemas to problems with positions. */
export function problemsOfIssues(issues: readonly z.core.$ZodIssue[], document: YamlDocument): Problem[] {
  return issues.flatMap((issue) => problemsOfIssue(issue, document));
}

function problemsOfIssue(issue: z.core.$ZodIssue, document: YamlDocument): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    // One line of the message for each key: see `section`.
    const messages = issue.message.split('\n');
    return issue.keys.map((key, n) => {
      const path = [...issue.path, key];
      return {
        file: document.file,
        ...lineAndColumn(document.placeOfKey(path)),
        path: formatPath(path),
        message: messages[n] ?? 'unknown key',
      };
    });
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues[0]?.message ?? 'cannot be used as an ID';
    return [
      {
        file: document.file,
        ...lineAndColumn(document.placeOfKey(issue.path)),
        path: formatPath(issue.path),
        message,
      },
    ];
  }
  return [
    {
      file: document.file,
      ...lineAndColumn(document.placeOf(issue.path)),
      path: formatPath(issue.path),
      message: issue.message,
    },
  ];
}

export function lineAndColumn(place: { readonly line: number; readonly column: number } | null) {
  return { line: place?.line ?? null, column: place?.column ?? null };
}
