import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { endsTooLate, isFuture } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { keepLeaseRenewed } from './lease.ts';
import { runLoop, sleepFor, stopsProgram } from './loop.ts';
import type { RunProgress, RunReport } from './run-report.ts';
import type { ActiveRun, RunEnding, RunLease, RunRecord, RunStore } from './run-store.ts';
import { dueAt, nextStart, type Schedule } from './schedule.ts';

const RUN_LEASE_MS = MINUTE;
const RENEW_INTERVAL_MS = 20 * SECOND;

export interface RunnerDependencies {
  readonly pipeline: string;
  /** `null`: runs by hand only. */
  readonly schedule: Schedule | null;
  readonly runs: RunStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Since when this process keeps the schedule; the call where absent. */
  readonly since?: number;
  /** Token of the scheduler's lease, while this copy is the scheduler. */
  readonly fence?: number;
  /** The right to run is ours. */
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
  | { readonly ran: false; readonly why: 'another run is under way' };

/** The lease of a run expired before it was renewed. Its work is made good by the next run. */
export class RunLeaseLostError extends Error {
  override readonly name = 'RunLeaseLostError';
  constructor() {
    super('the run lost its lease; another run completes its work');
  }
}

/** One run, unless another run of the same pipeline is alive, here or in another copy. */
export async function runOnce(
  deps: RunnerDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunResult> {
  const { runs, pipeline, owner, fence = null } = deps;
  const begin = async () => {
    const until = deps.clock.now() + RUN_LEASE_MS;
    const ticket = await runs.begin(pipeline, owner, RUN_LEASE_MS, fence);
    return ticket && { ticket, until };
  };
  const begun = (await begin()) ?? ((await waitForStalledLease(deps, signal)) ? await begin() : null);
  if (begun === null) return { ran: false, why: 'another run is under way' };
  return inSpan('run', { pipeline }, () => executeRun(begun.ticket, begun.until, deps, signal, watch));
}

/** Waits while a run whose lease a clock that was ahead gave an end far away may live: one that lives renews it. */
async function waitForStalledLease(
  { runs, pipeline, clock }: RunnerDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const until = await runs.leasedUntil(pipeline);
  return endsTooLate(until, RUN_LEASE_MS, clock.now()) && sleepFor(clock, RUN_LEASE_MS + SECOND, signal);
}

async function executeRun(
  ticket: ActiveRun,
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
    run: String(ticket.id),
    trigger: watch === undefined ? 'schedule' : 'person',
  });
  const stop = new AbortController();
  const renew = async (): Promise<boolean> => {
    const asked = deps.clock.now();
    const renewed = await runs.renew(ticket, RUN_LEASE_MS);
    if (renewed) until = asked + RUN_LEASE_MS;
    return renewed;
  };
  const keeping = keepRunLease(renew, deps, stop);
  try {
    const leaveUndone = (): void => {
      isIncomplete = true;
    };
    await deps.onBegin?.();
    const lease = { until: () => until, leaveUndone };
    const report = await deps.work(AbortSignal.any([signal, stop.signal]), watch, { lease });
    stop.signal.throwIfAborted();
    if (isIncomplete) throw new RunLeaseLostError();
    await finishRun(ticket, runEndingOf(report, signal.aborted), started, deps);
    return { ran: true, report };
  } catch (error) {
    const stopped = signal.aborted || error instanceof RunLeaseLostError;
    const summary = signal.aborted ? 'stopped' : errorMessage(error);
    await failRun(ticket, { outcome: stopped ? 'stopped' : 'failed', summary, counts: {} }, started, deps);
    throw error;
  } finally {
    stop.abort(new Error('the run is over'));
    await keeping;
    until = Number.POSITIVE_INFINITY;
  }
}

/**
 * Runs on schedule until the signal. A run that fails is told by its event and waits for its next turn; a store that is away
 * is asked again. Only an error that stops the program (A16) ends the loop. `running` stops a run under way, where that is
 * another signal: a scheduler that lost its lease starts nothing more, and ends what it began.
 */
