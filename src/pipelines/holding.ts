import type { Claim, Ledger } from '../ledger/ledger.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { stopsProgram } from './ending-errors.ts';

export interface HoldingParts {
  readonly pipeline: string;
  readonly events: Pick<Events, 'loopFailed'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly leaseMs: number;
}

/** The item was taken over by somebody else while it was being worked on. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
  constructor() {
    super('the claim was lost to another worker');
  }
}

/**
 * Works on a claimed item for as long as it takes: a slow but living worker keeps its lease (D8). The work's signal is
 * aborted when the claim is lost, and then nothing of it counts (X21). The claim handed on is the newest. A store that
 * cannot renew for a moment is asked again while the lease still runs.
 */
export async function holding<T>(
  claim: Claim,
  parts: HoldingParts,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly result: T; readonly claim: Claim | null }> {
  const over = new AbortController();
  const lost = new AbortController();
  const hold = { claim: claim as Claim | null };
  const renewing = keepRenewing(hold, parts, over.signal, lost);
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]));
    if (stopsProgram(lost.signal.reason)) throw lost.signal.reason;
    return { result, claim: hold.claim };
  } finally {
    over.abort();
    await renewing;
  }
}

/** Never fails: what it meets is in `hold`, or is the reason of `lost`. */
async function keepRenewing(
  hold: { claim: Claim | null },
  { ledger, clock, leaseMs, pipeline, events }: HoldingParts,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  for (let failures = 0, held = hold.claim; held !== null; hold.claim = held) {
    const waitMs = leaseMs / (failures === 0 ? 3 : 6);
    try {
      await clock.sleep(waitMs, over);
    } catch {
      return;
    }
    try {
      held = await ledger.renew(held, leaseMs);
      failures = 0;
    } catch (error) {
      failures += 1;
      const detail = error instanceof Error ? error.message : String(error);
      events.loopFailed({ pipeline, loop: 'lease', failures, waitMs: leaseMs / 6, detail, error });
      if (stopsProgram(error)) {
        lost.abort(error);
        return;
      }
      if (held !== null && clock.now() >= held.until) held = null;
    }
  }
  lost.abort(new ClaimLostError());
}
