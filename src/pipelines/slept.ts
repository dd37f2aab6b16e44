import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

/**
 * Waits, and looks at the wall clock again each minute because wall clocks jump and laptops sleep. A wall clock that is set back
 * makes the wait no longer. False when the signal came first.
 */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.now() + ms;
  const over = clock.monotonic() + ms;
  try {
    for (let left = ms; left > 0; left = Math.min(end - clock.now(), over - clock.monotonic()))
      await clock.sleep(Math.min(left, MINUTE), signal);
  } catch {
    return false;
  }
  return !signal.aborted;
}
