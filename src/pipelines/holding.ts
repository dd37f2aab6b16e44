import type { Claim, Ledger } from '../ledger/ledger.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { stopsProgram } from './ending-errors.ts';
import { keepRenewed } from './keep-renewed.ts';

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
 * aborted when the claim is lost, and then nothing of it counts (X21). The claim handed on is the newest, and so is that which
 * the work asks for. A store that cannot renew for a moment is asked again while the lease still runs.
 */
export async function holding<T>(
  claim: Claim,
  parts: HoldingParts,
  signal: AbortSignal,
  work: (signal: AbortSignal, held: () => Claim | null) => Promise<T>,
): Promise<{ readonly result: T; readonly claim: Claim | null }> {
  const over = new AbortController();
  const lost = new AbortController();
  const hold = { claim: claim as Claim | null };
  const renewing = keepRenewing(hold, parts, over.signal, lost);
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]), () => hold.claim);
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
  const renew = async (): Promise<boolean> => {
    const renewed = hold.claim === null ? null : await ledger.renew(hold.claim, leaseMs);
    // An answer that comes after another one, or too late, changes nothing.
    if (renewed !== null && renewed.until > (hold.claim?.until ?? Number.POSITIVE_INFINITY))
      hold.claim = renewed;
    return renewed !== null;
  };
  const end = await keepRenewed(renew, {
    clock,
    leaseMs,
    everyMs: leaseMs / 3,
    signal: over,
    onTrouble: (trouble) => events.loopFailed({ pipeline, loop: 'lease', ...trouble }),
  });
  if (end === null) return;
  hold.claim = null;
  lost.abort(stopsProgram(end.why) ? end.why : new ClaimLostError());
}
