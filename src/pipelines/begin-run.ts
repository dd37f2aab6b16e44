import type { ItemStore } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';
import { type RunProgress, RunRecorder } from './run-report.ts';

/** What every run begins with. */
export interface RunParts {
  readonly pipeline: string;
  readonly clock: Clock;
  readonly ledger: ItemStore;
  /** Reads the pipeline's sources now and admits what is new. */
  readonly readSources: (signal: AbortSignal) => Promise<SourcesRead>;
}

export interface SourcesRead {
  readonly read: number;
  readonly failed: number;
  readonly admitted: number;
  /** Which sources failed, and why. */
  readonly troubles?: readonly string[];
}

/** So many records that cannot be used are named; the rest is `doctor`'s. */
const MAX_NAMED = 5;

/** Takes up what is new and opens the report. */
export async function beginRun(
  { pipeline, clock, ledger, readSources }: RunParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunRecorder> {
  const run = new RunRecorder(pipeline, clock.now(), false, watch);
  const { read, failed, admitted, troubles = [] } = await readSources(signal);
  run.sources(read, failed, admitted);
  for (const { name, problem } of await ledger.unusable(MAX_NAMED))
    run.note(`Cannot use ${name}: ${problem}. Correct it, or delete it.`);
  for (const trouble of troubles) run.note(trouble);
  return run;
}
