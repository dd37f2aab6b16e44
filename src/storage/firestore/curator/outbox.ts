import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ItemKey } from '../../../item/item.ts';
import type { Transition } from '../../../item/lifecycle.ts';
import { BadCursorError } from '../../../ledger/filter.ts';
import { checkLeaseMs, checkLimit } from '../../../ledger/validation.ts';
import { asDecided, finished, withoutFuture } from '../../../outbox/message-record.ts';
import {
  type ClaimedMessage,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryFilter,
  type DeliveryOutcome,
  type DeliveryPage,
  type DeliveryState,
  earliestDue,
  type FinishedAndNext,
  type MessageStore,
  OPEN_DELIVERIES,
} from '../../../outbox/outbox.ts';
import type { CorrectedTimes, LeaseWatch } from '../../../time/clock.ts';
import { SECOND } from '../../../time/duration.ts';
import type { TransactionReads, Write } from '../connection.ts';
import { collectionOf, SNOWFLAKE } from '../ledger/article-layout.ts';
import type { CuratorArticles } from './articles.ts';
import {
  asMarked,
  claimsOn,
  deliveriesOf,
  headOf,
  messageIn,
  nextOf,
  withLines,
  withMessage,
} from './digest-messages.ts';
import type { Change, CuratorDigests } from './digests.ts';
import { byAge, type CuratorBase, type Digest, type DigestMessage, digestOf, tagOf } from './documents.ts';

/** Each poll costs one read, and a dead process' message must be found within a minute (X21). */
const POLL_INTERVAL_MS = 45 * SECOND;

const UNFINISHED: readonly DeliveryState[] = [...OPEN_DELIVERIES, 'parked', 'refused'];

interface CuratorOutboxDependencies extends CuratorBase {
  readonly articles: CuratorArticles;
  readonly digests: CuratorDigests;
  /** Destinations on Discord, whose messages have the IDs of A13. */
  readonly discord: ReadonlySet<string>;
  /** Called when the outcome of a message also advanced an article. */
  readonly onStep: (item: ItemKey, transition: Transition) => void;
}

/** A claim of this process on a message. Other processes do not see it until the message is marked as being sent. */
interface LocalClaim {
  readonly digest: string;
  readonly owner: string;
  readonly token: number;
  readonly until: number;
}

/**
 * The curator's outbox. n messages of a digest cost n + 1 writes: it is created with the first message of each destination
 * marked as being sent, and each message is finished by one compare-and-set that also marks the next one.
 */
export class CuratorOutbox implements MessageStore {
  readonly abilities = { pollIntervalMs: POLL_INTERVAL_MS };
  readonly #deps: CuratorOutboxDependencies;
  readonly #claims = new Map<string, LocalClaim>();

  constructor(deps: CuratorOutboxDependencies) {
    this.#deps = deps;
  }

