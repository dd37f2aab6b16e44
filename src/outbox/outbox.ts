import { createHash } from 'node:crypto';
import type { ItemKey } from '../item/item.ts';
import type { NewMessage } from '../ledger/ledger.ts';
import type { CorrectedTimes, LeaseWatch } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

/**
 * The messages of a pipeline. They are written by `Ledger.record` together with the step that causes them, or by
 * `CuratorStore.createDigest`; from then on they live here. It lies in the same file or database as the items.
 *
 *   intended ──▶ sending ──▶ sent
 *                  │ ▲  └──▶ refused   (final, unless a person retries)
 *                  ▼ │
 *                unknown ──▶ parked    (a person decides: sent, again, drop)
 */
export interface MessageStore {
  readonly abilities: OutboxAbilities;
  /** The oldest intent of this destination that may be worked on, held for `leaseMs`. Order per destination is kept. */
  claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null>;
  /**
   * When a message of one of these destinations may be taken: at its time, or when the hold on it ends. `null`: nothing is
   * open. One look where nothing is, however many destinations there are.
   */
  nextDue(destinations: readonly string[]): Promise<number | null>;
  /** Written down before the first byte leaves. `lost`: somebody else holds it now. */
  markSending(held: ClaimedMessage): Promise<'marked' | 'lost'>;
  finish(held: ClaimedMessage, outcome: DeliveryOutcome): Promise<'settled' | 'lost'>;
  /**
   * Settles one message and takes the next of its destination. A store that can do both in one write also marks the next as
   * being sent, where it was only intended: then it can be sent at once, and whoever gets it has to send it or settle it.
   */
  finishAndClaimNext(
    held: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext>;
  /**
   * Corrects what a clock that was ahead recorded of the next message of each of these destinations: it waits from now on as
   * long as it was to wait then, and the hold of a worker that died is over. Holds last for `leaseMs`.
   */
  correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes>;
  /** A person's decision on a parked or refused intent. */
  decide(intentKey: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean>;
  /** Newest first, in the order in which they were intended. */
  list(filter: DeliveryFilter): Promise<DeliveryPage>;
  /** All deliveries of one item, oldest first. */
  ofItem(key: ItemKey): Promise<readonly Delivery[]>;
  counts(): Promise<Readonly<Record<DeliveryState, number>>>;
}

/** An outbox beside a ledger of claims, where messages are also written without a step of an item. */
export interface Outbox extends MessageStore {
  /**
   * Writes down what is about to be said, all of it or nothing, before anything is sent. An item is said at most once
   * per destination: when one of the intents names an item that already has a delivery there which was not dropped,
   * nothing is written (`taken`). Writing the same intents again changes nothing (`there`).
   */
  enqueue(intents: readonly NewMessage[]): Promise<'written' | 'there' | 'taken'>;
}

export interface OutboxAbilities {
  /**
   * How often it is looked for what other processes left here, in milliseconds; a process knows by itself what it wrote. At most
   * 60 seconds, so that a dead process' message is found in time (X21).
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

/** How long a message is held by the worker that sends it. */
export const MESSAGE_LEASE_MS = 2 * MINUTE;

/** States in which something is still to be done; the oldest of a destination holds up the ones behind it. */
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
  /** It is written down as being sent; `delivery` says how it stood before. */
  readonly marked?: true;
}

export interface FinishedAndNext {
  readonly finished: 'settled' | 'lost';
  /** `null`: none may be worked on now. */
  readonly next: ClaimedMessage | null;
}

/** When the first of these heads of lines may be taken; `null` where all lines are empty. */
export function earliestDue(
  heads: readonly ({ readonly heldUntil: number; readonly dueAt: number } | null | undefined)[],
): number | null {
  const times = heads.flatMap((head) => (head == null ? [] : [Math.max(head.heldUntil, head.dueAt)]));
  return times.length === 0 ? null : Math.min(...times);
}

/** For stores that need two writes for it. */
export async function finishThenClaimNext(
  outbox: Pick<MessageStore, 'finish' | 'claimNext'>,
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  leaseMs: number,
): Promise<FinishedAndNext> {
  const settled = await outbox.finish(held, outcome);
  return { finished: settled, next: await outbox.claimNext(held.delivery.destination, held.owner, leaseMs) };
}

export type DeliveryOutcome =
  | { readonly state: 'sent'; readonly remoteId: string; readonly url?: string }
  /** `passing`: it did not arrive for another reason, and its item decides when it is sent again. */
  | { readonly state: 'refused'; readonly detail: string; readonly passing?: true }
  /** Certainly not applied; to be sent again at `dueAt`. */
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
  // No item key is empty, so a key with a pipeline never equals one without.
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
