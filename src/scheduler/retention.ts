import type { Config } from '../config/config.ts';
import type { JudgeSweepResult, Judges } from '../judge/judge.ts';
import type { SweepReport } from '../ledger/ledger.ts';
import type { LeaderTerm, Pipeline } from '../pipelines/pipeline.ts';
import type { EntryStore, EntrySweep } from '../reader/entry-store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import { type LiveEntryRetention, RETENTION_RUN } from './retention-settings.ts';
import { maintenanceReport, type RunReport } from './run-report.ts';
import type { RunStore } from './run-store.ts';
import { type RunnerDependencies, runOnce, runOnSchedule } from './scheduler.ts';

/** Only today's calls count against a budget; a week of them is kept for diagnosis. */
const JUDGE_CALL_RETENTION_MS = 7 * DAY;

export interface RetentionDependencies {
  readonly config: Config;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly judges: Judges;
  readonly entries: Pick<EntryStore, 'sweep'>;
  readonly entryRetention: Pick<LiveEntryRetention, 'effective'>;
  readonly runs: RunStore;
  readonly clock: Clock;
  readonly events: Events;
  readonly owner: string;
}

export interface SweepRequest {
  /** Sweep only this pipeline, and nothing of the judges and the reader. */
  readonly pipeline?: string;
  /** Count only; remove nothing. */
  readonly dryRun: boolean;
  readonly onProgress?: (pipeline: string, done: number) => void;
}

export interface SweepResult {
  readonly pipelines: readonly ({ readonly pipeline: string } & SweepReport)[];
  /** `null` if the judges were not swept. */
  readonly judges: JudgeSweepResult | null;
  /** `null` if the reader was not swept. */
  readonly reader: EntrySweep | null;
}

/** Removes what is older than its retention time (A14, X20, R15): items, the judges' records of calls and verdicts, and the reader's entries. */
export interface Retention {
  /** Sweeps now. `null` while another sweep is in progress, in this or another replica. */
  sweep(request: SweepRequest, signal: AbortSignal): Promise<SweepResult | null>;
  /** Sweeps on the configured schedule, until the leader's term ends. */
  runOnSchedule(term: LeaderTerm): Promise<void>;
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
    async sweep(request, signal) {
      if (request.dryRun) return sweepAll(deps, request, signal);
      let swept: SweepResult | null = null;
      const work = async (stop: AbortSignal): Promise<RunReport> => {
        const startedAt = clock.now();
        swept = await sweepAll(deps, request, stop);
        return reportOf(swept, startedAt, clock.now());
      };
      await runOnce(runner(work), signal, () => {});
      return swept;
    },
    async runOnSchedule({ signal, runSignal = signal, fence }) {
      const work = async (stop: AbortSignal): Promise<RunReport> => {
        const startedAt = clock.now();
        return reportOf(await sweepAll(deps, { dryRun: false }, stop), startedAt, clock.now());
      };
      await runOnSchedule({ ...runner(work), ...(fence !== undefined && { fence }) }, signal, runSignal);
    },
  };
}

/** A pipeline that fails does not stop the sweep of the others; its error is thrown at the end. */
async function sweepAll(
  deps: RetentionDependencies,
  request: SweepRequest,
  signal: AbortSignal,
): Promise<SweepResult> {
  const reports: ({ pipeline: string } & SweepReport)[] = [];
  const failures: unknown[] = [];
  for (const [id, pipeline] of deps.pipelines) {
    if (signal.aborted) break;
    if (request.pipeline !== undefined && request.pipeline !== id) continue;
    try {
      const report = await pipeline.sweep({
        dryRun: request.dryRun,
        onProgress: (done) => request.onProgress?.(id, done),
        signal,
      });
      reports.push({ pipeline: id, ...report });
    } catch (error) {
      failures.push(error);
    }
  }
  const sweepRest = !request.dryRun && request.pipeline === undefined && !signal.aborted;
  const reader = sweepRest
    ? await sweepReader(deps, signal).catch((error: unknown) => void failures.push(error))
    : null;
  const judges = sweepRest
    ? await deps.judges.sweep({ calls: JUDGE_CALL_RETENTION_MS, verdicts: verdictRetentionMs(deps.config) })
    : null;
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
  return { pipelines: reports, judges, reader: reader ?? null };
}

async function sweepReader(
  { entries, entryRetention, clock }: RetentionDependencies,
  signal: AbortSignal,
): Promise<EntrySweep> {
  return entries.sweep(await entryRetention.effective(), clock.now(), signal);
}

/** A verdict is useful as long as its article may be evaluated again. */
function verdictRetentionMs({ retention }: Config): number {
  return Math.max(retention.notified ?? retention.tombstones, retention.rejected ?? retention.tombstones);
}

function reportOf({ pipelines, judges, reader }: SweepResult, startedAt: number, endedAt: number): RunReport {
  const items = pipelines.flatMap(({ pipeline, swept }) =>
    Object.entries(swept)
      .filter(([, n]) => n > 0)
      .map(([state, n]) => `${n} ${state} of ${pipeline}`),
  );
  const known = judges !== null && judges.verdicts > 0 ? [`${judges.verdicts} verdicts`] : [];
  const read = Object.entries(reader ?? {})
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${what} of the reader`);
  const notes = [...items, ...known, ...read];
  return maintenanceReport({
    pipeline: RETENTION_RUN,
    startedAt,
    endedAt,
    notes: notes.length === 0 ? ['nothing to remove'] : [`removed ${notes.join(', ')}`],
  });
}
