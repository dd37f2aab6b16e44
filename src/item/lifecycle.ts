/**
 * The lifecycle of an item (X1).
 *
 *                       ┌──────────── postpone ───────────┐
 *                       ▼                                 │
 *   admit ──▶ waiting ──┼─ accept ─▶ accepted ── publish ─┼─▶ published   (final)
 *               ▲  │    │               │  │              │
 *               │  ├─ publish ──────────┼──┼──────────────┘
 *               │  ├─ defer ─▶ deferred ◀──┘ defer
 *               │  ├─ reject ─────▶ rejected
 *               │  ├─ give up ────▶ failed      (also: defer past the retry limit)
 *               │  └─ park ───────▶ parked ── markSent ─▶ published
 *               │                     └────── drop ─────▶ rejected
 *               └── requeue ── deferred · rejected · failed · parked
 *
 *   admit (first contact with a source) ──▶ baseline   (final)
 *   accepted ── accept ─▶ accepted   (re-evaluated, and still accepted)
 *   rejected · failed · parked ── accept ─▶ accepted   (a person has its message sent again, without re-evaluation)
 *
 * `TRANSITIONS` is complete; `advance` is the only function that makes a new state. Adapters store what it returns and
 * decide nothing. A claim (which worker has the item now) is not a state: it is stored beside the item, so that a
 * worker's death changes nothing but the claim.
 */

export const STATES = [
  'waiting',
  'deferred',
  'accepted',
  'published',
  'rejected',
  'failed',
  'parked',
  'baseline',
] as const;
export type State = (typeof STATES)[number];

export const REASONS = [
  'none',
  'low_relevance',
  'no_topic_match',
  'content_extraction_failed',
  'not_valuable',
  'not_ready',
  'download_failed',
  'too_large',
  'api_failed',
  'retry_limit',
  'processor_failed',
  'delivery_refused',
  'delivery_unknown',
  'over_limit',
  'not_chosen',
  'same_story',
  'first_contact',
  'by_person',
] as const;
export type Reason = (typeof REASONS)[number];

/** What can happen to an item. */
export type LifecycleEvent =
  | { readonly type: 'accept'; readonly detail?: string }
  | { readonly type: 'publish'; readonly detail?: string }
  | { readonly type: 'reject'; readonly reason: Reason; readonly detail?: string }
  /**
   * Failed attempt: counts as an attempt, backs off longer each time, ends at the retry limit. With `keepTrying` there is
   * no limit: the cause is not the item itself (an unavailable service), and no item is dropped because of it (X18).
   */
  | {
      readonly type: 'defer';
      readonly reason: Reason;
      readonly detail?: string;
      readonly notBefore?: number;
      readonly keepTrying?: boolean;
    }
  /** Has to wait (a cap, a budget, a premiere): later, and no attempt is counted (X18). */
  | { readonly type: 'postpone'; readonly until: number; readonly reason: Reason; readonly detail?: string }
  | { readonly type: 'giveUp'; readonly reason: Reason; readonly detail?: string }
  /** Only a person can decide now. */
  | { readonly type: 'park'; readonly reason: Reason; readonly detail?: string }
  | { readonly type: 'requeue'; readonly detail?: string }
  | { readonly type: 'markSent'; readonly detail?: string }
  | { readonly type: 'drop'; readonly detail?: string };
export type EventType = LifecycleEvent['type'];

/** Allowed events of each state, and the resulting state. All others are refused. */
export const TRANSITIONS: Readonly<Record<State, Partial<Readonly<Record<EventType, State>>>>> = {
  waiting: {
    accept: 'accepted',
    publish: 'published',
    reject: 'rejected',
    defer: 'deferred',
    postpone: 'waiting',
    giveUp: 'failed',
    park: 'parked',
  },
  deferred: {
    accept: 'accepted',
    publish: 'published',
    reject: 'rejected',
    defer: 'deferred',
    postpone: 'deferred',
    giveUp: 'failed',
    park: 'parked',
    requeue: 'waiting',
  },
  accepted: {
    accept: 'accepted',
    publish: 'published',
    reject: 'rejected',
    defer: 'deferred',
    postpone: 'accepted',
    giveUp: 'failed',
    park: 'parked',
  },
  parked: { accept: 'accepted', markSent: 'published', drop: 'rejected', requeue: 'waiting' },
  rejected: { accept: 'accepted', requeue: 'waiting' },
  failed: { accept: 'accepted', requeue: 'waiting' },
  published: {},
  baseline: {},
};