export async function runOnSchedule(
  deps: RunnerDependencies,
  signal: AbortSignal,
  running: AbortSignal = signal,
): Promise<void> {
  const { schedule, pipeline, clock, events } = deps;
  if (schedule === null) return;
  const turn = () => runWhenDue(schedule, deps, signal, running);
  await runLoop(turn, { pipeline, loop: 'schedule', clock, events }, signal);
}

async function runWhenDue(
  schedule: Schedule,
  deps: RunnerDependencies,
  signal: AbortSignal,
  running: AbortSignal,
): Promise<'again' | 'over'> {
  const { clock, runs, pipeline } = deps;
  const last = await runs.last(pipeline);
  // A first start may have come while this process was not the scheduler.
  const begun = last === null ? deps.since : undefined;
  // The clock may be set at any time, so the next start is worked out again and again.
  for (let since = begun ?? clock.now(); ; ) {
    const now = clock.now();
    // Set back some time during the last sleep: a start in that minute is not to be missed.
    if (now < since) since = now - MINUTE;
    const due = nextDueAt(schedule, last, since, now);
    if (due === null) return 'over';
    if (due <= now) break;
    if (!(await sleepFor(clock, Math.min(due - now, MINUTE), signal))) return 'over';
  }
  if (signal.aborted) return 'over';
  try {
    const result = await runOnce(deps, running);
    if (!result.ran && !(await sleepFor(clock, RENEW_INTERVAL_MS, signal))) return 'over';
  } catch (error) {
    if (stopsProgram(error)) throw error;
    // Its event has told it; a failing pipeline waits for its next turn, and never less than a breath.
    if (!(await sleepFor(clock, SECOND, signal))) return 'over';
  }
  return 'again';
}

/**
 * A run that a scheduler began and that was cut short, by its death, by a stop or by the loss of its lease, is made good at once. `since` is when the
 * wait began, for a schedule that was never kept or only by a clock that was ahead.
 */
function nextDueAt(schedule: Schedule, last: RunRecord | null, since: number, now: number): number | null {
  if (last?.scheduled === true && (last.outcome === 'running' || last.outcome === 'stopped')) return now;
  const started = last === null || isFuture(last.startedAt, now) ? null : last.startedAt;
  if (started === null && schedule.kind === 'cron') return nextStart(schedule, since);
  return dueAt(schedule, started, now);
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
    onFailure: (trouble) => events.loopFailed({ pipeline, loop: 'run lease', ...trouble }),
  });
  if (lost !== null) stop.abort(lost.why ?? new RunLeaseLostError());
}

async function finishRun(
  ticket: ActiveRun,
  ending: RunEnding,
  started: number,
  deps: RunnerDependencies,
): Promise<void> {
  await deps.runs.end(ticket, ending);
  reportEnd(ticket, ending, started, deps);
}

/** The failure counts, also where the store takes no ending: then the ticket runs out by itself. */
async function failRun(
  ticket: ActiveRun,
  ending: RunEnding,
  started: number,
  deps: RunnerDependencies,
): Promise<void> {
  try {
    await finishRun(ticket, ending, started, deps);
  } catch (error) {
    const summary = `${ending.summary}; this could not be written down: ${errorMessage(error)}`;
    reportEnd(ticket, { ...ending, summary }, started, deps);
  }
}

function reportEnd(ticket: ActiveRun, ending: RunEnding, started: number, deps: RunnerDependencies): void {
  const { events, clock, pipeline } = deps;
  const outcome = ending.outcome === 'done' ? 'finished' : ending.outcome;
  const ms = clock.monotonic() - started;
  events.runFinished({ pipeline, run: String(ticket.id), outcome, summary: ending.summary, ms });
}

function runEndingOf(report: RunReport, stopped: boolean): RunEnding {
  const counts: Record<string, number> = { admitted: report.admitted, ...report.counts };
  const summary = runSummary(report, counts);
  return { outcome: stopped ? 'stopped' : 'done', summary, counts: { ...counts, ...report.numbers } };
}

function runSummary(report: RunReport, counts: Readonly<Record<string, number>>): string {
  const said = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${what}`);
  const looked = report.sourcesRead + report.sourcesFailed > 0 || report.notes.length === 0;
  const news = said.join(', ') || (looked ? 'nothing new' : '');
  return [news, ...report.notes, ...report.troubles].filter((words) => words !== '').join('; ');
}
