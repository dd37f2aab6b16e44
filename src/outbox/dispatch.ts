import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { Publisher, PublisherAbilities, ReadBackOutcome, SendOutcome } from '../publishers/publisher.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';
import type { DailyCap } from './daily-cap.ts';
import {
  type ClaimedMessage,
  type Delivery,
  type DeliveryOutcome,
  type FinishedAndNext,
  MESSAGE_LEASE_MS,
  type MessageStore,
} from './outbox.ts';
import type { WakeUpSignal } from './wake-up.ts';

/** A rate limit that ends within this time is waited for while the message stays claimed. */
const MAX_INLINE_WAIT_MS = 15 * SECOND;
/** Delay before the read-back of a request that may still be in flight. */
const READ_BACK_GRACE_MS = 20 * SECOND;
/** How long read-backs may fail before the message is parked. */
const MAX_READ_BACK_MS = DAY;
/** Longer than the interval between two read-backs while the program runs. */
const MAX_READ_BACK_INTERVAL_MS = 2 * HOUR;
const RETRY = { baseMs: 5 * SECOND, capMs: HOUR };

export interface DispatchDependencies {
  readonly outbox: MessageStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Woken when a message is to be retried. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'> | undefined;
  /** Daily caps by destination ID; the others have none. */
  readonly caps?: ReadonlyMap<string, DailyCap> | undefined;
  /**
   * What to do with a message that certainly did not arrive and can be retried. Default: it stays at the head of its
   * queue. `defer`: it is closed like a refused one, and the retry of its item sends it again.
   */
  readonly failedMessages?: 'defer' | undefined;
  /**
   * Since when a message may have been sent without a record here, for example before a backup was restored; `null`:
   * it was not.
   */
  readonly sentBefore?: ((delivery: Delivery) => Promise<number | null>) | undefined;
}

/** A message after one attempt, with its outcome. */
export interface Dispatched {
  readonly delivery: Delivery;
  readonly outcome: DeliveryOutcome;
  readonly ms: number;
}

/**
 * Dispatches the due messages of one destination, oldest first: read back or send, then record the outcome. A message
 * is marked `sending` before the first byte is sent, so that one found in that state after a crash is read back
 * before it is sent again (X2). `first` is claimed and marked already. Ends when nothing is due or the destination is
 * rate limited.
 */
export async function* dispatch(
  publisher: Publisher,
  deps: DispatchDependencies,
  signal?: AbortSignal,
  first: ClaimedMessage | null = null,
): AsyncGenerator<Dispatched> {
  let held =
    first ??
    (signal?.aborted ? null : await deps.outbox.claimNext(publisher.id, deps.owner, MESSAGE_LEASE_MS));
  let notBegun: ClaimedMessage | null = null;
  try {
    while (held !== null) {
      const current: ClaimedMessage = held;
      const { delivery } = current;
      const started = deps.clock.monotonic();
      const outcome = await traced(delivery, () => deliver(publisher, current, deps, signal));
      if (outcome === 'lost') return;
      // Stop at a retryable failure or a rate limit: the messages behind keep their order.
      const canContinue = outcome.state !== 'intended' && outcome.state !== 'unknown' && !signal?.aborted;
      const { finished, next } = await finishAndContinue(publisher, held, outcome, canContinue, deps);
      held = notBegun = next;
      if (finished === 'finished') yield { delivery, outcome, ms: deps.clock.monotonic() - started };
      notBegun = null;
    }
  } finally {
    // The consumer of this generator stopped or failed: restore the state of the next message, which was claimed and
    // not attempted.
    if (notBegun !== null)
      await finish(notBegun, notAttemptedOutcome(notBegun.delivery, deps.clock.now()), deps);
  }
}

function traced(
  { destination, key, attempts }: Delivery,
  work: () => Promise<DeliveryOutcome | 'lost'>,
): Promise<DeliveryOutcome | 'lost'> {
  const facts = { destination, 'message.id': key, attempts };
  return inSpan('delivery.send', facts, work, (outcome) => {
    if (outcome === 'lost') return 'the lease expired';
    return outcome.state === 'sent' ? null : `${outcome.state}: ${outcome.detail}`;
  });
}

