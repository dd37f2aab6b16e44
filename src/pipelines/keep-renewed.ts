import { errorMessage } from '../telemetry/errors.ts';
import type { Clock } from '../time/clock.ts';
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

/** So many renewals may be without an answer before the next one waits for them. */
const MAX_PENDING = 3;

/**
 * Renews a lease until the signal (`null`) or until it is lost. While the store cannot be asked it tries on, sooner than
 * otherwise, and so it does while the store gives no answer: a store that retries by itself may wait longer than the lease
 * lasts. Where the store fails past the lease's end by its own measure, the lease counts as lost, since by then another may
 * have it, and so it does after an error that stops the program (A16). It never fails itself, so it may run beside what it
 * serves.
 */
export async function keepRenewed(
  renew: () => Promise<boolean>,
  { clock, leaseMs, everyMs, signal, onTurn, onTrouble }: KeepRenewed,
): Promise<Lost | null> {
  let renewedAt = clock.monotonic();
  let pending = 0;
  const renewOnce = async (): Promise<boolean> => {
    const asked = clock.monotonic();
    pending += 1;
    try {
      const isOurs = await renew();
      // Also where the answer came late.
      if (isOurs) renewedAt = Math.max(renewedAt, asked);
      return isOurs;
    } finally {
      pending -= 1;
    }
  };
  let waitMs = everyMs;
  for (let failures = 0; await slept(clock, waitMs, signal); onTurn?.()) {
    let trouble: unknown;
    try {
      const isOurs =
        pending < MAX_PENDING ? await answerWithin(everyMs / 2, renewOnce(), clock, signal) : null;
      if (signal.aborted) return null;
      if (isOurs === false) return { why: null };
      trouble = isOurs ? null : new Error('the store gives no answer');
    } catch (error) {
      if (stopsProgram(error) || clock.monotonic() - renewedAt >= leaseMs) return { why: error };
      trouble = error;
    }
    failures = trouble === null ? 0 : failures + 1;
    waitMs = trouble === null ? everyMs : everyMs / 4;
    if (trouble === null) continue;
    const detail = errorMessage(trouble);
    onTrouble?.({ failures, waitMs, detail, error: trouble });
  }
  return null;
}

/** `null` where there is no answer in time, or the signal came first; what the answer is afterwards does not matter. */
async function answerWithin<T>(
  limitMs: number,
  answer: Promise<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T | null> {
  const over = new AbortController();
  answer.catch(() => {});
  const limit = clock.sleep(limitMs, AbortSignal.any([signal, over.signal])).catch(() => {});
  try {
    return await Promise.race([answer, limit.then(() => null)]);
  } finally {
    over.abort();
  }
}
