import type { Config } from '../config/config.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Clock } from '../time/clock.ts';
import { isFuture } from '../time/clock.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import type { Retention } from './retention.ts';
import { RETENTION_RUN } from './retention-settings.ts';
import type { RunRecord, RunStore } from './run-store.ts';
import { nextStart, type Schedule } from './schedule.ts';

/** The caller's clock may be ahead: a call shortly before a scheduled time is meant for it. */
const EARLY_TOLERANCE_MS = MINUTE;
/** How many recent runs are checked. */
const MAX_RUNS_CHECKED = 20;

/**
 * The scheduled time that an outside call refers to: the one that the caller names, or else the last one of the
 * pipeline's schedule. Calls for the same time are one run (A1, D4).
 */
export function dueMoment(schedule: Schedule, now: number, named: number | null): number {
  if (named !== null) return named;
  // A little less than one interval back, since the last call may have been late.
  if (schedule.kind === 'every')
    return now - schedule.ms + EARLY_TOLERANCE_MS + Math.min(EARLY_TOLERANCE_MS, schedule.ms / 10);
  return lastStart(schedule, now + EARLY_TOLERANCE_MS) ?? now;
}

/**
 * Whether a run that started at or after the scheduled time has completed. A run in the future was recorded by a
 * clock that was ahead, and is ignored.
 */
export function isAlreadyRun(recent: readonly RunRecord[], moment: number, now: number): boolean {
  return recent.some(
    ({ outcome, startedAt }) =>
      outcome === 'done' && startedAt >= moment - EARLY_TOLERANCE_MS && !isFuture(startedAt, now),
  );
}

/** The last start not after a time, searched over growing periods; a schedule may have one start in four years. */
function lastStart(schedule: Schedule, moment: number): number | null {
  for (const back of [DAY, 8 * DAY, 32 * DAY, 367 * DAY, 4 * 366 * DAY]) {
    let tick = nextStart(schedule, moment - back);
    if (tick === null || tick > moment) continue;
    for (
      let next = nextStart(schedule, tick);
      next !== null && next <= moment;
      next = nextStart(schedule, tick)
    )
      tick = next;
    return tick;
  }
  return null;
}

export type DueRun =
  | { readonly outcome: 'ran'; readonly summary: string }
  | { readonly outcome: 'done already' }
  | { readonly outcome: 'under way' }
  | { readonly outcome: 'paused' }
  /** It did not complete in its time; another call continues. */
  | { readonly outcome: 'cut short' };

export interface DueRunRequest {
  /** Name in the run store. */
  readonly name: string;
  /** `null` while it is paused. */
  readonly schedule: Schedule | null;
  /** The scheduled time, if the caller names it. */
  readonly scheduledFor: number | null;
  /** Returns false if another run is in progress. */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
}

/** Runs what is due unless it was done: calls for the same scheduled time are idempotent. */
export async function runIfDue(
  { name, schedule, scheduledFor, run }: DueRunRequest,
  { runs, clock }: { readonly runs: RunStore; readonly clock: Clock },
  signal: AbortSignal,
): Promise<DueRun> {
  if (schedule === null) return { outcome: 'paused' };
  const now = clock.now();
  const moment = dueMoment(schedule, now, scheduledFor);
  if (isAlreadyRun(await runs.recent(name, MAX_RUNS_CHECKED), moment, now))
    return { outcome: 'done already' };
  if (!(await run(signal))) return { outcome: 'under way' };
  const last = await runs.last(name);
  return signal.aborted || last?.outcome === 'stopped'
    ? { outcome: 'cut short' }
    : { outcome: 'ran', summary: last?.summary ?? '' };
}

/** Schedule and work of a pipeline or of the retention, by its name in the run store. */
export async function findScheduledWork(
  name: string,
  deps: {
    readonly config: Config;
    readonly pipelines: ReadonlyMap<string, Pipeline>;
    readonly retention: Retention;
  },
): Promise<Pick<DueRunRequest, 'schedule' | 'run'> | null> {
  if (name === RETENTION_RUN) {
    const { schedule: expression, timeZone } = deps.config.retention;
    return {
      schedule: { kind: 'cron', expression, timeZone },
      run: async (signal) => (await deps.retention.sweep({ dryRun: false }, signal)) !== null,
    };
  }
  const pipeline = deps.pipelines.get(name);
  if (pipeline === undefined) return null;
  const { schedule, enabled } = await pipeline.currentSettings();
  return { schedule: enabled ? schedule : null, run: async (signal) => (await pipeline.run(signal)).ran };
}
