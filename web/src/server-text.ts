import type { Item } from '../../src/item/item.ts';
import type { PipelineStatus } from '../../src/server/http/newsroom.ts';
import type { FieldProblem } from '../../src/server/http/problem.ts';
import type { FieldProblemCode, ProblemCode } from '../../src/server/http/problem-codes.ts';
import type { SourceStatus } from '../../src/sources/source-status.ts';
import { ApiError } from './api.ts';
import { durationText } from './time.ts';
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

/** Why an item is in its state, in the reader's language, with the threshold that decided; empty if there is no reason. */
export function reasonText({
  reason,
  verdict,
}: {
  readonly reason: Item['reason'];
  readonly verdict: { readonly score: number | null; readonly minScore?: number | null } | null;
}): string {
  const w = words.value;
  const { score = null, minScore = null } = verdict ?? {};
  if (reason === 'low_relevance' && score !== null && minScore !== null)
    return w.scoreBelowMinimum(score, minScore);
  return w.reasons[reason];
}

/** When a pipeline runs: an interval in the reader's language, or its cron expression. */
export function scheduleText({ everyMs, schedule }: Pick<PipelineStatus, 'everyMs' | 'schedule'>): string {
  return everyMs === null ? schedule : words.value.manage.pipeline.everyText(durationText(everyMs));
}

export type SourceHealth = 'ok' | 'failing' | 'never_checked' | 'paused';

export function healthOf({ enabled, record }: Pick<SourceStatus, 'enabled' | 'record'>): SourceHealth {
  if (!enabled) return 'paused';
  if (record === null || record.lastTriedAt === null) return 'never_checked';
  return record.failuresInARow > 0 ? 'failing' : 'ok';
}
