import { MINUTE } from './duration.ts';

/**
 * Source of time. Everything that waits or takes timestamps gets a clock, so that tests and soak runs can move time.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump: use it for timestamps, never for measuring. */
  now(): number;
  /** Milliseconds that never decrease. For measuring and for timeouts. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node clamps longer timers to 1 ms, so a longer sleep is split. */
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

/** Clocks of synchronised replicas differ by less than this. */
export const CLOCK_TOLERANCE = 2 * MINUTE;

/**
 * Whether the timestamp of a past event is in the future, because the clock was ahead when it was recorded. Such a timestamp is
 * meaningless, and must not block anything.
 */
export function isFuture(happenedAt: number, now: number): boolean {
  return happenedAt > now + CLOCK_TOLERANCE;
}

/** Decides whether a lease has expired, even if a clock that was ahead set its end too late. */
export interface LeaseWatch {
  isOver(name: string, until: number, leaseMs: number): boolean;
}

/** Counts of corrected times. `watched` leases end later than any lease can; whether their holders are alive is not known yet. */
export interface CorrectedTimes {
  readonly corrected: number;
  readonly watched: number;
}

/** Whether a lease ends later than one acquired now would: its holder's clock was ahead. */
export function endsTooLate(until: number, leaseMs: number, now: number): boolean {
  return until > now + leaseMs + CLOCK_TOLERANCE;
}
