import type { ItemKey, Sighting } from '../item/item.ts';
import type { Intervention, ItemStore, SweepReport } from '../ledger/ledger.ts';
import type { MessageStore } from '../outbox/outbox.ts';
import { type RunProgress, RunRecorder, type RunReport, type Unfinished } from '../scheduler/run-report.ts';
import type { RunLease } from '../scheduler/run-store.ts';
import type { RunResult } from '../scheduler/scheduler.ts';
import type { Poller, ReadyOptions } from '../sources/poller.ts';
import type { Clock, CorrectedTimes } from '../time/clock.ts';
import type { MessageDecision } from './decide-message.ts';

/** One pipeline, ready to run; what the command line and the page see of it. */
export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly kind: 'curate' | 'summarise' | 'process';
  readonly ledger: ItemStore;
  readonly outbox: MessageStore;
  /** IDs of what it reads and where it speaks. */
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
  /** The author of its drops; `null` where it posts to no timeline. */
  readonly userId: string | null;
  /** As configured, for people; `null` where it runs only by hand. */
  readonly scheduleText: string | null;

  run(signal: AbortSignal, watch?: (progress: RunProgress) => void, options?: RunOptions): Promise<RunResult>;
  /** What a run would do now: nothing is written and nothing is sent. */
  preview(signal: AbortSignal, watch?: (progress: RunProgress) => void): Promise<Preview>;
  /** Starts runs on schedule until the signal. */
  runOnSchedule(turn: LeaderTerm): Promise<void>;
  /** Sees its messages through and works on what its queue delivers, until the signal. */
  runBackgroundWork(signal: AbortSignal): Promise<void>;
  /** How items stand that did not work out so far. */
  unfinished(limit: number): Promise<Unfinished>;
  nextRunAt(): Promise<number | null>;
  /** Corrects retry times and leases that a clock which was ahead recorded. */
  correctFutureTimes(): Promise<CorrectedTimes>;
  /** A source showed these again: what was edited since it was published is edited at its destinations too (X19). */
  seenAgain(sightings: readonly Sighting[]): Promise<void>;
  /** Sends and edits what is due now, without reading or judging anything new. */
  dispatch(signal?: AbortSignal): Promise<void>;
  /** A person's decision on a message that is parked or was refused, and on its items with it; false where it is neither. */
  decideMessage(key: string, decision: MessageDecision, who: string): Promise<boolean>;
  /** Brings an item back for a person. One that has messages is not judged again. */
  retryItem(key: ItemKey, who: string): Promise<Intervention>;
  sweep(options: SweepOptions): Promise<SweepReport>;
}

/** The time for which this copy is the scheduler. */
export interface LeaderTerm {
  /** Comes when it is over: nothing more is started. */
  readonly signal: AbortSignal;
  /** Stops a run that is under way; `signal` where absent. */
  readonly runSignal?: AbortSignal;
  /** Token of the scheduler's lease. */
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

/** What every run begins with. */
export interface RunDependencies {
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
  { pipeline, clock, ledger, poller, sources }: RunDependencies,
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
