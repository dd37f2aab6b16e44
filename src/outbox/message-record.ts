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
 * The record of one message in an outbox, with every transition as a pure function, for adapters that store the whole
 * record. See also `ledger/item-record.ts`.
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
  /** Idempotency key of the request: a retry after a lost reply gets the same lease. `null` if there is none. */
  readonly attempt: string | null;
}

/**
 * The result of a step and the record to store; without `next` nothing changes. Store `line` in the history of each
 * item of the message, in the same write.
 */
export interface MessageStep<T> {
  readonly value: T;
  readonly next?: MessageRecord;
  readonly line?: HistoryEntry;
}

export function newMessage(message: NewMessage, nth: number, now: number): MessageRecord {
  return { nth, token: 0, marked: null, held: null, delivery: newDelivery(message, now) };
}

function newDelivery(message: NewMessage, now: number): Delivery {
  return {
    ...message,
    itemKeys: [...new Set(message.itemKeys)],
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

/** The record of a delivery that another outbox exported. */
export function loadMessage(delivery: Delivery, nth: number): MessageRecord {
  return { delivery, nth, token: 0, marked: null, held: null };
}

/**
 * Whether a message may be enqueued: `there` if it exists, `taken` if another message carries one of its items to the
 * same destination. `same` is the stored message with its key, `beside` are the messages of its items.
 */
export function standingOf(
  message: NewMessage,
  same: Delivery | null,
  beside: readonly Delivery[],
): 'free' | 'there' | 'taken' {
  if (same !== null && same.state !== 'dropped') return 'there';
  return beside.some((delivery) => hasSameContent(delivery, message)) ? 'taken' : 'free';
}

/** Whether a message would repeat, at the same destination, an item of an existing delivery. */
export function hasSameContent(existing: Delivery, message: NewMessage): boolean {
  if (existing.destination !== message.destination || existing.state === 'dropped') return false;
  return message.itemKeys.some((key) => existing.itemKeys.includes(key));
}

/** Whether two messages of one call carry the same item to the same destination. */
export function repeatItem(messages: readonly NewMessage[]): boolean {
  return messages.some((a) =>
    messages.some(
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

/** Whether the message is unfinished or parked: its items are not swept. */
export function isUnderWay(state: DeliveryState): boolean {
  return state === 'parked' || OPEN_DELIVERIES.includes(state);
}

export function isClaimed({ held }: MessageRecord, now: number): boolean {
  return held !== null && held.until > now;
}

export function holdsClaim(message: MessageRecord, held: ClaimedMessage): boolean {
  return message.token === held.token && message.held?.owner === held.owner;
}

/** Claims a message unless it is claimed or not due. */
export function claimMessage(
  message: MessageRecord,
  request: { readonly owner: string; readonly leaseMs: number; readonly attempt?: string },
  now: number,
): MessageStep<ClaimedMessage | null> {
  const { owner, leaseMs, attempt = null } = request;
  if (attempt !== null && message.held?.attempt === attempt) return { value: claimOf(message, message.held) };
  if (isClaimed(message, now) || (message.delivery.dueAt ?? 0) > now) return { value: null };
  const held = { owner, until: now + leaseMs, attempt };
  const next = { ...message, token: message.token + 1, held };
  return { value: claimOf(next, held), next };
}

function claimOf({ delivery, token }: MessageRecord, { owner, until }: MessageLease): ClaimedMessage {
  return { delivery, token, owner, until };
}

/** When the message can be claimed, see `MessageStore.nextDue`. */
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

/** Succeeds after the lease has expired too, as long as no other worker has claimed the message. */
export function finishMessage(
  message: MessageRecord,
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  now: number,
): MessageStep<'finished' | 'lost'> {
  if (message.token !== held.token) return { value: 'lost' };
  if (message.held === null) return { value: message.delivery.state === outcome.state ? 'finished' : 'lost' };
  if (!holdsClaim(message, held)) return { value: 'lost' };
  const delivery = finished(message.delivery, outcome, now);
  return {
    value: 'finished',
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

/** Applies a person's decision; `false` if the message is neither parked nor refused. */
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

/** Corrects timestamps recorded while the clock was ahead, see `MessageStore.correctFutureTimes`. */
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
  /** When its lease expires; 0 if there is none. */
  readonly heldUntil: number;
}

/**
 * The first message of a destination with corrected timestamps; `null` if nothing needs correction. `watched`: its
 * lease ends later than a lease can, and its holder may be alive.
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

/** The record without swept items: unchanged if it carries none of them, `null` if none is left. */
export function withoutItems(message: MessageRecord, swept: ReadonlySet<ItemKey>): MessageRecord | null {
  const { delivery } = message;
  const itemKeys = delivery.itemKeys.filter((key) => !swept.has(key));
  if (itemKeys.length === delivery.itemKeys.length) return message;
  return itemKeys.length === 0 ? null : { ...message, delivery: { ...delivery, itemKeys } };
}

/** History entry of a delivery, stored with each of its items. */
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
