import type { LedgerCounts } from './ledger.ts';

/** How many items stood where, hour by hour: what the charts are drawn from. Shared by all copies. */
export interface CountsLog extends AsyncDisposable {
  /** The counts of the hour in which `at` lies; a later call in the same hour replaces them. */
  put(pipeline: string, at: number, counts: CountsOfHour): Promise<void>;
  /** Oldest first, from the hour of `from` on, up to and with `to`. */
  read(pipeline: string, from: number, to: number): Promise<readonly CountsEntry[]>;
  /** Forgets what is older. */
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
