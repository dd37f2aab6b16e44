import { MINUTE } from './duration.ts';

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
