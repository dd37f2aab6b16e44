import { MINUTE } from './duration.ts';

/**
 * Time as the program sees it. Everything that waits or stamps takes a clock, so that a test can move time by hand
 * and a soak run can jump it.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump: use it for stamps, never for measuring. */
  now(): number;
  /** Milliseconds that only ever grow. For measuring and for time-outs. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node clamps longer timers to 1 ms, so a longer sleep is taken in pieces. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    for (let left = Math.max(0, ms); ; left -= MAX_TIMER_MS) {
      await sleepOnce(Math.min(left, MAX_TIMER_MS), signal);
      if (left <= MAX_TIMER_MS) return;
    }
  },
};

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted) {
    reject(signal.reason);
    return promise;
  }
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', stop);
    resolve();
  }, ms);
  signal?.addEventListener('abort', stop, { once: true });
  return promise;
}

/** Clocks of one machine and of replicas that are synchronised differ by less than this. */
export const CLOCK_TOLERANCE = 2 * MINUTE;

/**
 * Whether a moment at which something happened lies in the future: the clock was ahead when it was recorded. Such a time says
 * nothing, and must not hold anything up.
 */
export function isFuture(happenedAt: number, now: number): boolean {
  return happenedAt > now + CLOCK_TOLERANCE;
}

/** Tells of a lease whether it is over, also where a clock that was ahead gave it an end that is far away. */
export interface LeaseWatch {
  isOver(name: string, until: number, leaseMs: number): boolean;
}

/** What was corrected. `watched` leases end later than any lease can, and whether their holders live is not known yet. */
export interface CorrectedTimes {
  readonly corrected: number;
  readonly watched: number;
}

/** Whether a lease ends later than one that is taken now: its holder's clock was ahead. */
export function endsTooLate(until: number, leaseMs: number, now: number): boolean {
  return until > now + leaseMs + CLOCK_TOLERANCE;
}
