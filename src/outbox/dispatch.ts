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

/** A destination that rests no longer than this is waited for, the message in hand. */
const MAX_INLINE_WAIT_MS = 15 * SECOND;
/** How long a request that may still be under way gets before its effect is looked for. */
const READ_BACK_GRACE_MS = 20 * SECOND;
/** For how long reading back may fail before a person has to look. */
const MAX_READ_BACK_MS = DAY;
/** Two looks are never further apart than this while the program runs. */
const MAX_READ_BACK_INTERVAL_MS = 2 * HOUR;
const RETRY = { baseMs: 5 * SECOND, capMs: HOUR };

export interface DispatchDependencies {
  readonly outbox: MessageStore;
  readonly clock: Clock;
  readonly owner: string;
  /** Woken when a message is to be retried. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'> | undefined;
  /** How much destinations get in a day, by their IDs; the others have no such limit. */
  readonly caps?: ReadonlyMap<string, DailyCap> | undefined;
  /**
   * What becomes of a message that certainly did not arrive, though it may be sent again. Without it the message waits at the
   * head of its line; `defer`: it is closed like a refused one, and its item decides when it is sent again.
   */
  readonly failedMessages?: 'defer' | undefined;
  /** Since when a message may have been sent without a record here, as after the restore of a backup; `null`: it was not. */
  readonly sentBefore?: ((delivery: Delivery) => Promise<number | null>) | undefined;
}

/** A message that was seen to the end of one step, and what became of it. */
export interface Dispatched {
  readonly delivery: Delivery;
  readonly outcome: DeliveryOutcome;
  readonly ms: number;
}

/**
 * Sees the messages of one destination through, the oldest first, as long as one may be worked on: find out or send, write
 * down what became of it. What is about to be sent is marked before the first byte leaves, so that a message found `sending` after a
 * crash is never simply sent again (X2). `first` is held and marked already. Ends when nothing is due, or the destination asked for
 * rest.
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
      const taken: ClaimedMessage = held;
      const { delivery } = taken;
      const started = deps.clock.monotonic();
      const outcome = await traced(delivery, () => deliver(publisher, taken, deps, signal));
      if (outcome === 'lost') return;
      // A destination that asked for rest gets it; what is behind keeps its order.
      const goOn = outcome.state !== 'intended' && outcome.state !== 'unknown' && !signal?.aborted;
      const { finished: settled, next } = await finishAndContinue(publisher, held, outcome, goOn, deps);
      held = notBegun = next;
      if (settled === 'settled') yield { delivery, outcome, ms: deps.clock.monotonic() - started };
      notBegun = null;
    }
  } finally {
    // The listener stopped or failed: the next message was taken and not attempted, so it is as it was before.
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

/** Where nothing can hold the next message up, it is taken and marked in the same write: the disk is waited for once. */
async function finishAndContinue(
  publisher: Publisher,
  held: ClaimedMessage,
  outcome: DeliveryOutcome,
  goOn: boolean,
  deps: DispatchDependencies,
): Promise<FinishedAndNext> {
  const { outbox, clock, owner, caps, sentBefore } = deps;
  if (!goOn) return { finished: await finish(held, outcome, deps), next: null };
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
): Promise<'settled' | 'lost'> {
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
      return { state: 'unknown', detail: 'stopped before it was found out', dueAt: clock.now() };
    const settled = afterReadBack(delivery, publisher.abilities, answer, clock.now());
    if (settled !== null) return settled;
    if (answer.outcome === 'absent' && held.delivery.state === 'unknown' && deps.failedMessages === 'defer')
      return {
        state: 'refused',
        detail: `${delivery.detail ?? 'the reply was lost'}; it is not there`,
        passing: true,
      };
    // Where the other side could not tell, it may still be there, and only its key makes sending again safe.
    arrived = answer.outcome !== 'absent';
  }
  const wait = await waitForRateLimit(publisher, deps, signal);
  if (wait !== null) return { state: arrived ? 'unknown' : 'intended', ...wait };
  const cap = deps.caps?.get(publisher.id);
  const place = await cap?.reserve();
  if (place?.got === false) {
    const detail = `today’s ${cap?.max} messages are sent; the rest waits for tomorrow`;
    return { state: arrived ? 'unknown' : 'intended', detail, dueAt: place.until };
  }
  let mayCount = false;
  try {
    if (held.marked !== true && (await outbox.markSending(held)) === 'lost') return 'lost';
    // A machine that slept meanwhile finds its hold run out: somebody else may be sending now (X21).
    if (clock.now() >= held.until) return 'lost';
    // Whoever stops the program now has to wait for the answer: without it nobody would know what became of the message.
    const answer = await publisher.send(message);
    mayCount = answer.outcome === 'sent' || answer.outcome === 'unknown';
    if (answer.outcome === 'held' && answer.unreachable && !arrived && deps.failedMessages === 'defer')
      return { state: 'refused', detail: answer.detail, passing: true };
    return afterSending(delivery, publisher.abilities, answer, clock.now(), arrived);
  } finally {
    if (place !== undefined) await cap?.complete(place, mayCount);
  }
}

