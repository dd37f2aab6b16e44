import type { Item } from '../item/item.ts';
import { isFuture } from '../time/future.ts';
import { allItems } from './all-items.ts';
import { type StepParts, take } from './item-step.ts';

/**
 * Items that a clock which was ahead has put off wait from now on as long as they were to wait then. Answers how many they
 * were.
 */
export async function correctFutureTimes(
  parts: StepParts & { readonly owner: string; readonly leaseMs: number },
): Promise<number> {
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