/** If nothing can delay the next message, it is claimed and marked in the same write. */
async function finishAndContinue(
  publisher: Publisher,
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  canContinue: boolean,
  deps: DispatchDependencies,
): Promise<FinishedAndNext> {
  const { outbox, clock, owner, caps, sentBefore } = deps;
  if (!canContinue) return { finished: await finish(held, outcome, deps), next: null };
  const free =
    (publisher.rateLimitedUntil?.() ?? 0) <= clock.now() &&
    !caps?.has(publisher.id) &&
    sentBefore === undefined;
  if (free) return outbox.finishAndClaimNext(held, outcome, MESSAGE_LEASE_MS);
  const finished = await finish(held, outcome, deps);
  return { finished, next: await outbox.claimNext(publisher.id, owner, MESSAGE_LEASE_MS) };
}

async function finish(
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  { outbox, wakeUp }: DispatchDependencies,
): Promise<'finished' | 'lost'> {
  const finished = await outbox.finish(held, outcome);
  if (outcome.state === 'intended' || outcome.state === 'unknown') wakeUp?.wake(outcome.dueAt);
  return finished;
}

async function deliver(
  publisher: Publisher,
  held: ClaimedMessage,
  deps: DispatchDependencies,
  signal: AbortSignal | undefined,
): Promise<DeliveryOutcome | 'lost'> {
  const { outbox, clock } = deps;
  const since = (await deps.sentBefore?.(held.delivery)) ?? null;
  const delivery = since === null ? held.delivery : asSentBefore(held.delivery, since);
  let arrived = mayHaveArrived(delivery);
  const { key, itemKeys, body, firstTriedAt } = delivery;
  const message = { key, itemKeys, body, firstTriedAt, ...(since !== null && { sentBefore: true as const }) };
  if (arrived) {
    const answer = await readBack(publisher, message, signal);
    if (answer.outcome === 'cannot_tell' && signal?.aborted)
      return { state: 'unknown', detail: DETAIL_TEXTS.stopped_before_read_back, dueAt: clock.now() };
    const outcome = afterReadBack(delivery, publisher.abilities, answer, clock.now());
    if (outcome !== null) return outcome;
    if (answer.outcome === 'absent' && held.delivery.state === 'unknown' && deps.failedMessages === 'defer')
      return {
        state: 'refused',
        detail: `${delivery.detail ?? DETAIL_TEXTS.reply_lost}; ${DETAIL_TEXTS.not_there}`,
        passing: true,
      };
    // If the service could not tell, the message may be there, and only its idempotency key makes a retry safe.
    arrived = answer.outcome !== 'absent';
  }
  const wait = await waitForRateLimit(publisher, deps, signal);
  if (wait !== null) return { state: arrived ? 'unknown' : 'intended', ...wait };
  const cap = deps.caps?.get(publisher.id);
  const slot = await cap?.reserve();
  if (slot?.got === false) {
    const detail = `today’s ${cap?.max} messages are sent; the rest waits for the next day`;
    return { state: arrived ? 'unknown' : 'intended', detail, dueAt: slot.until };
  }
  let mayCount = false;
  try {
    if (held.marked !== true && (await outbox.markSending(held)) === 'lost') return 'lost';
    // The lease may have expired while the machine slept: another worker may be sending now (X21).
    if (clock.now() >= held.until) return 'lost';
    // No signal: a stop waits for the answer, otherwise the outcome of the message would be unknown.
    const answer = await publisher.send(message);
    mayCount = answer.outcome === 'sent' || answer.outcome === 'unknown';
    if (answer.outcome === 'held' && answer.unreachable && !arrived && deps.failedMessages === 'defer')
      return { state: 'refused', detail: answer.detail, passing: true };
    return afterSending(delivery, publisher.abilities, answer, clock.now(), arrived);
  } finally {
    if (slot !== undefined) await cap?.complete(slot, mayCount);
  }
}

/** Waits out a short rate limit; returns the due time of a longer one. */
async function waitForRateLimit(
  publisher: Publisher,
  { clock }: DispatchDependencies,
  signal: AbortSignal | undefined,
): Promise<{ readonly detail: string; readonly dueAt: number } | null> {
  const until = publisher.rateLimitedUntil?.() ?? 0;
  const ms = until - clock.now();
  if (ms > MAX_INLINE_WAIT_MS) return { detail: DETAIL_TEXTS.rate_limited, dueAt: until };
  if (ms > 0) await clock.sleep(ms, signal).catch(() => {});
  return signal?.aborted === true
    ? { detail: DETAIL_TEXTS.stopped_before_sending, dueAt: clock.now() }
    : null;
}