/** Waits while the destination takes nothing for a moment; answers until when to wait where it is longer. */
async function waitForRateLimit(
  publisher: Publisher,
  { clock }: DispatchDependencies,
  signal: AbortSignal | undefined,
): Promise<{ readonly detail: string; readonly dueAt: number } | null> {
  const until = publisher.rateLimitedUntil?.() ?? 0;
  const ms = until - clock.now();
  if (ms > MAX_INLINE_WAIT_MS) return { detail: 'the destination’s own limit is used up', dueAt: until };
  if (ms > 0) await clock.sleep(ms, signal).catch(() => {});
  return signal?.aborted === true ? { detail: 'stopped before it was sent', dueAt: clock.now() } : null;
}

async function readBack(
  publisher: Publisher,
  message: Parameters<Publisher['readBack']>[0],
  signal: AbortSignal | undefined,
): Promise<ReadBackOutcome> {
  if (publisher.abilities.canReadBack) return publisher.readBack(message, signal);
  return { outcome: 'cannot_tell', detail: 'this destination cannot be asked what it has' };
}

function notAttemptedOutcome(delivery: Delivery, dueAt: number): DeliveryOutcome {
  if (!mayHaveArrived(delivery)) return { state: 'intended', detail: 'not sent yet', dueAt };
  return { state: 'unknown', detail: delivery.detail ?? 'the reply was lost', dueAt };
}

function asSentBefore(delivery: Delivery, since: number): Delivery {
  const detail = delivery.detail ?? 'a backup was restored, and it may have been sent since';
  return { ...delivery, state: 'unknown', firstTriedAt: delivery.firstTriedAt ?? since, detail };
}

function mayHaveArrived(delivery: Delivery): boolean {
  return delivery.state === 'sending' || delivery.state === 'unknown';
}

/**
 * Whether the other side still knows the key, so that sending again is safe. A minute is left for the way. A clock that was
 * set back tells nothing about how long ago it was.
 */
function isDeduplicatedByService(delivery: Delivery, abilities: PublisherAbilities, now: number): boolean {
  if (abilities.nativeIdempotencyMs === Number.POSITIVE_INFINITY) return true;
  const ago = now - (delivery.firstTriedAt ?? Number.NEGATIVE_INFINITY);
  return ago >= 0 && ago < abilities.nativeIdempotencyMs - MINUTE;
}

/**
 * `null`: it may be sent, because it is certainly not there or because the other side would recognise it. Looking comes
 * first wherever it is possible: how long a key is still known is a matter of two clocks, and ours may be wrong.
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
      const lookedFor = now - Math.max(delivery.firstTriedAt ?? now, delivery.createdAt);
      // After a long sleep nobody has looked for that long: the first look that fails is no reason to give up.
      const slept = now - delivery.updatedAt > MAX_READ_BACK_INTERVAL_MS;
      if (answer.passing === true && (lookedFor < MAX_READ_BACK_MS || slept))
        return { state: 'unknown', detail: answer.detail, dueAt: now + readBackDelay(lookedFor) };
      if (isDeduplicatedByService(delivery, abilities, now)) return null;
      return { state: 'parked', detail: `${delivery.detail ?? 'the reply was lost'}; ${answer.detail}` };
    }
  }
}

/** Half as long again as it has been looked for, from 10 seconds to an hour. */
function readBackDelay(lookedFor: number): number {
  return Math.min(HOUR, Math.max(10 * SECOND, lookedFor / 2));
}

/** `arrived`: an earlier attempt may have been applied. What this answer says of this attempt does not change that. */
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
        ? { state: 'parked', detail: `${answer.detail}; an earlier attempt may have been posted` }
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
        : { state: 'parked', detail: `${answer.detail}; it may or may not have been posted` };
  }
}

function sentOutcome(answer: { readonly remoteId: string; readonly url?: string }): DeliveryOutcome {
  return { state: 'sent', remoteId: answer.remoteId, ...(answer.url !== undefined && { url: answer.url }) };
}

/** 5 s, doubled each time, at most an hour. */
export function retryDelay(attempts: number): number {
  return backoff(attempts + 1, RETRY);
}
