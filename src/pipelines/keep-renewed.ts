import type { Clock } from '../time/clock.ts';
import { formatDuration } from '../time/duration.ts';
import { stopsProgram } from './ending-errors.ts';
import { slept } from './slept.ts';

export interface KeepRenewed {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Called at every turn, whether it went well or not. */
  readonly onTurn?: () => void;
  /** The store could not be asked, and is asked again. */
  readonly onTrouble?: (trouble: RenewalTrouble) => void;
}

export interface RenewalTrouble {
  /** In a row, this one included. */
  readonly failures: number;
  readonly waitMs: number;
  readonly detail: string;
  readonly error: unknown;
}

/** `why` is the store's own error, where that was the reason; otherwise another has it. */
export interface Lost {
  readonly why: unknown;
}

/**
 * Renews a lease until the signal (`null`) or until it is lost. While the store cannot be asked it tries on, sooner than
 * otherwise, and so it does while the store gives no answer: a store that retries by itself may wait longer than the lease
 * lasts. Past the lease's end by its own measure it counts as lost, since by then another may have it, and so it does after an
 * error that stops the program (A16). It never fails itself, so it may run beside what it serves.
 */
export async function keepRenewed(
  renew: () => Promise<boolean>,
  { clock, leaseMs, everyMs, signal, onTurn, onTrouble }: KeepRenewed,
): Promise<Lost | null> {
  let renewedAt = clock.monotonic();
  let waitMs = everyMs;
  const renewOnce = async (): Promise<boolean> => {
    const asked = clock.monotonic();
    const isOurs = await renew();
    // Also where the answer came late.
    if (isOurs) renewedAt = Math.max(renewedAt, asked);
    return isOurs;
  };
  for (let failures = 0; await slept(clock, waitMs, signal); ) {
    try {
      if (!(await withinTime(renewOnce(), everyMs / 2, clock, signal)))
        return signal.aborted ? null : { why: null };
      failures = 0;
      waitMs = everyMs;
    } catch (error) {
      if (signal.aborted) return null;
      if (stopsProgram(error) || clock.monotonic() - renewedAt >= leaseMs) return { why: error };
      failures += 1;
      waitMs = everyMs / 4;
      onTrouble?.({
        failures,
        waitMs,
        detail: error instanceof Error ? error.message : String(error),
        error,
      });
    }
    onTurn?.();
  }
  return null;
}

/** Rejects where there is no answer in time, or at the signal; what the answer is afterwards does not matter. */
async function withinTime<T>(
  answer: Promise<T>,
  limitMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  const over = new AbortController();
  answer.catch(() => {});
  const limit = clock.sleep(limitMs, AbortSignal.any([signal, over.signal])).then(() => {
    throw new Error(`no answer within ${formatDuration(limitMs)}`);
  });
  limit.catch(() => {});
  try {
    return await Promise.race([answer, limit]);
  } finally {
    over.abort();
  }
}
