import type { Clock } from '../time/clock.ts';
import { slept } from './slept.ts';

export interface KeepRenewed {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Called at every turn, whether it went well or not. */
  readonly onTurn?: () => void;
}

/**
 * Renews a lease until the signal (false) or until it is lost (true). While the store cannot be asked it tries on; past the
 * lease's end by its own measure it counts as lost, since by then another may have it.
 */
export async function keepRenewed(
  renew: () => Promise<boolean>,
  { clock, leaseMs, everyMs, signal, onTurn }: KeepRenewed,
): Promise<boolean> {
  let renewedAt = clock.monotonic();
  while (await slept(clock, everyMs, signal)) {
    const asked = clock.monotonic();
    try {
      if (!(await renew())) return true;
      renewedAt = asked;
    } catch {
      if (clock.monotonic() - renewedAt >= leaseMs) return true;
    }
    onTurn?.();
  }
  return false;
}