  async claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null> {
    checkLeaseMs(leaseMs);
    const head = headOf(await this.#deps.digests.open(), destination);
    const now = this.#deps.clock.now();
    if (head === null) return null;
    const { digest, message } = head;
    if (this.#claimedUntil(message) > now || (message.delivery.dueAt ?? 0) > now) return null;
    const local = { digest: digest.id, owner, token: message.token + 1, until: now + leaseMs };
    this.#claims.set(message.delivery.key, local);
    return { delivery: message.delivery, owner, token: local.token, until: local.until };
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    const open = await this.#deps.digests.open();
    return earliestDue(
      destinations.map((destination) => {
        const head = headOf(open, destination);
        if (head === null) return null;
        const { message } = head;
        return { heldUntil: this.#claimedUntil(message), dueAt: message.delivery.dueAt ?? 0 };
      }),
    );
  }

  markSending(claim: ClaimedMessage): Promise<'marked' | 'lost'> {
    return this.#mutate(claim, (digest, message) => {
      const now = this.#deps.clock.now();
      if (message.marked === claim.token && message.held?.owner === claim.owner)
        return { value: message.held.until > now ? 'marked' : 'lost', digest: null };
      if (claim.until <= now || !this.#isClaimValid(claim, message)) return { value: 'lost', digest: null };
      return { value: 'marked', digest: withMessage(digest, asMarked(message, claim, now)) };
    });
  }

  async finish(claim: ClaimedMessage, outcome: DeliveryOutcome): Promise<'finished' | 'lost'> {
    return (await this.#finish(claim, outcome, null)).finished;
  }

  async finishAndClaimNext(
    claim: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext> {
    checkLeaseMs(leaseMs);
    const done = await this.#finish(claim, outcome, leaseMs);
    if (done.finished === 'lost' || done.next !== null) return done;
    return { ...done, next: await this.claimNext(claim.delivery.destination, claim.owner, leaseMs) };
  }

  /** `leaseMs`: marks the next message of the destination in the same write; `null`: does not. */
  async #finish(
    claim: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number | null,
  ): Promise<FinishedAndNext> {
    const attempt = randomUUID();
    const { key } = claim.delivery;
    const steps: [ItemKey, Transition][] = [];
    let ended: Delivery | null = null;
    const done = await this.#mutate<FinishedAndNext>(claim, async (digest, message, reads) => {
      steps.length = 0;
      ended = null;
      const now = this.#deps.clock.now();
      const isFinished = message.token === claim.token && message.held === null;
      if (isFinished || !(this.#isMarkedBy(claim, message) || this.#isClaimValid(claim, message))) {
        const isSame = isFinished && message.delivery.state === outcome.state;
        const next = digest.messages.flatMap((one) => (one.held?.attempt === attempt ? claimsOn(one) : []));
        return { value: { finished: isSame ? 'finished' : 'lost', next: next[0] ?? null }, digest: null };
      }
      const delivery = finished(message.delivery, outcome, now);
      ended = delivery;
      const updated = withLines(
        withMessage(digest, { ...message, token: claim.token, held: null, delivery }),
        delivery,
        claim.owner,
        now,
      );
      const next = leaseMs === null ? null : nextOf(updated, delivery, now);
      const until = now + (leaseMs ?? 0);
      const marked =
        next && asMarked(next, { owner: claim.owner, token: next.token + 1, until }, now, attempt);
      const after = marked === null ? updated : withMessage(updated, marked);
      const recorded = await this.#deps.digests.recordFinished(after, claim.owner, reads, steps);
      const [claimed] = marked === null ? [] : claimsOn(marked);
      return {
        value: { finished: 'finished', next: claimed ?? null },
        digest: recorded.digest,
        writes: recorded.writes,
      };
    });
    if (this.#isOurs(claim)) this.#claims.delete(key);
    for (const [item, transition] of steps) this.#deps.onStep(item, transition);
    if (ended !== null) await this.#correctMessageId(ended);
    return done;
  }

  async correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    const done = { corrected: 0, watched: 0 };
    const open = await this.#deps.digests.open();
    for (const destination of destinations) {
      const head = headOf(open, destination);
      if (head === null) continue;
      const { delivery, held } = head.message;
      const heldUntil = this.#claimedUntil(head.message);
      const next = withoutFuture({ delivery, heldUntil }, leaseMs, leases, this.#deps.clock.now());
      if (next === 'watched') done.watched++;
      if (next === 'watched' || next === null) continue;
      this.#claims.delete(delivery.key);
      const corrected = {
        ...head.message,
        delivery: next.delivery,
        held: held && { ...held, until: next.heldUntil },
      };
      await this.#deps.digests.change(head.digest.id, delivery.key, (digest, message) => {
        const isObsolete = !isDeepStrictEqual(message, head.message) || isDeepStrictEqual(corrected, message);
        return { value: undefined, digest: isObsolete ? null : withMessage(digest, corrected) };
      });
      done.corrected++;
    }
    return done;
  }

  /** Articles that a person reopened return to the digest, and are recorded when all its messages are finished. */
  async decide(key: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean> {
    const { digests, clock } = this.#deps;
    const steps: [ItemKey, Transition][] = [];
    let tried: Delivery | null = null;
    const done = await digests.transact(async (reads) => {
      steps.length = 0;
      const digest = await digests.ofMessage(key, reads);
      const message = digest === null ? undefined : messageIn(digest, key);
      // An earlier attempt succeeded, but its reply was lost.
      if (tried !== null && isDeepStrictEqual(message?.delivery, tried)) return { value: true, writes: [] };
      const delivery = message && asDecided(message.delivery, decision, who, clock.now());
      if (digest === null || message === undefined || !delivery) return { value: false, writes: [] };
      tried = delivery;
      const { articles, deletes } = await digests.candidatesAmong(delivery.itemKeys, digest, reads);
      const next = withMessage(
        { ...digest, articles: [...digest.articles, ...articles] },
        { ...message, held: null, delivery },
      );
      const updated = withLines(next, delivery, who, clock.now());
      const recorded = await digests.recordFinished(updated, who, reads, steps);
      // A document that is both moved into the digest and recorded again must not be deleted.
      const written = new Set(recorded.writes.map(({ at }) => at.join('/')));
      const others = deletes.filter(({ at }) => !written.has(at.join('/')));
      return { value: true, writes: [digests.set(recorded.digest), ...recorded.writes, ...others] };
    });
    for (const [item, transition] of steps) this.#deps.onStep(item, transition);
    return done;
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    const from = readCursor(filter.cursor);
    if (filter.states?.length === 0) return { deliveries: [], next: null };
    const { states = DELIVERY_STATES, destination } = filter;
    const { digests, digestsWith } = this.#deps.queries;
    const tags = states.map((state) => (destination === undefined ? state : tagOf(destination, state)));
    const isAll = filter.states === undefined && destination === undefined;
    const found = await this.#deps.connection.query(isAll ? digests : digestsWith, {
      where: isAll ? [] : [tags],
      // The previous page may have returned the first digest.
      limit: filter.limit + 2,
      ...(from !== null && { startAfter: [from.nth + 1] }),
    });
    const matching = found
      .flatMap((snapshot) => digestOf(snapshot) ?? [])
      .sort((a, b) => byAge(b, a))
      .flatMap((digest) =>
        [...digest.messages.entries()].reverse().map(([index, message]) => ({ digest, index, message })),
      )
      .filter(
        ({ digest, index, message: { delivery } }) =>
          states.includes(delivery.state) &&
          (destination ?? delivery.destination) === delivery.destination &&
          (from === null || isBehind(digest, index, from)),
      );
    const page = matching.slice(0, filter.limit);
    const last = page.at(-1);
    const isMore = matching.length > page.length;
    return {
      deliveries: page.map(({ message }) => message.delivery),
      next: last !== undefined && isMore ? `${last.digest.nth}~${last.digest.id}~${last.index}` : null,
    };
  }

