/** One thing that is wrong with a configuration, and what to write instead. Never holds the value of a secret. */
export interface Problem {
  readonly file: string;
  /** Counted from 1; `null` when the trouble is with the file itself or with the environment. */
  readonly line: number | null;
  readonly column: number | null;
  /** Where in the document, as `pipelines.morning.sources[0]`; empty for the whole of it. */
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
