import type { Claim, Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../time/clock.ts';

export interface HoldingParts {
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
 * aborted when the claim is lost, and then nothing of it counts (X21). The claim handed on is the newest.
 */
export async function holding<T>(
  claim: Claim,
  { ledger, clock, leaseMs }: HoldingParts,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly result: T; readonly claim: Claim | null }> {
  const over = new AbortController();
  const lost = new AbortController();
  let held: Claim | null = claim;
  const renewing = (async () => {
    while (held !== null && !over.signal.aborted) {
      try {
        await clock.sleep(leaseMs / 3, over.signal);
      } catch {
        return;
      }
      held = await ledger.renew(held, leaseMs);
    }
    if (held === null) lost.abort(new ClaimLostError());
  })();
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]));
    return { result, claim: held };
  } finally {
    over.abort();
    await renewing;
  }
}
