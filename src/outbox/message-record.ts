import type { ItemKey } from '../item/item.ts';
import type { HistoryEntry, NewMessage } from '../ledger/ledger.ts';
import { endsTooLate, isFuture, type LeaseWatch } from '../time/clock.ts';
import {
  type ClaimedMessage,
  type Delivery,
  type DeliveryOutcome,
  type DeliveryState,
  OPEN_DELIVERIES,
} from './outbox.ts';

/**
 * The record of one message in an outbox, and every step of its life as a pure function, for adapters that store it whole.
 * They work as the steps of an item do, see `ledger/item-record.ts`.
 */
export interface MessageRecord {
  readonly delivery: Delivery;
  /** Grows with every message: the order of a destination. */
  readonly nth: number;
  /** Fencing token: grows with every lease. */
  readonly token: number;
  /** The token under which it was last marked as being sent. */
  readonly marked: number | null;
  readonly held: MessageLease | null;
}

interface MessageLease {
  readonly owner: string;
  readonly until: number;
  /** Names the request: repeated after a lost reply, it gets the same lease. `null` where it has no name. */
  readonly attempt: string | null;
}

/**
 * The answer of a step and the record to store; without `next` nothing changes. `line` belongs into the history of each item of
 * the message, in the same write.
 */
export interface MessageStep<T> {
  readonly value: T;
  readonly next?: MessageRecord;
  readonly line?: HistoryEntry;
}

export function newMessage(intent: NewMessage, nth: number, now: number): MessageRecord {
  return { nth, token: 0, marked: null, held: null, delivery: newDelivery(intent, now) };
}

