import type { FieldProblem } from '../../src/server/http/problem.ts';
import type { FieldProblemCode, ProblemCode } from '../../src/server/http/problem-codes.ts';
import { ApiError } from './api.ts';
import { words } from './words/words.ts';

/** Why a request failed, in the reader's language; the server's own text where the page has none. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  const w = words.value;
  if (error.offline) return w.offlineTitle;
  const [only, ...others] = error.fields;
  if (error.code === 'invalid_request' && only !== undefined && others.length === 0) return fieldText(only);
  const { error: cause } = error.parameters;
  const known = Object.entries(w.sourceErrors).find(([kind]) => kind === cause)?.[1];
  const parameters = known === undefined ? error.parameters : { ...error.parameters, reason: known };
  return w.problems[error.code as ProblemCode]?.(parameters) ?? error.message;
}

export function fieldText({ code, parameters = {}, detail }: FieldProblem): string {
  return words.value.fieldProblems[code as FieldProblemCode]?.(parameters) ?? detail;
}
