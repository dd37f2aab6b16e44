import type { ItemStore } from '../ledger/ledger.ts';
import { type RunProgress, RunRecorder } from '../scheduler/run-report.ts';
import type { RunLease } from '../scheduler/run-store.ts';
import type { Poller, ReadyOptions } from '../sources/poller.ts';
import type { Clock } from '../time/clock.ts';

/** What every run begins with. */
export interface RunParts {
  readonly pipeline: string;
  readonly clock: Clock;
  readonly ledger: ItemStore;
  readonly poller: Pick<Poller, 'readyFor'>;
  /** IDs of the pipeline's sources. */
  readonly sources: readonly string[];
}

/** `fresh` reads the run's sources first, also those that are not due. */
export interface RunOptions extends ReadyOptions {
  /** Under which the run works; nothing is stored once it has expired. */
  readonly lease?: RunLease;
}

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
