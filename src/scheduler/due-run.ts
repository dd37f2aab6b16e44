import type { Config } from '../config/config.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Clock } from '../time/clock.ts';
import { isFuture } from '../time/clock.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import { RETENTION_RUN, type Retention } from './retention.ts';
import type { RunRecord, RunStore } from './run-store.ts';
import { nextStart, type Schedule } from './schedule.ts';

/** A caller's clock, and its patience, are not ours: a call a little before its time is meant for that time. */
const EARLY_TOLERANCE_MS = MINUTE;
/** How many runs are looked at for one that did it. */
const MAX_RUNS_CHECKED = 20;

/**
 * The moment that a call from outside is about: the one that the caller names, or else the last one of the pipeline's own
 * schedule. Two calls about the same moment are one (A1, D4).
 */
export function dueMoment(schedule: Schedule, now: number, named: number | null): number {
  if (named !== null) return named;
  // A little less than a whole distance back, since the last call may have come a little late.
  if (schedule.kind === 'every')
    return now - schedule.ms + EARLY_TOLERANCE_MS + Math.min(EARLY_TOLERANCE_MS, schedule.ms / 10);
  return lastStart(schedule, now + EARLY_TOLERANCE_MS) ?? now;
}

/**
 * Whether what is due at a moment has been done: a run that began at it or later and came to its end. A run of the future was
 * recorded by a clock that was ahead, and tells nothing.
 */
export function isAlreadyRun(recent: readonly RunRecord[], moment: number, now: number): boolean {
  return recent.some(
    ({ outcome, startedAt }) =>
      outcome === 'done' && startedAt >= moment - EARLY_TOLERANCE_MS && !isFuture(startedAt, now),
  );
}

/** The last start not after a moment, looked for over ever longer times; a schedule may have one start in four years. */
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
  /** It came to no end in the time it had; another call goes on from there. */
  | { readonly outcome: 'cut short' };

export interface DueRunRequest {
  /** Name in the record of runs. */
  readonly name: string;
  readonly schedule: Schedule;
  /** The moment that the caller names, if it does. */
  readonly scheduledFor: number | null;
  /** Whether another one is under way is answered with false. */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
}

/** Runs what is due at a moment unless that was done: any number of calls about one moment are one run. */
export async function runIfDue(
  { name, schedule, scheduledFor, run }: DueRunRequest,
  { runs, clock }: { readonly runs: RunStore; readonly clock: Clock },
  signal: AbortSignal,
): Promise<DueRun> {
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

/** When something runs and how, by its name in the record of runs. */
export function findScheduledWork(
  name: string,
  parts: {
    readonly config: Config;
    readonly pipelines: ReadonlyMap<string, Pipeline>;
    readonly retention: Retention;
  },
): Pick<DueRunRequest, 'schedule' | 'run'> | null {
  if (name === RETENTION_RUN) {
    const { schedule: expression, timeZone } = parts.config.retention;
    return {
      schedule: { kind: 'cron', expression, timeZone },
      run: async (signal) => (await parts.retention.sweep({ dryRun: false }, signal)) !== null,
    };
  }
  const pipeline = parts.pipelines.get(name);
  const schedule = parts.config.pipelines[name]?.schedule;
  if (pipeline === undefined || schedule === undefined) return null;
  return { schedule, run: async (signal) => (await pipeline.run(signal)).ran };
}
