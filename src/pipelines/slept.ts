import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

/**
 * Waits, and looks at the wall clock again each minute because wall clocks jump and laptops sleep. False when the signal came
 * first.
 */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.now() + ms;
  try {
    for (let left = ms; left > 0; left = end - clock.now()) await clock.sleep(Math.min(left, MINUTE), signal);
  } catch {
    return false;
  }
  return !signal.aborted;
}
