import { chunked } from '../item/chunked.ts';

/** What a run of the worker did. */
export interface Tally {
  added: number;
  refreshed: number;
  removed: number;
  /** IDs that the next run asks for again. */
  waiting: number;
  failed: number;
  /** What went wrong, in words; the rest of the run is not touched by it. */
  trouble: string | null;
}

/** How far long work is. */
export interface WorkProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Works through a list batch by batch, and says how far it is. Stops between two batches. */
export async function inBatches<T>(
  all: readonly T[],
  size: number,
  stage: string,
  { signal, watch }: { readonly signal: AbortSignal; readonly watch: (progress: WorkProgress) => void },
  work: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  let done = 0;
  for (const batch of chunked(all, size)) {
    signal.throwIfAborted();
    await work(batch);
    done += batch.length;
    watch({ stage, done, total: all.length });
  }
}
