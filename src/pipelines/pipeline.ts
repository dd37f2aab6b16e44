import type { ItemKey, Sighting } from '../item/item.ts';
import type { Intervention, ItemStore, SweepReport } from '../ledger/ledger.ts';
import type { MessageStore } from '../outbox/outbox.ts';
import { type RunProgress, RunRecorder, type RunReport, type Unfinished } from '../scheduler/run-report.ts';
import type { RunLease } from '../scheduler/run-store.ts';
import type { RunResult } from '../scheduler/scheduler.ts';
import type { Poller, ReadyOptions } from '../sources/poller.ts';
import type { Clock, CorrectedTimes } from '../time/clock.ts';
import type { MessageDecision } from './decide-message.ts';
import type { PipelineSettings } from './pipeline-settings.ts';

/** A pipeline as the command line and the web page use it. */
export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly kind: 'curate' | 'summarise' | 'process';
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
  /** IDs of its present sources, and of its destinations. */
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
  /** The author of its drops; `null` where it posts to no timeline. */
  readonly userId: string | null;

  run(signal: AbortSignal, watch?: (progress: RunProgress) => void, options?: RunOptions): Promise<RunResult>;
  /** What a run would do now; writes and sends nothing. */
  preview(signal: AbortSignal, watch?: (progress: RunProgress) => void): Promise<Preview>;
  /** Starts runs on schedule until the signal. */
  runOnSchedule(term: LeaderTerm): Promise<void>;
  /** Dispatches due messages and processes what its queue delivers, until the signal. */
  runBackgroundWork(signal: AbortSignal): Promise<void>;
  /** Items that are deferred, parked or failed. */
  unfinished(limit: number): Promise<Unfinished>;
  /** `null` if it is paused, or its schedule has no next start. */
  nextRunAt(): Promise<number | null>;
  /** Schedule, minimum score and pause, as they are in force now. */
  currentSettings(): Promise<PipelineSettings>;
  /** Corrects retry times and leases recorded while the clock was ahead. */
  correctFutureTimes(): Promise<CorrectedTimes>;
  /** Call it when a source shows known items again: edits after publication are applied at the destinations too (X19). */
  seenAgain(sightings: readonly Sighting[]): Promise<void>;
  /** Sends and edits what is due now, without reading or judging anything new. */
  dispatch(signal?: AbortSignal): Promise<void>;
  /** Applies a person's decision to a parked or refused message and its items; false if it is neither. */
  decideMessage(key: string, decision: MessageDecision, who: string): Promise<boolean>;
  /** Retries an item for a person. One that has messages is not evaluated again. */
  retryItem(key: ItemKey, who: string): Promise<Intervention>;
  sweep(options: SweepOptions): Promise<SweepReport>;
}

/** The period in which this replica is the leader. */
export interface LeaderTerm {
  /** Aborted at its end: no run is started afterwards. */
  readonly signal: AbortSignal;
  /** Stops a running run; default `signal`. */
  readonly runSignal?: AbortSignal;
  /** Fencing token of the scheduler's lease. */
  readonly fence?: number;
}

export interface SweepOptions {
  readonly dryRun: boolean;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface Preview {
  readonly report: RunReport;
  /** The messages as they would be sent. */
  readonly messages: readonly { readonly destination: string; readonly body: string }[];
}

/** What `beginRun` needs. */
export interface RunDependencies {
  readonly pipeline: string;
  readonly clock: Clock;
  readonly ledger: ItemStore;
  readonly poller: Pick<Poller, 'readyFor'>;
  /** IDs of the pipeline's sources, as they are when the run begins. */
  readonly sources: Iterable<string>;
}

/** `fresh` polls the run's sources first, including those that are not due. */
export interface RunOptions extends ReadyOptions {
  /** The lease of the run; nothing is stored once it has expired. */
  readonly lease?: RunLease;
}

/** How many unusable records the report names; `doctor` lists all. */
const MAX_NAMED = 5;

/** Waits for sources that are due or being polled, and opens the report. */
export async function beginRun(
  { pipeline, clock, ledger, poller, sources }: RunDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options: RunOptions = {},
): Promise<RunRecorder> {
  const run = new RunRecorder(pipeline, clock.now(), false, watch);
  const ready = await poller.readyFor(pipeline, sources, signal, options);
  const { read, admitted, failures = [] } = ready;
  run.sources(read, failures, admitted);
  for (const { name, problem } of await ledger.unusable(MAX_NAMED))
    run.note(`Cannot use ${name}: ${problem}. Correct it, or delete it.`);
  return run;
}