function newDelivery(intent: NewMessage, now: number): Delivery {
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

/** What another outbox dumped. */
export function loadMessage(delivery: Delivery, nth: number): MessageRecord {
  return { delivery, nth, token: 0, marked: null, held: null };
}

/**
 * Whether an intent may be written: `there` when its own message exists, `taken` when another message carries one of its items
 * to the same destination. `same` is the message with its key, `beside` are the messages of its items.
 */
export function standingOf(
  intent: NewMessage,
  same: Delivery | null,
  beside: readonly Delivery[],
): 'free' | 'there' | 'taken' {
  if (same !== null && same.state !== 'dropped') return 'there';
  return beside.some((delivery) => hasSameContent(delivery, intent)) ? 'taken' : 'free';
}

/** Whether an intent would repeat, at the same destination, an item that was sent or is about to be. */
export function hasSameContent(said: Delivery, intent: NewMessage): boolean {
  if (said.destination !== intent.destination || said.state === 'dropped') return false;
  return intent.itemKeys.some((key) => said.itemKeys.includes(key));
}

/** Two messages of one call carry one item to one destination. */
export function repeatItem(intents: readonly NewMessage[]): boolean {
  return intents.some((a) =>
    intents.some(
      (b) =>
        a.key !== b.key &&
        a.destination === b.destination &&
        a.itemKeys.some((key) => b.itemKeys.includes(key)),
    ),
  );
}

export function isOpen({ delivery }: MessageRecord): boolean {
  return OPEN_DELIVERIES.includes(delivery.state);
}

/** Whether something is still to be done or decided: its items are not swept. */
export function isUnderWay(state: DeliveryState): boolean {
  return state === 'parked' || OPEN_DELIVERIES.includes(state);
}

export function isClaimed({ held }: MessageRecord, now: number): boolean {
  return held !== null && held.until > now;
}

export function holdsClaim(message: MessageRecord, held: ClaimedMessage): boolean {
  return message.token === held.token && message.held?.owner === held.owner;
}

/** Takes the first message of a destination, unless it is held or not due. */
export function claimMessage(
  message: MessageRecord,
  ask: { readonly owner: string; readonly leaseMs: number; readonly attempt?: string },
  now: number,
): MessageStep<ClaimedMessage | null> {
  const { owner, leaseMs, attempt = null } = ask;
  if (attempt !== null && message.held?.attempt === attempt) return { value: heldOf(message, message.held) };
  if (isClaimed(message, now) || (message.delivery.dueAt ?? 0) > now) return { value: null };
  const held = { owner, until: now + leaseMs, attempt };
  const next = { ...message, token: message.token + 1, held };
  return { value: heldOf(next, held), next };
}

function heldOf({ delivery, token }: MessageRecord, { owner, until }: MessageLease): ClaimedMessage {
  return { delivery, token, owner, until };
}

/** When the message may be taken, see `OutboxStore.nextDue`. */
export function lineHead(
  message: MessageRecord | null,
): { readonly heldUntil: number; readonly dueAt: number } | null {
  return message && { heldUntil: message.held?.until ?? 0, dueAt: message.delivery.dueAt ?? 0 };
}

/** Stored before the first byte is sent. */
export function markSending(
  message: MessageRecord,
  held: ClaimedMessage,
  now: number,
): MessageStep<'marked' | 'lost'> {
  if (!holdsClaim(message, held) || !isClaimed(message, now)) return { value: 'lost' };
  if (message.marked === held.token) return { value: 'marked' };
  const delivery = asSending(message.delivery, now);
  return { value: 'marked', next: { ...message, marked: held.token, delivery } };
}

export function asSending(delivery: Delivery, now: number): Delivery {
  return {
    ...delivery,
    state: 'sending',
    attempts: delivery.attempts + 1,
    firstTriedAt: delivery.firstTriedAt ?? now,
    updatedAt: now,
    dueAt: null,
  };
}

/** Also after the lease has expired, as long as no other worker has taken the message. */
export function finishMessage(
  message: MessageRecord,
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  now: number,
): MessageStep<'settled' | 'lost'> {
  if (message.token !== held.token) return { value: 'lost' };
  if (message.held === null) return { value: message.delivery.state === outcome.state ? 'settled' : 'lost' };
  if (!holdsClaim(message, held)) return { value: 'lost' };
  const delivery = finished(message.delivery, outcome, now);
  return {
    value: 'settled',
    next: { ...message, held: null, delivery },
    line: deliveryLine(delivery, held.owner, now),
  };
}

export function finished(delivery: Delivery, outcome: DeliveryOutcome, now: number): Delivery {
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

export type MessageDecision = keyof typeof DECISIONS;

const DECISIONS = { sent: 'sent', again: 'intended', drop: 'dropped' } as const;

/** A person's decision; `false` where there is nothing to decide. */
export function decideMessage(
  message: MessageRecord,
  decision: MessageDecision,
  who: string,
  now: number,
): MessageStep<boolean> {
  const delivery = asDecided(message.delivery, decision, who, now);
  if (delivery === null) return { value: false };
  return {
    value: true,
    next: { ...message, held: null, delivery },
    line: deliveryLine(delivery, who, now),
  };
}

export function asDecided(
  delivery: Delivery,
  decision: MessageDecision,
  who: string,
  now: number,
): Delivery | null {
  if (delivery.state !== 'parked' && delivery.state !== 'refused') return null;
  const state = DECISIONS[decision];
  return { ...delivery, state, detail: `decided by ${who}`, dueAt: null, updatedAt: now };
}

/** Corrects what a clock that was ahead recorded, see `OutboxStore.correctFutureTimes`. */
export function correctMessage(
  message: MessageRecord,
  leaseMs: number,
  leases: LeaseWatch,
  now: number,
): MessageStep<'corrected' | 'watched' | null> {
  const { delivery, held } = message;
  const head = withoutFuture({ delivery, heldUntil: held?.until ?? 0 }, leaseMs, leases, now);
  if (head === null || head === 'watched') return { value: head };
  return { value: 'corrected', next: corrected(message, head) };
}

interface LineHead {
  readonly delivery: Delivery;
  /** When the lease on it ends; 0 where there is none. */
  readonly heldUntil: number;
}

/**
 * The first message of a destination as a clock that is right would have it; `null` where it is. `watched`: it is held for
 * longer than a lease can last, and its holder may be alive.
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

export function corrected<M extends MessageRecord>(message: M, { delivery, heldUntil }: LineHead): M {
  const { held } = message;
  return { ...message, delivery, held: held && { ...held, until: heldUntil } };
}

/** After a sweep of these items: the same record where it carries none of them, `null` where nothing is left of it. */
export function withoutItems(message: MessageRecord, gone: ReadonlySet<ItemKey>): MessageRecord | null {
  const { delivery } = message;
  const itemKeys = delivery.itemKeys.filter((key) => !gone.has(key));
  if (itemKeys.length === delivery.itemKeys.length) return message;
  return itemKeys.length === 0 ? null : { ...message, delivery: { ...delivery, itemKeys } };
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
