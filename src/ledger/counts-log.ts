import type { LedgerCounts } from './ledger.ts';

/** Hourly item counts by state, for the charts. Shared by all replicas. */
export interface CountsLog extends AsyncDisposable {
  /** Stores the counts of the hour that contains `at`; a later call in the same hour replaces them. */
  put(pipeline: string, at: number, counts: CountsOfHour): Promise<void>;
  /** Oldest first, from the hour of `from` up to and including `to`. */
  read(pipeline: string, from: number, to: number): Promise<readonly CountsEntry[]>;
  /** Deletes older counts. */
  sweep(before: number): Promise<void>;
}

export type CountsOfHour = Pick<LedgerCounts, 'byState' | 'byReason'>;

export interface CountsEntry extends CountsOfHour {
  /** The start of the hour. */
  readonly at: number;
}

const HOUR = 3_600_000;

export function hourOf(at: number): number {
  return Math.floor(at / HOUR) * HOUR;
}
