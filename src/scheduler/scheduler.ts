import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { endsTooLate, isFuture } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { keepLeaseRenewed } from './lease.ts';
import { runLoop, sleepFor, stopsProgram } from './loop.ts';
import { failedSourceLine, type RunProgress, type RunReport } from './run-report.ts';
import type { ActiveRun, RunEnding, RunLease, RunRecord, RunStore } from './run-store.ts';
import { dueAt, type LiveSchedule, nextStart, type Schedule, startOfWait } from './schedule.ts';

const RUN_LEASE_MS = MINUTE;
const RENEW_INTERVAL_MS = 20 * SECOND;
/** More than the lease of a leader that died and one poll of a standby. */
const LEADER_CHANGE_MS = 5 * MINUTE;

export interface RunnerDependencies {
  readonly pipeline: string;
  /** `null`: runs by hand only. */
  readonly schedule: Schedule | LiveSchedule | null;
  readonly runs: RunStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Since when this process runs the schedule; default: the time of the call. */
  readonly since?: number;
  /** Fencing token of the scheduler's lease, while this replica is the leader. */
  readonly fence?: number;
  /** Called once the run has its lease. */
  readonly onBegin?: () => Promise<void>;
  readonly work: (
    signal: AbortSignal,
    watch: ((progress: RunProgress) => void) | undefined,
    options: { readonly lease: RunLease },
  ) => Promise<RunReport>;
  readonly events: Pick<Events, 'runStarted' | 'runFinished' | 'loopFailed'>;
}

export type RunResult =
  | { readonly ran: true; readonly report: RunReport }
  | { readonly ran: false; readonly why: typeof DETAIL_TEXTS.another_run };

/** The lease of a run expired before it was renewed. The next run completes its work. */
export class RunLeaseLostError extends Error {
  override readonly name = 'RunLeaseLostError';
  constructor() {
    super('the run lost its lease; another run completes its work');
  }
}

