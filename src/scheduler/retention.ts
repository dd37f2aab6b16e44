import type { Config } from '../config/config.ts';
import type { JudgeSweepResult, Judges } from '../judge/judge.ts';
import type { SweepReport } from '../ledger/ledger.ts';
import type { LeaderTerm, Pipeline } from '../pipelines/pipeline.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import { maintenanceReport, type RunReport } from './run-report.ts';
import type { RunStore } from './run-store.ts';
import { type RunnerDependencies, runOnce, runOnSchedule } from './scheduler.ts';

/** What its runs are called in the record of runs; no pipeline may have this name. */
export const RETENTION_RUN = 'retention';
/** Only today's calls count against a limit; a week of them is kept for whoever wonders. */
const JUDGE_CALL_RETENTION_MS = 7 * DAY;

export interface RetentionDependencies {
  readonly config: Config;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly judges: Judges;
  readonly runs: RunStore;
  readonly clock: Clock;
  readonly events: Events;
  readonly owner: string;
}

export interface SweepRequest {
  /** Only this one; then the judges keep all they know. */
  readonly pipeline?: string;
  /** Counts and removes nothing. */
  readonly dryRun: boolean;
  readonly onProgress?: (pipeline: string, done: number) => void;
}

export interface SweepResult {
  readonly pipelines: readonly ({ readonly pipeline: string } & SweepReport)[];
  /** `null` where the judges were not asked to forget. */
  readonly judges: JudgeSweepResult | null;
}

/** Ends what is older than its keep time (A14, X20): items, and what judges remember of calls and verdicts. */
export interface Retention {
  /** Now. `null` while another sweep is under way, here or in another copy. */
  sweep(ask: SweepRequest, signal: AbortSignal): Promise<SweepResult | null>;
  /** When the configuration says, until the scheduler's turn is over. */
  runOnSchedule(turn: LeaderTerm): Promise<void>;
}

export function createRetention(deps: RetentionDependencies): Retention {
  const { config, runs, clock, events, owner } = deps;
  const { enabled, schedule: expression, timeZone } = config.retention;
  const runner = (work: RunnerDependencies['work']): RunnerDependencies => ({
    pipeline: RETENTION_RUN,
    schedule: enabled ? { kind: 'cron', expression, timeZone } : null,
    runs,
    clock,
    owner,
    events,
    work,
  });
  return {
    async sweep(ask, signal) {
      if (ask.dryRun) return sweepAll(deps, ask, signal);
      let swept: SweepResult | null = null;
      const work = async (stop: AbortSignal): Promise<RunReport> => {
        const startedAt = clock.now();
        swept = await sweepAll(deps, ask, stop);
        return reportOf(swept, startedAt, clock.now());
      };
      await runOnce(runner(work), signal, () => {});
      return swept;
    },
    async runOnSchedule({ signal, runSignal: running = signal, fence }) {
      const work = async (stop: AbortSignal): Promise<RunReport> => {
        const startedAt = clock.now();
        return reportOf(await sweepAll(deps, { dryRun: false }, stop), startedAt, clock.now());
      };
      await runOnSchedule({ ...runner(work), ...(fence !== undefined && { fence }) }, signal, running);
    },
  };
}

/** One pipeline that cannot be swept does not keep the others from it; in the end the sweep has failed all the same. */
async function sweepAll(
  deps: RetentionDependencies,
  ask: SweepRequest,
  signal: AbortSignal,
): Promise<SweepResult> {
  const reports: ({ pipeline: string } & SweepReport)[] = [];
  const failures: unknown[] = [];
  for (const [id, pipeline] of deps.pipelines) {
    if (signal.aborted) break;
    if (ask.pipeline !== undefined && ask.pipeline !== id) continue;
    try {
      const report = await pipeline.sweep({
        dryRun: ask.dryRun,
        onProgress: (done) => ask.onProgress?.(id, done),
        signal,
      });
      reports.push({ pipeline: id, ...report });
    } catch (error) {
      failures.push(error);
    }
  }
  const forgetting = !ask.dryRun && ask.pipeline === undefined && !signal.aborted;
  const judges = forgetting
    ? await deps.judges.sweep({ calls: JUDGE_CALL_RETENTION_MS, verdicts: verdictRetentionMs(deps.config) })
    : null;
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
  return { pipelines: reports, judges };
}

/** A verdict is of use for as long as its article may come back before the judge. */
function verdictRetentionMs({ retention }: Config): number {
  return Math.max(retention.notified ?? retention.tombstones, retention.rejected ?? retention.tombstones);
}

function reportOf({ pipelines, judges }: SweepResult, startedAt: number, endedAt: number): RunReport {
  const items = pipelines.flatMap(({ pipeline, swept }) =>
    Object.entries(swept)
      .filter(([, n]) => n > 0)
      .map(([state, n]) => `${n} ${state} of ${pipeline}`),
  );
  const known = judges !== null && judges.verdicts > 0 ? [`${judges.verdicts} verdicts`] : [];
  const notes = [...items, ...known];
  return maintenanceReport({
    pipeline: RETENTION_RUN,
    startedAt,
    endedAt,
    notes: notes.length === 0 ? ['nothing was old enough to go'] : [`removed ${notes.join(', ')}`],
  });
}