  async ofItem(key: ItemKey): Promise<readonly Delivery[]> {
    return (await this.#deps.digests.ofItems([key])).flatMap((digest) => deliveriesOf(digest, key));
  }

  async counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    const { connection, queries } = this.#deps;
    const counted = { intended: 0, sending: 0, unknown: 0, sent: 0, refused: 0, parked: 0, dropped: 0 };
    const [unfinished, sent, dropped] = await Promise.all([
      connection.query(queries.digestsTagged, { where: [[...UNFINISHED]] }),
      connection.sum(queries.allDigests, 'sent'),
      connection.sum(queries.allDigests, 'dropped'),
    ]);
    for (const snapshot of unfinished)
      for (const { delivery } of digestOf(snapshot)?.messages ?? [])
        if (UNFINISHED.includes(delivery.state)) counted[delivery.state]++;
    return { ...counted, sent, dropped };
  }

  /** Earlier versions recorded articles as notified whose message Discord had refused: a retry adds their message ID. */
  async #correctMessageId(delivery: Delivery): Promise<void> {
    const { discord, names, articles, connection } = this.#deps;
    const { state, attempts, destination, remoteId, itemKeys } = delivery;
    if (state !== 'sent' || attempts < 2 || !discord.has(destination)) return;
    if (remoteId === null || !SNOWFLAKE.test(remoteId)) return;
    const found = await articles.recorded(itemKeys);
    const writes = [...found.values()].flatMap(({ at, stored }): Write[] => {
      if (at[0] !== names.notified || collectionOf(stored.item, remoteId) !== 'notified') return [];
      return [{ do: 'patch', at, data: { discord_message_id: remoteId } }];
    });
    await connection.commit(writes);
  }

  /** Changes the digest of a claimed message; `value` alone where it is left unchanged. */
  #mutate<T>(
    { delivery }: ClaimedMessage,
    decide: (
      digest: Digest,
      message: DigestMessage,
      reads: TransactionReads,
    ) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const id = this.#claims.get(delivery.key)?.digest;
    return this.#deps.digests.change(id, delivery.key, decide);
  }

  /** Whether a message that this process claimed and has not marked yet is unchanged since the claim. */
  #isClaimValid(claim: ClaimedMessage, message: DigestMessage): boolean {
    const isFree = (message.held?.until ?? 0) <= this.#deps.clock.now();
    return this.#isOurs(claim) && message.token === claim.token - 1 && isFree;
  }

  #isOurs({ delivery, owner, token }: ClaimedMessage): boolean {
    const local = this.#claims.get(delivery.key);
    return local !== undefined && local.owner === owner && local.token === token;
  }

  #isMarkedBy({ owner, token }: ClaimedMessage, message: DigestMessage): boolean {
    return message.token === token && message.held?.owner === owner;
  }

  #claimedUntil(message: DigestMessage): number {
    const local = this.#claims.get(message.delivery.key);
    const here = local !== undefined && local.token === message.token + 1 ? local.until : 0;
    return Math.max(here, message.held?.until ?? 0);
  }
}

interface MessageCursor {
  readonly nth: number;
  readonly id: string;
  readonly index: number;
}

function readCursor(cursor: string | undefined): MessageCursor | null {
  if (cursor === undefined) return null;
  // Cursors of earlier versions name a message by its number and the ID of its own document.
  const parts = /^(\d{1,16})(?:~([0-9a-f]{64})(?:~(\d{1,4}))?)?$/.exec(cursor);
  if (parts === null) throw new BadCursorError(cursor);
  return { nth: Number(parts[1]), id: parts[2] ?? '', index: Number(parts[3] ?? 0) };
}

function isBehind(digest: Digest, index: number, from: MessageCursor): boolean {
  if (digest.nth !== from.nth) return digest.nth < from.nth;
  return digest.id === from.id ? index < from.index : digest.id < from.id;
}