/** Runs once, unless another run of the same pipeline is alive, in this or another replica. */
export async function runOnce(
  deps: RunnerDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunResult> {
  const { runs, pipeline, owner, fence = null } = deps;
  const begin = async () => {
    const until = deps.clock.now() + RUN_LEASE_MS;
    const run = await runs.begin(pipeline, owner, RUN_LEASE_MS, fence);
    return run && { run, until };
  };
  const begun = (await begin()) ?? ((await waitForStalledLease(deps, signal)) ? await begin() : null);
  if (begun === null) return { ran: false, why: DETAIL_TEXTS.another_run };
  return inSpan('run', { pipeline }, () => executeRun(begun.run, begun.until, deps, signal, watch));
}

/**
 * If the lease of the current run ends later than a lease can (its clock was ahead), waits for one lease time: a live
 * run renews it meanwhile.
 */
async function waitForStalledLease(
  { runs, pipeline, clock }: RunnerDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const until = await runs.leasedUntil(pipeline);
  return endsTooLate(until, RUN_LEASE_MS, clock.now()) && sleepFor(clock, RUN_LEASE_MS + SECOND, signal);
}

async function executeRun(
  run: ActiveRun,
  leasedUntil: number,
  deps: RunnerDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunResult> {
  const { runs, pipeline } = deps;
  let until = leasedUntil;
  let isIncomplete = false;
  const started = deps.clock.monotonic();
  deps.events.runStarted({
    pipeline,
    run: String(run.id),
    trigger: watch === undefined ? 'schedule' : 'person',
  });
  const stop = new AbortController();
  const renew = async (): Promise<boolean> => {
    const requestedAt = deps.clock.now();
    const renewed = await runs.renew(run, RUN_LEASE_MS);
    if (renewed) until = requestedAt + RUN_LEASE_MS;
    return renewed;
  };
  const renewing = keepRunLease(renew, deps, stop);
  try {
    const leaveUndone = (): void => {
      isIncomplete = true;
    };
    await deps.onBegin?.();
    const lease = { until: () => until, leaveUndone };
    const report = await deps.work(AbortSignal.any([signal, stop.signal]), watch, { lease });
    stop.signal.throwIfAborted();
    if (isIncomplete) throw new RunLeaseLostError();
    await finishRun(run, runEndingOf(report, signal.aborted), started, deps);
    return { ran: true, report };
  } catch (error) {
    const stopped = signal.aborted || error instanceof RunLeaseLostError;
    const summary = signal.aborted ? 'stopped' : errorMessage(error);
    await failRun(run, { outcome: stopped ? 'stopped' : 'failed', summary, counts: {} }, started, deps);
    throw error;
  } finally {
    stop.abort(new Error('the run is over'));
    await renewing;
    until = Number.POSITIVE_INFINITY;
  }
}

/**
 * Runs on schedule until the signal. A failed run is reported by its event and waits for its next start; an
 * unavailable store is retried. Only an error that stops the program (A16) ends the loop. `running` stops the current
 * run, if that is another signal: a scheduler that lost its lease starts nothing more, and completes the current run.
 */
export async function runOnSchedule(
  deps: RunnerDependencies,
  signal: AbortSignal,
  running: AbortSignal = signal,
): Promise<void> {
  const { schedule, pipeline, clock, events } = deps;
  if (schedule === null) return;
  const live = 'read' in schedule ? schedule : fixedSchedule(schedule, clock);
  const iterate = () => runWhenDue(live, deps, signal, running);
  await runLoop(iterate, { pipeline, loop: 'schedule', clock, events }, signal);
}

function fixedSchedule(schedule: Schedule, clock: Clock): LiveSchedule {
  return {
    read: async () => ({ schedule, since: null }),
    wait: (ms, signal) => sleepFor(clock, ms, signal),
  };
}

async function runWhenDue(
  live: LiveSchedule,
  deps: RunnerDependencies,
  signal: AbortSignal,
  running: AbortSignal,
): Promise<'again' | 'over'> {
  const { clock, runs, pipeline } = deps;
  const last = await runs.last(pipeline);
  // The clock may be set at any time, so the next start is recomputed each minute.
  for (let since = waitingSince(last, deps); ; ) {
    const now = clock.now();
    // The clock was set back during the last sleep: do not miss a start in that minute.
    if (now < since) since = now - MINUTE;
    const current = await live.read();
    const due =
      current === null
        ? null
        : nextDueAt(current.schedule, last, Math.max(since, current.since ?? 0), now, current.since);
    if (due !== null && due <= now) break;
    // Without a next start it is paused, or its expression has none: that may change.
    if (!(await live.wait(due === null ? MINUTE : Math.min(due - now, MINUTE), signal))) return 'over';
  }
  if (signal.aborted) return 'over';
  try {
    const result = await runOnce(deps, running);
    if (!result.ran && !(await sleepFor(clock, RENEW_INTERVAL_MS, signal))) return 'over';
  } catch (error) {
    if (stopsProgram(error)) throw error;
    // Reported by its event. Wait a moment even if the next start is due already.
    if (!(await sleepFor(clock, SECOND, signal))) return 'over';
  }
  return 'again';
}

/**
 * From when on a start counts where the last run does not tell: it may have been due while no replica was the leader. A last run
 * in the future was recorded by a clock that was ahead, so only a change of the leader is looked back over.
 */
function waitingSince(last: RunRecord | null, { clock, since }: RunnerDependencies): number {
  const now = clock.now();
  if (since === undefined) return now;
  if (last === null) return since;
  return isFuture(last.startedAt, now) ? Math.max(since, now - LEADER_CHANGE_MS) : now;
}

/**
 * A scheduled run that was interrupted by a crash, a stop or the loss of its lease is repeated at once. `since` is
 * the start of the wait, for a schedule without a last run or with one recorded by a clock that was ahead.
 * `changedAt`: starts before a change of the schedule are not caught up.
 */
function nextDueAt(
  schedule: Schedule,
  last: RunRecord | null,
  since: number,
  now: number,
  changedAt: number | null,
): number | null {
  if (last?.scheduled === true && (last.outcome === 'running' || last.outcome === 'stopped')) return now;
  const started = last === null || isFuture(last.startedAt, now) ? null : last.startedAt;
  if (started === null && schedule.kind === 'cron') return nextStart(schedule, since);
  return dueAt(schedule, startOfWait(schedule, started, changedAt), now);
}

async function keepRunLease(
  renew: () => Promise<boolean>,
  deps: RunnerDependencies,
  stop: AbortController,
): Promise<void> {
  const { clock, events, pipeline } = deps;
  const lost = await keepLeaseRenewed(renew, {
    clock,
    leaseMs: RUN_LEASE_MS,
    intervalMs: RENEW_INTERVAL_MS,
    signal: stop.signal,
    onFailure: (failure) => events.loopFailed({ pipeline, loop: 'run lease', ...failure }),
  });
  if (lost !== null) stop.abort(lost.why ?? new RunLeaseLostError());
}

async function finishRun(
  run: ActiveRun,
  ending: RunEnding,
  started: number,
  deps: RunnerDependencies,
): Promise<void> {
  await deps.runs.end(run, ending);
  reportEnd(run, ending, started, deps);
}

/** Reports the failure even if the store cannot record it; then the lease expires. */
async function failRun(
  run: ActiveRun,
  ending: RunEnding,
  started: number,
  deps: RunnerDependencies,
): Promise<void> {
  try {
    await finishRun(run, ending, started, deps);
  } catch (error) {
    const summary = `${ending.summary}; failed to record this: ${errorMessage(error)}`;
    reportEnd(run, { ...ending, summary }, started, deps);
  }
}

function reportEnd(run: ActiveRun, ending: RunEnding, started: number, deps: RunnerDependencies): void {
  const { events, clock, pipeline } = deps;
  const outcome = ending.outcome === 'done' ? 'finished' : ending.outcome;
  const ms = clock.monotonic() - started;
  events.runFinished({ pipeline, run: String(run.id), outcome, summary: ending.summary, ms });
}

function runEndingOf(report: RunReport, stopped: boolean): RunEnding {
  const counts: Record<string, number> = { admitted: report.admitted, ...report.counts };
  const summary = runSummary(report, counts);
  return { outcome: stopped ? 'stopped' : 'done', summary, counts: { ...counts, ...report.numbers } };
}

function runSummary(report: RunReport, counts: Readonly<Record<string, number>>): string {
  const nonZero = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${what}`);
  const hasPolled = report.sourcesRead + report.sourcesFailed > 0 || report.notes.length === 0;
  const news = nonZero.join(', ') || (hasPolled ? 'nothing new' : '');
  const notRead = report.failedSources.map(failedSourceLine);
  return [news, ...report.notes, ...notRead, ...report.troubles].filter((words) => words !== '').join('; ');
}