async function readBack(
  publisher: Publisher,
  message: Parameters<Publisher['readBack']>[0],
  signal: AbortSignal | undefined,
): Promise<ReadBackOutcome> {
  if (publisher.abilities.canReadBack) return publisher.readBack(message, signal);
  return { outcome: 'cannot_tell', detail: DETAIL_TEXTS.no_read_back };
}

function notAttemptedOutcome(delivery: Delivery, dueAt: number): DeliveryOutcome {
  if (!mayHaveArrived(delivery)) return { state: 'intended', detail: DETAIL_TEXTS.not_sent_yet, dueAt };
  return { state: 'unknown', detail: delivery.detail ?? DETAIL_TEXTS.reply_lost, dueAt };
}

function asSentBefore(delivery: Delivery, since: number): Delivery {
  const detail = delivery.detail ?? 'a backup was restored, and it may have been sent since';
  return { ...delivery, state: 'unknown', firstTriedAt: delivery.firstTriedAt ?? since, detail };
}

function mayHaveArrived(delivery: Delivery): boolean {
  return delivery.state === 'sending' || delivery.state === 'unknown';
}

/**
 * Whether the service still knows the idempotency key, so that a retry is safe; with a margin of one minute for the
 * request. Unknown if the clock was set back since.
 */
function isDeduplicatedByService(delivery: Delivery, abilities: PublisherAbilities, now: number): boolean {
  if (abilities.nativeIdempotencyMs === Number.POSITIVE_INFINITY) return true;
  const ago = now - (delivery.firstTriedAt ?? Number.NEGATIVE_INFINITY);
  return ago >= 0 && ago < abilities.nativeIdempotencyMs - MINUTE;
}

/**
 * `null`: it may be sent, because it is certainly absent or the service would deduplicate it. A read-back takes
 * precedence over the idempotency key: how long the key is valid depends on two clocks, and ours may be wrong.
 */
export function afterReadBack(
  delivery: Delivery,
  abilities: PublisherAbilities,
  answer: ReadBackOutcome,
  now: number,
): DeliveryOutcome | null {
  switch (answer.outcome) {
    case 'found':
      return sentOutcome(answer);
    case 'absent':
      return null;
    case 'cannot_tell': {
      const tryingMs = now - Math.max(delivery.firstTriedAt ?? now, delivery.createdAt);
      // After a long sleep of the machine the first failed read-back is no reason to give up.
      const slept = now - delivery.updatedAt > MAX_READ_BACK_INTERVAL_MS;
      if (answer.passing === true && (tryingMs < MAX_READ_BACK_MS || slept))
        return { state: 'unknown', detail: answer.detail, dueAt: now + readBackDelay(tryingMs) };
      if (isDeduplicatedByService(delivery, abilities, now)) return null;
      return { state: 'parked', detail: `${delivery.detail ?? DETAIL_TEXTS.reply_lost}; ${answer.detail}` };
    }
  }
}

/** Half of the time spent so far, from 10 seconds to an hour. */
function readBackDelay(tryingMs: number): number {
  return Math.min(HOUR, Math.max(10 * SECOND, tryingMs / 2));
}

/** `arrived`: an earlier attempt may have been applied, whatever the answer to this one is. */
export function afterSending(
  delivery: Delivery,
  abilities: PublisherAbilities,
  answer: SendOutcome,
  now: number,
  arrived = false,
): DeliveryOutcome {
  switch (answer.outcome) {
    case 'sent':
      return sentOutcome(answer);
    case 'refused':
      return arrived
        ? { state: 'parked', detail: `${answer.detail}; ${DETAIL_TEXTS.earlier_attempt}` }
        : { state: 'refused', detail: answer.detail };
    case 'held':
      return {
        state: arrived ? 'unknown' : 'intended',
        detail: answer.detail,
        dueAt: answer.until ?? now + retryDelay(delivery.attempts),
      };
    case 'unknown':
      return abilities.canReadBack || abilities.nativeIdempotencyMs > 0
        ? { state: 'unknown', detail: answer.detail, dueAt: now + READ_BACK_GRACE_MS }
        : { state: 'parked', detail: `${answer.detail}; ${DETAIL_TEXTS.maybe_posted}` };
  }
}

function sentOutcome(answer: { readonly remoteId: string; readonly url?: string }): DeliveryOutcome {
  return { state: 'sent', remoteId: answer.remoteId, ...(answer.url !== undefined && { url: answer.url }) };
}

/** 5 s, doubled each time, at most an hour. */
export function retryDelay(attempts: number): number {
  return backoff(attempts + 1, RETRY);
}
