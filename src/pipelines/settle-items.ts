import type { Item, ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { ItemStore, Ledger } from '../ledger/ledger.ts';
import type { Delivery, Outbox } from '../press/outbox.ts';
import { MINUTE } from '../time/duration.ts';
import { type StepParts, take } from './item-step.ts';

export interface SettleParts extends Omit<StepParts, 'ledger'> {
  readonly ledger: ItemStore;
  /** Where items are brought forward under claims; `null` where the outbox does that together with the outcome of a message. */
  readonly claims: Ledger | null;
  readonly outbox: Outbox;
  readonly owner: string;
  /** An item is said when it has a message for each of these. Without them: when those that it has are through. */
  readonly saidAt?: readonly string[];
  /** `defer`: an item whose message did not arrive is tried again after a wait, up to the retry limit (B10, B11). */
  readonly failedMessages?: 'defer';
}

/**
 * What the deliveries of an item, taken together, mean for it; `null` while one of them is still under way, or a destination
 * has none. One that was refused is not made good by the others: the item is published when all that were not dropped are sent.
 */
export function verdictOfDeliveries(
  deliveries: readonly Delivery[],
  saidAt: readonly string[] = [],
): LifecycleEvent | null {
  if (deliveries.length === 0 || saidAt.some((id) => !hasMessageFor(id, deliveries))) return null;
  if (deliveries.some((d) => d.state === 'intended' || d.state === 'sending' || d.state === 'unknown'))
    return null;
  const parked = deliveries.find((d) => d.state === 'parked');
  if (parked)
    return { type: 'park', reason: 'delivery_unknown', detail: `${parked.destination}: ${parked.detail}` };
  const sent = deliveries.filter((d) => d.state === 'sent').map((d) => d.destination);
  const refused = deliveries.find((d) => d.state === 'refused');
  if (refused) {
    const elsewhere = sent.length > 0 ? `; published at ${sent.join(', ')}` : '';
    return {
      type: 'giveUp',
      reason: 'delivery_refused',
      detail: `${refused.destination}: ${refused.detail}${elsewhere}`,
    };
  }
  if (sent.length > 0) return { type: 'publish', detail: sent.join(', ') };
  return { type: 'reject', reason: 'by_person', detail: 'every message was dropped' };
}

export function hasMessageFor(destination: string, deliveries: readonly Delivery[]): boolean {
  return deliveries.some((delivery) => delivery.destination === destination);
}

/**
 * An item one of whose messages did not arrive, or is not known to have arrived, waits before it is tried again. What is not
 * known does not end at the retry limit: it may have been posted.
 */
function deferral(deliveries: readonly Delivery[]): (LifecycleEvent & { readonly type: 'defer' }) | null {
  if (deliveries.some(({ state }) => state === 'intended' || state === 'sending' || state === 'parked'))
    return null;
  const failed = (['unknown', 'refused'] as const).flatMap(
    (state) => deliveries.find((d) => d.state === state) ?? [],
  );
  const [first] = failed;
  if (first === undefined) return null;
  const detail = `${first.destination}: ${first.detail}`;
  return { type: 'defer', reason: 'api_failed', detail, keepTrying: first.state === 'unknown' };
}

/** The attempt is counted once: what is deferred already waits for its turn, unless it was the last one. */
function onceDeferred(
  deferred: LifecycleEvent & { readonly type: 'defer' },
  { state, attempts }: Item,
  { policy }: SettleParts,
): LifecycleEvent | null {
  if (state === 'accepted') return deferred;
  if (deferred.keepTrying || attempts <= policy.retryLimit) return null;
  return { type: 'giveUp', reason: 'retry_limit', detail: `last: api_failed: ${deferred.detail}` };
}

/** Writes down what became of items whose messages are through. Safe to repeat. Answers those that changed. */
export async function settleItems(
  keys: Iterable<ItemKey>,
  parts: SettleParts,
): Promise<ReadonlyMap<ItemKey, LifecycleEvent>> {
  const settled = new Map<ItemKey, LifecycleEvent>();
  const ledger = parts.claims;
  if (ledger === null) return settled;
  for (const key of new Set(keys)) {
    const deliveries = await parts.outbox.ofItem(key);
    const deferred = parts.failedMessages === 'defer' ? deferral(deliveries) : null;
    const event = deferred ?? verdictOfDeliveries(deliveries, parts.saidAt);
    if (event === null) continue;
    const claim = await ledger.claim(key, { owner: parts.owner, leaseMs: MINUTE, early: true });
    if (claim === null) continue;
    const next = deferred === null ? event : onceDeferred(deferred, claim.item, parts);
    if (next === null) await ledger.release(claim);
    else if ((await take(claim, next, { ...parts, ledger }, { notes: remoteIds(deliveries) })) === 'recorded')
      settled.set(key, next);
  }
  return settled;
}

export function remoteIds(deliveries: readonly Delivery[]): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const d of deliveries) if (d.remoteId !== null) ids[`message:${d.destination}`] = d.remoteId;
  return ids;
}
