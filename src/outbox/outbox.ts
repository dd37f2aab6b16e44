import { createHash } from 'node:crypto';
import type { ItemKey } from '../item/item.ts';
import type { NewMessage } from '../ledger/ledger.ts';
import type { CorrectedTimes, LeaseWatch } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

/**
 * The messages of a pipeline, in the same file or database as its items. They are enqueued by `Ledger.record` together with the step that causes them, or by `CuratorStore.createDigest`.
 *
 *   intended ──▶ sending ──▶ sent
 *                  │ ▲  └──▶ refused   (final, unless a person retries)
 *                  ▼ │
 *                unknown ──▶ parked    (a person decides: sent, again, drop)
 */
export interface MessageStore {
  readonly abilities: OutboxAbilities;
  /** Claims the oldest open message of this destination, if it is due, for `leaseMs`. Keeps the order per destination. */
  claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null>;
  /**
   * When a message of one of these destinations can be claimed: at its due time, or when its lease expires. `null`:
   * no message is open; that costs one read, however many destinations there are.
   */
  nextDue(destinations: readonly string[]): Promise<number | null>;
  /** Call it before the first byte is sent. `lost`: another worker has claimed the message. */
  markSending(held: ClaimedMessage): Promise<'marked' | 'lost'>;
  finish(held: ClaimedMessage, outcome: DeliveryOutcome): Promise<'finished' | 'lost'>;
  /**
   * Finishes one message and claims the next of its destination. A store that can do both in one write also marks an
   * `intended` next one as `sending`: the caller then has to send or finish it.
   */
  finishAndClaimNext(
    held: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext>;
  /**
   * Corrects timestamps of the next message of each destination that were recorded while the clock was ahead:
   * restarts its wait from now, and expires the lease of a dead worker. Leases last for `leaseMs`.
   */
  correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes>;
  /** Applies a person's decision to a parked or refused message; false if it is neither. */
  decide(key: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean>;
  /** Newest first, by order of enqueueing. */
  list(filter: DeliveryFilter): Promise<DeliveryPage>;
  /** All deliveries of one item, oldest first. */
  ofItem(key: ItemKey): Promise<readonly Delivery[]>;
  counts(): Promise<Readonly<Record<DeliveryState, number>>>;
}

/** An outbox beside a ledger with claims, where messages can also be enqueued without a step of an item. */
export interface Outbox extends MessageStore {
  /**
   * Enqueues messages, all or nothing. An item is published at most once per destination: if one of the messages
   * names an item that already has a delivery there which was not dropped, nothing is enqueued (`taken`). Repeating a
   * call changes nothing (`there`).
   */
  enqueue(messages: readonly NewMessage[]): Promise<'written' | 'there' | 'taken'>;
}

export interface OutboxAbilities {
  /**
   * How often to poll for messages of other processes, in milliseconds. At most 60 seconds, so that the message of a
   * dead process is found in time (X21).
   */
  readonly pollIntervalMs: number;
}

export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[];
  readonly destination?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export const DELIVERY_STATES = [
  'intended',
  'sending',
  'unknown',
  'sent',
  'refused',
  'parked',
  'dropped',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Lease of a worker on the message that it sends. */
export const MESSAGE_LEASE_MS = 2 * MINUTE;

/** States in which a message is unfinished; the oldest of a destination blocks the ones behind it. */
export const OPEN_DELIVERIES: readonly DeliveryState[] = ['intended', 'sending', 'unknown'];

export interface Delivery extends NewMessage {
  readonly state: DeliveryState;
  readonly remoteId: string | null;
  readonly remoteUrl: string | null;
  readonly detail: string | null;
  readonly attempts: number;
  readonly createdAt: number;
  readonly firstTriedAt: number | null;
  readonly updatedAt: number;
  readonly dueAt: number | null;
}

export interface ClaimedMessage {
  readonly delivery: Delivery;
  readonly owner: string;
  readonly token: number;
  readonly until: number;
  /** It is stored as `sending`; `delivery` is its state before. */
  readonly marked?: true;
}

export interface FinishedAndNext {
  readonly finished: 'finished' | 'lost';
  /** `null`: none is due. */
  readonly next: ClaimedMessage | null;
}

/** When the first of these queue heads can be claimed; `null` if all queues are empty. */
export function earliestDue(
  heads: readonly ({ readonly heldUntil: number; readonly dueAt: number } | null | undefined)[],
): number | null {
  const times = heads.flatMap((head) => (head == null ? [] : [Math.max(head.heldUntil, head.dueAt)]));
  return times.length === 0 ? null : Math.min(...times);
}

/** `finishAndClaimNext` for stores that need two writes for it. */
export async function finishThenClaimNext(
  outbox: Pick<MessageStore, 'finish' | 'claimNext'>,
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  leaseMs: number,
): Promise<FinishedAndNext> {
  const finished = await outbox.finish(held, outcome);
  return { finished, next: await outbox.claimNext(held.delivery.destination, held.owner, leaseMs) };
}

export type DeliveryOutcome =
  | { readonly state: 'sent'; readonly remoteId: string; readonly url?: string }
  /** `passing`: a temporary failure; the retry of its item sends it again. */
  | { readonly state: 'refused'; readonly detail: string; readonly passing?: true }
  /** Certainly not applied; retried at `dueAt`. */
  | { readonly state: 'intended'; readonly detail: string; readonly dueAt: number }
  | { readonly state: 'unknown'; readonly detail: string; readonly dueAt: number }
  | { readonly state: 'parked'; readonly detail: string };

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly next: string | null;
}

/**
 * The key of a message: the same items of the same pipeline to the same destination in the same template are the same
 * message, however often it is attempted. Short enough for a Discord nonce (25 characters) and an `Idempotency-Key`.
 */
export function messageKey(
  pipeline: string,
  items: readonly ItemKey[],
  destination: string,
  templateVersion: string,
): string {
  // No item key is empty, so this never equals a legacy key.
  return keyHash(['', pipeline, ...[...items].sort(), destination, templateVersion]);
}

/** The key of the same message in earlier versions, without the pipeline. Stored messages and drops still have it. */
export function legacyMessageKey(
  items: readonly ItemKey[],
  destination: string,
  templateVersion: string,
): string {
  return keyHash([...[...items].sort(), destination, templateVersion]);
}

function keyHash(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 24);
}