/** States from which a worker may claim an item. */
export const OPEN_STATES: readonly State[] = ['accepted', 'waiting', 'deferred'];

/** States in which an item only serves to recognise duplicates (B12). A person may still requeue some of them. */
export const TERMINAL_STATES: readonly State[] = ['published', 'rejected', 'failed', 'parked', 'baseline'];

/** The part of an item that the lifecycle reads and writes. */
export interface ItemStatus {
  readonly state: State;
  readonly reason: Reason;
  readonly detail: string | null;
  readonly attempts: number;
  readonly dueAt: number | null;
  readonly checkedAt: number;
}

export interface LifecyclePolicy {
  /** An item deferred more often than this has failed (B11, D9). */
  readonly retryLimit: number;
  /** How long an item waits after its n-th failed attempt, n from 1 (B13). */
  backoff(attempts: number): number;
}

/** What an adapter has to store, atomically. */
export interface Transition {
  readonly from: State;
  readonly event: EventType;
  readonly to: ItemStatus;
}

export type Advance =
  | { readonly allowed: true; readonly transition: Transition }
  | { readonly allowed: false; readonly why: string };

/** The status of an item that was just admitted. */
export function admittedStatus(now: number, firstContact: boolean): ItemStatus {
  return {
    state: firstContact ? 'baseline' : 'waiting',
    reason: firstContact ? 'first_contact' : 'none',
    detail: null,
    attempts: 0,
    dueAt: null,
    checkedAt: now,
  };
}

/** The one place that changes a state. */
export function advance(
  from: ItemStatus,
  event: LifecycleEvent,
  now: number,
  policy: LifecyclePolicy,
): Advance {
  const target = TRANSITIONS[from.state][event.type];
  if (target === undefined)
    return { allowed: false, why: `an item that is ${from.state} cannot ${event.type}` };
  return {
    allowed: true,
    transition: { from: from.state, event: event.type, to: nextStatus(from, event, target, now, policy) },
  };
}

function nextStatus(
  from: ItemStatus,
  event: LifecycleEvent,
  target: State,
  now: number,
  policy: LifecyclePolicy,
): ItemStatus {
  const next: ItemStatus = {
    state: target,
    reason: 'none',
    detail: event.detail ?? null,
    attempts: from.attempts,
    dueAt: null,
    checkedAt: now,
  };
  switch (event.type) {
    case 'defer': {
      const attempts = from.attempts + 1;
      if (attempts > policy.retryLimit && event.keepTrying !== true) {
        return {
          ...next,
          state: 'failed',
          reason: 'retry_limit',
          attempts,
          detail: lastAttemptDetail(event),
        };
      }
      const dueAt = Math.max(now + policy.backoff(attempts), event.notBefore ?? 0);
      return { ...next, reason: event.reason, attempts, dueAt };
    }
    case 'postpone':
      return { ...next, reason: event.reason, dueAt: event.until };
    case 'requeue':
      // A person who requeues an item resets its attempts; a retry that is merely due does not.
      return { ...next, attempts: from.state === 'deferred' ? from.attempts : 0 };
    case 'reject':
    case 'giveUp':
    case 'park':
      return { ...next, reason: event.reason };
    case 'drop':
      return { ...next, reason: 'by_person' };
    case 'accept':
    case 'publish':
    case 'markSent':
      return next;
  }
}

function lastAttemptDetail(event: { reason: Reason; detail?: string }): string {
  return event.detail === undefined ? `last: ${event.reason}` : `last: ${event.reason}: ${event.detail}`;
}
