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
