import type { Ledger } from '../ledger/ledger.ts';
import type { Poller, ReadyOptions } from '../sources/poller.ts';
import type { Clock } from '../time/clock.ts';
import { type RunProgress, RunRecorder } from './run-report.ts';

/** What every run begins with. */
export interface RunParts {
  readonly pipeline: string;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly poller: Pick<Poller, 'readyFor'>;
  /** IDs of the pipeline's sources. */
  readonly sources: readonly string[];
}

/** What a person may ask of a run; `fresh` reads its sources first, also those that are not due. */
export type RunOptions = ReadyOptions;

/** So many records that cannot be used are named; the rest is `doctor`'s. */
const MAX_NAMED = 5;

/** Waits for sources that are due or being read, and opens the report. */
export async function beginRun(
  { pipeline, clock, ledger, poller, sources }: RunParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options: RunOptions = {},
): Promise<RunRecorder> {
  const run = new RunRecorder(pipeline, clock.now(), false, watch);
  const ready = await poller.readyFor(pipeline, sources, signal, options);
  const { read, failed, admitted, troubles = [] } = ready;
  run.sources(read, failed, admitted);
  for (const { name, problem } of await ledger.unusable(MAX_NAMED))
    run.note(`Cannot use ${name}: ${problem}. Correct it, or delete it.`);
  for (const trouble of troubles) run.note(trouble);
  return run;
}
