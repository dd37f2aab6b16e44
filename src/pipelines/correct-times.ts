import type { Item } from '../item/item.ts';
import { MESSAGE_LEASE, type OutboxStore } from '../press/outbox.ts';
import { type CorrectedTimes, isFuture, type LeaseWatch } from '../time/future.ts';
import { allItems } from './all-items.ts';
import { type StepParts, take } from './item-step.ts';

export interface CorrectTimesParts extends StepParts {
  readonly outbox: Pick<OutboxStore, 'correctFutureTimes'>;
  readonly destinations: readonly string[];
  readonly owner: string;
  readonly leaseMs: number;
  /** The same one at each call. */
  readonly leases: LeaseWatch;
}

/**
 * Corrects what a clock that was ahead recorded: claims and messages of workers that died, and the times until which items
 * and messages wait.
 */
export async function correctFutureTimes(parts: CorrectTimesParts): Promise<CorrectedTimes> {
  const { ledger, outbox, destinations, leaseMs, leases } = parts;
  const claims = await ledger.expireStalledClaims(leaseMs, leases);
  const items = await correctItems(parts);
  const messages = await outbox.correctFutureTimes(destinations, MESSAGE_LEASE, leases);
  return {
    corrected: claims.corrected + items + messages.corrected,
    watched: claims.watched + messages.watched,
  };
}

/** Items that were put off wait from now on as long as they were to wait then. Answers how many they were. */
async function correctItems(parts: CorrectTimesParts): Promise<number> {
  const { ledger, clock, owner, leaseMs } = parts;
  // The newest change comes first: as a rule it says with one read that there is nothing to do.
  const [newest] = (await ledger.list({ limit: 1 })).items;
  if (newest === undefined || !isFuture(newest.checkedAt, clock.now())) return 0;
  let corrected = 0;
  for (const state of ['deferred', 'accepted', 'waiting'] as const)
    for (const { key, checkedAt, dueAt, reason } of await recordedAhead(state, parts)) {
      if (dueAt === null || dueAt <= clock.now()) continue;
      const claim = await ledger.claim(key, { owner, leaseMs, early: true });
      if (claim === null) continue;
      const until = clock.now() + Math.max(0, dueAt - checkedAt);
      const detail = claim.item.detail ?? 'the clock was ahead';
      if ((await take(claim, { type: 'postpone', until, reason, detail }, parts)) === 'recorded') corrected++;
    }
  return corrected;
}

async function recordedAhead(
  state: 'deferred' | 'accepted' | 'waiting',
  { ledger, clock }: StepParts,
): Promise<readonly Item[]> {
  const now = clock.now();
  return (await allItems(ledger, state, now)).filter(({ checkedAt }) => isFuture(checkedAt, now));
}
