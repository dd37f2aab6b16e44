import type { Delivery, DeliveryOutcome } from '../press/outbox.ts';
import { endsTooLate, isFuture, type LeaseWatch } from '../time/future.ts';
import type { HistoryEntry, NewIntent } from './ledger.ts';

/** The life of a delivery, step by step, for adapters that store it whole. Pure. */

export function newDelivery(intent: NewIntent, now: number): Delivery {
  return {
    ...intent,
    itemKeys: [...new Set(intent.itemKeys)],
    state: 'intended',
    remoteId: null,
    remoteUrl: null,
    detail: null,
    attempts: 0,
    createdAt: now,
    firstTriedAt: null,
    updatedAt: now,
    dueAt: null,
  };
}

/** Written down before the first byte leaves. */
export function beingSent(delivery: Delivery, now: number): Delivery {
  return {
    ...delivery,
    state: 'sending',
    attempts: delivery.attempts + 1,
    firstTriedAt: delivery.firstTriedAt ?? now,
    updatedAt: now,
    dueAt: null,
  };
}

export function settled(delivery: Delivery, outcome: DeliveryOutcome, now: number): Delivery {
  return {
    ...delivery,
    state: outcome.state,
    remoteId: outcome.state === 'sent' ? outcome.remoteId : null,
    remoteUrl: outcome.state === 'sent' ? (outcome.url ?? null) : null,
    detail: 'detail' in outcome ? outcome.detail : null,
    dueAt: 'dueAt' in outcome ? outcome.dueAt : null,
    updatedAt: now,
  };
}

export interface LineHead {
  readonly delivery: Delivery;
  /** When the hold on it ends; 0 where there is none. */
  readonly heldUntil: number;
}

/**
 * The first message of a line as a clock that is right would have it; `null` where it is. `watched`: it is held for longer
 * than a hold can last, and its holder may live.
 */
export function withoutFuture(
  { delivery, heldUntil }: LineHead,
  leaseMs: number,
  leases: LeaseWatch,
  now: number,
): LineHead | 'watched' | null {
  const { key, dueAt, updatedAt } = delivery;
  const isStalled = endsTooLate(heldUntil, leaseMs, now);
  if (isStalled && !leases.isOver(key, heldUntil, leaseMs)) return 'watched';
  if (!isStalled && heldUntil > now) return null;
  const isLate = dueAt !== null && dueAt > now && isFuture(updatedAt, now);
  if (!isStalled && !isLate) return null;
  return {
    delivery: isLate
      ? { ...delivery, dueAt: now + Math.max(0, dueAt - updatedAt), updatedAt: now }
      : delivery,
    heldUntil: Math.min(heldUntil, now),
  };
}

const DECISIONS = { sent: 'sent', again: 'intended', drop: 'dropped' } as const;

/** After a person's decision; `null` where there is nothing to decide. */
export function decided(
  delivery: Delivery,
  decision: keyof typeof DECISIONS,
  who: string,
  now: number,
): Delivery | null {
  if (delivery.state !== 'parked' && delivery.state !== 'refused') return null;
  const state = DECISIONS[decision];
  return { ...delivery, state, detail: `decided by ${who}`, dueAt: null, updatedAt: now };
}

/** Another message said one of its items to the same destination first. */
export function gaveWay(delivery: Delivery, now: number): Delivery {
  const detail = 'another message says one of its items';
  return { ...delivery, state: 'dropped', detail, dueAt: null, updatedAt: now };
}

/** The line that each item of a delivery gets in its history. */
export function deliveryLine(
  { destination, state, detail, remoteId }: Delivery,
  who: string,
  at: number,
): HistoryEntry {
  return {
    at,
    event: 'deliver',
    from: null,
    to: null,
    reason: 'none',
    detail,
    who,
    notes: { destination, outcome: state, ...(remoteId !== null && { remoteId }) },
  };
}

/** Whether an intent would say again, at the same destination, what was said or is about to be. */
export function saysTheSame(said: Delivery, intent: NewIntent): boolean {
  if (said.destination !== intent.destination || said.state === 'dropped') return false;
  return intent.itemKeys.some((key) => said.itemKeys.includes(key));
}

/** Two messages of one call with one item for one destination. */
export function sayTwice(intents: readonly NewIntent[]): boolean {
  return intents.some((a) =>
    intents.some(
      (b) =>
        a.key !== b.key &&
        a.destination === b.destination &&
        a.itemKeys.some((key) => b.itemKeys.includes(key)),
    ),
  );
}
