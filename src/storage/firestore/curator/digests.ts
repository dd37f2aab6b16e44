import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ItemKey } from '../../../item/item.ts';
import { advance, type LifecyclePolicy, type Transition } from '../../../item/lifecycle.ts';
import { BadCursorError } from '../../../ledger/filter.ts';
import { type ItemRecord, stepped, withLine } from '../../../ledger/item-record.ts';
import type { NewMessage } from '../../../ledger/ledger.ts';
import { checkLeaseMs, checkLimit } from '../../../ledger/validation.ts';
import {
  asDecided,
  asSending,
  deliveryLine,
  finished,
  hasSameContent,
  newMessage,
  repeatItem,
  withoutFuture,
} from '../../../outbox/message-record.ts';
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
import type { CreatedDigest, NewDigest } from '../../../pipelines/curator-store.ts';
import { eventForDeliveries, remoteIds } from '../../../pipelines/publish.ts';
import type { Clock, CorrectedTimes, LeaseWatch } from '../../../time/clock.ts';
import { SECOND } from '../../../time/duration.ts';
import type { DocumentPath, FirestoreConnection, TransactionReads, Write } from '../connection.ts';
import { collectionOf, isArticle, isRefused, SNOWFLAKE } from '../ledger/article-layout.ts';
import { hashOf, recordOfDocument } from '../ledger/document.ts';
import type { SequenceNumbers } from '../ledger/ledger-store.ts';
import { type CuratorArticles, isSameStanding } from './articles.ts';
import {
  byAge,
  type CuratorCollections,
  type CuratorQueries,
  candidatePlace,
  type Digest,
  type DigestMessage,
  digestDocument,
  digestOf,
  inChunks,
  tagOf,
} from './documents.ts';

/** Each look costs one read, and a dead process' message must be found within a minute (X21). */
const LOOK_EVERY = 45 * SECOND;

const UNFINISHED: readonly DeliveryState[] = [...OPEN_DELIVERIES, 'parked', 'refused'];

export interface DigestParts {
  readonly connection: FirestoreConnection;
  readonly names: CuratorCollections;
  readonly queries: CuratorQueries;
  readonly articles: CuratorArticles;
  readonly clock: Clock;
  readonly order: SequenceNumbers;
  readonly policy: LifecyclePolicy;
  /** Destinations on Discord, whose messages have the IDs of A13. */
  readonly discord: ReadonlySet<string>;
  /** An article was brought forward together with the outcome of a message. */
  readonly onStep: (item: ItemKey, transition: Transition) => void;
}

/** A message that this process has taken. Until it is marked as being sent, no other process knows. */
interface Hold {
  readonly digest: string;
  readonly owner: string;
  readonly token: number;
  readonly until: number;
}

/** Articles that go into a digest, and the one that is there in their place. */
export interface DigestArticle {
  readonly stored: ItemRecord;
  /** Where its document is; `null` where it has none. */
  readonly at: DocumentPath | null;
}

/**
 * The curator's outbox: one document for each digest, with its articles and its messages to all destinations. n messages cost n + 1
 * writes: the digest is created with the first message of each destination marked as being sent, and each message is finished by one
 * compare-and-set that also marks the next one. When all messages of an article are finished, the same write records the article.
 */
export class CuratorDigests implements MessageStore {
  readonly abilities = { pollIntervalMs: LOOK_EVERY };
  readonly #parts: DigestParts;
  readonly #holds = new Map<string, Hold>();
  /** One change at a time in this process: destinations share a document, and would only meet conflicts. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: DigestParts) {
    this.#parts = parts;
  }

  /** Creates a digest, see `CuratorStore.createDigest`. */
  create(digest: Omit<NewDigest, 'articles'>, articles: readonly DigestArticle[]): Promise<CreatedDigest> {
    const { messages, sender } = digest;
    if (repeatItem(messages)) return Promise.resolve({ outcome: 'taken', held: [] });
    const id = hashOf(randomUUID());
    return this.#inTurn(async () => {
      const created = await this.#parts.connection.transact<Created>(
        this.#parts.names.outbox,
        async (reads) => {
          const [own] = await reads.getAll([this.#at(id)]);
          const ours = own === undefined ? null : digestOf(own);
          // An earlier try of ours whose reply was lost went through.
          if (ours !== null) return { value: { outcome: 'created', digest: ours }, writes: [] };
          const free = await this.#freeOf(messages, reads);
          if (free === 'taken') return { value: { outcome: 'taken', digest: null }, writes: [] };
          if (free.messages.length === 0) return { value: { outcome: 'there', digest: null }, writes: [] };
          const stale = await this.#staleAmong(articles, reads);
          if (stale !== null) return { value: { outcome: 'taken', digest: null }, writes: stale };
          const next = await this.#newDigest(id, { messages: free.messages, sender }, articles, reads);
          const away = articles.flatMap(({ at }): Write[] => (at === null ? [] : [{ do: 'delete', at }]));
          const write: Write = { do: 'create', at: this.#at(id), data: digestDocument(next) };
          return { value: { outcome: 'created', digest: next }, writes: [write, ...away, ...free.writes] };
        },
      );
      const held = created.digest?.messages.flatMap((message) => this.#heldOf(id, message)) ?? [];
      return { outcome: created.outcome, held };
    });
  }

  /** Adds messages to a digest, see `CuratorStore.updateDigest`. */
  async add(id: string, messages: readonly NewMessage[]): Promise<void> {
    await this.#inTurn(() =>
      this.#parts.connection.transact(this.#parts.names.outbox, async (reads) => {
        const [snapshot] = await reads.getAll([this.#at(id)]);
        const digest = snapshot === undefined ? null : digestOf(snapshot);
        const free = digest === null ? 'taken' : await this.#freeOf(messages, reads);
        if (digest === null || free === 'taken' || free.messages.length === 0)
          return { value: undefined, writes: [] };
        const keys = free.messages.flatMap(({ itemKeys }) => itemKeys);
        const { articles, away } = await this.#candidatesAmong(keys, digest, reads);
        const next = {
          ...digest,
          articles: [...digest.articles, ...articles],
          messages: [...digest.messages, ...free.messages.map((intent) => this.#newMessage(intent))],
        };
        const others = free.writes.filter(({ at }) => at[1] !== id);
        return { value: undefined, writes: [this.#set(next), ...away, ...others] };
      }),
    );
  }

  /** Digests with something to do. */
  async open(reads: Pick<TransactionReads, 'query'> = this.#parts.connection): Promise<Digest[]> {
    const found = await reads.query(this.#parts.queries.openDigests, { where: [true] });
    return found.flatMap((snapshot) => digestOf(snapshot) ?? []).sort(byAge);
  }

  /** Digests that name one of these items, the oldest first. */
  async ofItems(
    keys: readonly ItemKey[],
    reads: Pick<TransactionReads, 'query'> = this.#parts.connection,
  ): Promise<Digest[]> {
    const found = new Map<string, Digest>();
    for (const ids of inChunks([...new Set(keys)].map((key) => hashOf(key))))
      for (const snapshot of await reads.query(this.#parts.queries.digestsOfItems, { where: [ids] })) {
        const digest = digestOf(snapshot);
        if (digest !== null) found.set(digest.id, digest);
      }
    return [...found.values()].sort(byAge);
  }

  /** Takes an article out of a digest and writes it elsewhere, in one commit; false where it is no longer there. */
  async takeOut(
    id: string,
    before: ItemRecord,
    write: (reads: TransactionReads) => Promise<Write>,
  ): Promise<boolean> {
    return this.#inTurn(() =>
      this.#parts.connection.transact(this.#parts.names.outbox, async (reads) => {
        const [snapshot] = await reads.getAll([this.#at(id)]);
        const digest = snapshot === undefined ? null : digestOf(snapshot);
        const there = digest?.articles.find(({ item }) => item.key === before.item.key);
        if (digest === null || there === undefined || !isSameStanding(there.item, before.item))
          return { value: false, writes: [] };
        const next = { ...digest, articles: digest.articles.filter((stored) => stored !== there) };
        return { value: true, writes: [this.#set(next), await write(reads)] };
      }),
    );
  }

  async claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null> {
    checkLeaseMs(leaseMs);
    const head = headOf(await this.open(), destination);
    const now = this.#parts.clock.now();
    if (head === null) return null;
    const { digest, message } = head;
    if (this.#heldUntil(message) > now || (message.delivery.dueAt ?? 0) > now) return null;
    const hold = { digest: digest.id, owner, token: message.token + 1, until: now + leaseMs };
    this.#holds.set(message.delivery.key, hold);
    return { delivery: message.delivery, owner, token: hold.token, until: hold.until };
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    const open = await this.open();
    return earliestDue(
      destinations.map((destination) => {
        const head = headOf(open, destination);
        if (head === null) return null;
        const { message } = head;
        return { heldUntil: this.#heldUntil(message), dueAt: message.delivery.dueAt ?? 0 };
      }),
    );
  }

  markSending(held: ClaimedMessage): Promise<'marked' | 'lost'> {
    return this.#mutate(held, (digest, message) => {
      const now = this.#parts.clock.now();
      if (message.marked === held.token && message.held?.owner === held.owner)
        return { value: message.held.until > now ? 'marked' : 'lost', digest: null };
      if (held.until <= now || !this.#mayTake(held, message)) return { value: 'lost', digest: null };
      const next = {
        ...message,
        ...marks(held.owner, held.token, held.until, ''),
        delivery: asSending(message.delivery, now),
      };
      return { value: 'marked', digest: withMessage(digest, next) };
    });
  }

  async finish(held: ClaimedMessage, outcome: DeliveryOutcome): Promise<'settled' | 'lost'> {
    return (await this.#finish(held, outcome, null)).finished;
  }

  async finishAndClaimNext(
    held: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext> {
    checkLeaseMs(leaseMs);
    const done = await this.#finish(held, outcome, leaseMs);
    if (done.finished === 'lost' || done.next !== null) return done;
    return { ...done, next: await this.claimNext(held.delivery.destination, held.owner, leaseMs) };
  }

  /** `leaseMs`: the next message of the destination is marked in the same write; `null`: it is not. */
  async #finish(
    held: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number | null,
  ): Promise<FinishedAndNext> {
    const attempt = randomUUID();
    const { key } = held.delivery;
    const steps: [ItemKey, Transition][] = [];
    let ended: Delivery | null = null;
    const done = await this.#mutate<FinishedAndNext>(held, async (digest, message, reads) => {
      steps.length = 0;
      ended = null;
      const now = this.#parts.clock.now();
      const isFinished = message.token === held.token && message.held === null;
      if (isFinished || !(this.#isMarkedBy(held, message) || this.#mayTake(held, message))) {
        const same = isFinished && message.delivery.state === outcome.state;
        const next = digest.messages.flatMap((one) =>
          one.held?.attempt === attempt ? this.#heldOf(digest.id, one) : [],
        );
        return { value: { finished: same ? 'settled' : 'lost', next: next[0] ?? null }, digest: null };
      }
      const delivery = finished(message.delivery, outcome, now);
      ended = delivery;
      const told = withLines(
        { ...digest, ...withMessage(digest, { ...message, token: held.token, held: null, delivery }) },
        delivery,
        held.owner,
        now,
      );
      const next = leaseMs === null ? null : nextOf(told, delivery, now);
      const until = now + (leaseMs ?? 0);
      const marked = next && {
        ...next,
        ...marks(held.owner, next.token + 1, until, attempt),
        delivery: asSending(next.delivery, now),
      };
      const after = marked === null ? told : withMessage(told, marked);
      const recorded = await this.#recordFinished(after, held.owner, reads, steps);
      const [taken] = marked === null ? [] : this.#heldOf(digest.id, marked);
      return {
        value: { finished: 'settled', next: taken ?? null },
        digest: recorded.digest,
        writes: recorded.writes,
      };
    });
    if (this.#isOurs(held)) this.#holds.delete(key);
    for (const [item, transition] of steps) this.#parts.onStep(item, transition);
    if (ended !== null) await this.#correctMessageId(ended);
    return done;
  }

  async correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    const done = { corrected: 0, watched: 0 };
    const open = await this.open();
    for (const destination of destinations) {
      const head = headOf(open, destination);
      if (head === null) continue;
      const corrected = (message: DigestMessage) =>
        withoutFuture(
          { delivery: message.delivery, heldUntil: this.#heldUntil(message) },
          leaseMs,
          leases,
          this.#parts.clock.now(),
        );
      const next = corrected(head.message);
      if (next === 'watched') done.watched++;
      if (next === 'watched' || next === null) continue;
      this.#holds.delete(head.message.delivery.key);
      await this.#change(head.digest.id, head.message.delivery.key, (digest, message) => {
        const same = message.token === head.message.token && isDeepStrictEqual(message, head.message);
        if (!same) return { value: undefined, digest: null };
        const { held } = message;
        const right = {
          ...message,
          delivery: next.delivery,
          held: held && { ...held, until: next.heldUntil },
        };
        return {
          value: undefined,
          digest: isDeepStrictEqual(right, message) ? null : withMessage(digest, right),
        };
      });
      done.corrected++;
    }
    return done;
  }

  /** The articles that a person brought back for it are in the digest again, and are recorded when all its messages are finished. */
  async decide(key: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean> {
    const { connection, names, queries, clock } = this.#parts;
    const steps: [ItemKey, Transition][] = [];
    let tried: Delivery | null = null;
    const done = await this.#inTurn(() =>
      connection.transact(names.outbox, async (reads) => {
        steps.length = 0;
        const found = await reads.query(queries.digestOfMessage, { where: [hashOf(key)] });
        const digests = found.flatMap((snapshot) => digestOf(snapshot) ?? []);
        // What was dropped and said again is in a later digest.
        const digest = digests.sort(byAge).at(-1) ?? null;
        const message = digest === null ? undefined : messageIn(digest, key);
        // An earlier try of ours whose reply was lost went through.
        if (tried !== null && isDeepStrictEqual(message?.delivery, tried)) return { value: true, writes: [] };
        const delivery = message && asDecided(message.delivery, decision, who, clock.now());
        if (digest === null || message === undefined || !delivery) return { value: false, writes: [] };
        tried = delivery;
        const { articles, away } = await this.#candidatesAmong(delivery.itemKeys, digest, reads);
        const next = withMessage(
          { ...digest, articles: [...digest.articles, ...articles] },
          {
            ...message,
            held: null,
            delivery,
          },
        );
        const recorded = await this.#recordFinished(
          withLines(next, delivery, who, clock.now()),
          who,
          reads,
          steps,
        );
        // A document that is both taken into the digest and recorded again stays where it is written.
        const written = new Set(recorded.writes.map(({ at }) => at.join('/')));
        const deletes = away.filter(({ at }) => !written.has(at.join('/')));
        return { value: true, writes: [this.#set(recorded.digest), ...recorded.writes, ...deletes] };
      }),
    );
    for (const [item, transition] of steps) this.#parts.onStep(item, transition);
    return done;
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    const from = readCursor(filter.cursor);
    if (filter.states?.length === 0) return { deliveries: [], next: null };
    const { states = DELIVERY_STATES, destination } = filter;
    const { digests, digestsWith } = this.#parts.queries;
    const tags = states.map((state) => (destination === undefined ? state : tagOf(destination, state)));
    const isAll = filter.states === undefined && destination === undefined;
    const found = await this.#parts.connection.query(isAll ? digests : digestsWith, {
      where: isAll ? [] : [tags],
      // The first digest may have been told by the page before.
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
    return (await this.ofItems([key])).flatMap((digest) => deliveriesOf(digest, key));
  }

  async counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    const { connection, queries } = this.#parts;
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

  /**
   * Messages that are not written yet and say nothing that was said before; `taken` where one of them does. `writes` end those
   * of the same key that were dropped.
   */
  async #freeOf(
    messages: readonly NewMessage[],
    reads: TransactionReads,
  ): Promise<{ readonly messages: readonly NewMessage[]; readonly writes: readonly Write[] } | 'taken'> {
    const beside = await this.ofItems(
      messages.flatMap(({ itemKeys }) => itemKeys),
      reads,
    );
    for (const { nth } of beside) this.#parts.order.advancePast(nth);
    const said = beside.flatMap((digest) => digest.messages.map(({ delivery }) => delivery));
    const free = messages.filter(
      ({ key }) => !said.some((one) => one.key === key && one.state !== 'dropped'),
    );
    if (free.some((intent) => said.some((delivery) => hasSameContent(delivery, intent)))) return 'taken';
    const keys = new Set(free.map(({ key }) => key));
    const writes = beside.flatMap((digest): Write[] => {
      const left = digest.messages.filter(({ delivery }) => !keys.has(delivery.key));
      if (left.length === digest.messages.length) return [];
      if (left.length === 0 && digest.articles.length === 0)
        return [{ do: 'delete', at: this.#at(digest.id) }];
      return [this.#set({ ...digest, messages: left })];
    });
    return { messages: free, writes };
  }

  /** `null`: all of them can go into a digest. Otherwise the writes that end candidates which were published before. */
  async #staleAmong(articles: readonly DigestArticle[], reads: TransactionReads): Promise<Write[] | null> {
    const places = this.#parts.articles.notifiedPlaces(articles.map(({ stored }) => stored.item));
    const snapshots = await reads.getAll([
      ...places.map(({ place }) => place),
      ...articles.map(({ stored }) => candidatePlace(this.#parts.names, stored.item.key)),
    ]);
    const published = new Set(
      places.flatMap(({ key, urls }, index) => {
        const data = snapshots[index]?.data();
        return data !== undefined && isArticle(data, urls) ? [key] : [];
      }),
    );
    const changed = articles.some(({ stored, at }, index) => {
      const there = snapshots[places.length + index];
      const found = there?.exists === true ? recordOfDocument(there) : null;
      if (at === null) return found !== null;
      return found === null || !isSameStanding(found.item, stored.item);
    });
    if (published.size === 0 && !changed) return null;
    return articles.flatMap(({ stored, at }): Write[] =>
      at !== null && published.has(stored.item.key) ? [{ do: 'delete', at }] : [],
    );
  }

  async #newDigest(
    id: string,
    { messages, sender }: Omit<NewDigest, 'articles'>,
    articles: readonly DigestArticle[],
    reads: TransactionReads,
  ): Promise<Digest> {
    const { clock, order } = this.#parts;
    const open = await this.open(reads);
    for (const { nth } of open) order.advancePast(nth);
    const now = clock.now();
    // What is in front of the line is sent first.
    const startable = new Set(
      sender.destinations.filter((destination) => headOf(open, destination) === null),
    );
    const begun = messages.map((intent) => {
      const message = this.#newMessage(intent);
      if (!startable.delete(intent.destination)) return message;
      return {
        ...message,
        ...marks(sender.owner, 1, now + sender.leaseMs, ''),
        delivery: asSending(message.delivery, now),
      };
    });
    return {
      id,
      nth: order.next(),
      articles: articles.map(({ stored }) => ({ ...stored, claim: null })),
      messages: begun,
    };
  }

  #newMessage(intent: NewMessage): DigestMessage {
    return {
      delivery: newMessage(intent, 0, this.#parts.clock.now()).delivery,
      token: 0,
      marked: null,
      held: null,
    };
  }

  /** Accepted candidates among these that are not in the digest, and the writes that take them away from where they are. */
  async #candidatesAmong(
    keys: readonly ItemKey[],
    digest: Digest,
    reads: TransactionReads,
  ): Promise<{ readonly articles: readonly ItemRecord[]; readonly away: readonly Write[] }> {
    const outside = [...new Set(keys)].filter((key) => !digest.articles.some(({ item }) => item.key === key));
    const places = outside.map((key) => candidatePlace(this.#parts.names, key));
    const articles: ItemRecord[] = [];
    const away: Write[] = [];
    for (const [index, snapshot] of (await reads.getAll(places)).entries()) {
      const stored = snapshot.exists ? recordOfDocument(snapshot) : null;
      const at = places[index];
      if (stored === null || at === undefined || stored.item.state !== 'accepted') continue;
      articles.push(stored);
      away.push({ do: 'delete', at });
    }
    return { articles, away };
  }

  /** Takes those articles out of the digest whose messages are all finished, with the writes that record them. */
  async #recordFinished(
    digest: Digest,
    owner: string,
    reads: TransactionReads,
    steps: [ItemKey, Transition][],
  ): Promise<{ readonly digest: Digest; readonly writes: readonly Write[] }> {
    const { policy, clock, articles } = this.#parts;
    const open: ItemRecord[] = [];
    const writes: Write[] = [];
    for (const stored of digest.articles) {
      const deliveries = deliveriesOf(digest, stored.item.key);
      const event = eventForDeliveries(deliveries);
      const next = event && advance(stored.item, event, clock.now(), policy);
      if (next?.allowed !== true) {
        open.push(stored);
        continue;
      }
      const who = { item: stored.item, owner, token: stored.token, until: 0 };
      const recorded = stepped(stored, who, next.transition, { notes: remoteIds(deliveries) });
      const messageId = this.messageIdFor(recorded, deliveries);
      writes.push(await articles.record(recorded, { messageId }, reads));
      steps.push([stored.item.key, next.transition]);
    }
    return { digest: { ...digest, articles: open }, writes };
  }

  /** Discord's own ID of the message that has an article that is published or was refused elsewhere; `null` where Discord has none. */
  messageIdFor({ item }: ItemRecord, deliveries: readonly Delivery[]): string | null {
    if (item.state !== 'published' && !isRefused(item)) return null;
    const sent = deliveries.filter(
      ({ state, destination }) => state === 'sent' && this.#parts.discord.has(destination),
    );
    return sent.map(({ remoteId }) => remoteId).find((id) => id !== null && SNOWFLAKE.test(id)) ?? null;
  }

  /** Earlier versions recorded articles as notified whose message Discord had refused: a retry gives them their ID. */
  async #correctMessageId(delivery: Delivery): Promise<void> {
    const { discord, names, articles, connection } = this.#parts;
    const { state, attempts, destination, remoteId, itemKeys } = delivery;
    if (state !== 'sent' || attempts < 2 || !discord.has(destination)) return;
    if (remoteId === null || !SNOWFLAKE.test(remoteId)) return;
    const found = await articles.settled(itemKeys);
    const writes = [...found.values()].flatMap(({ at, stored }): Write[] => {
      if (at[0] !== names.notified || collectionOf(stored.item, remoteId) !== 'notified') return [];
      return [{ do: 'patch', at, data: { discord_message_id: remoteId } }];
    });
    await connection.commit(writes);
  }

  /** Changes the digest of a held message; `value` alone where it is left as it is. */
  #mutate<T>(
    { delivery }: ClaimedMessage,
    decide: (
      digest: Digest,
      message: DigestMessage,
      reads: TransactionReads,
    ) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const id = this.#holds.get(delivery.key)?.digest;
    return this.#change(id, delivery.key, decide);
  }

  #change<T>(
    id: string | undefined,
    key: string,
    decide: (
      digest: Digest,
      message: DigestMessage,
      reads: TransactionReads,
    ) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const { connection, names, queries } = this.#parts;
    return this.#inTurn(() =>
      connection.transact(names.outbox, async (reads) => {
        const found =
          id === undefined
            ? await reads.query(queries.digestOfMessage, { where: [hashOf(key)] })
            : await reads.getAll([this.#at(id)]);
        const digest = found
          .flatMap((snapshot) => digestOf(snapshot) ?? [])
          .sort(byAge)
          .at(-1);
        const message = digest && messageIn(digest, key);
        if (digest === undefined || message === undefined)
          throw new Error(`The message ${key} is not there.`);
        const { value, digest: next, writes = [] } = await decide(digest, message, reads);
        return { value, writes: next === null ? [] : [this.#set(next), ...writes] };
      }),
    );
  }

  /** Whether a message that this process holds and did not mark is as it was when it was taken. */
  #mayTake(held: ClaimedMessage, message: DigestMessage): boolean {
    const isFree = (message.held?.until ?? 0) <= this.#parts.clock.now();
    return this.#isOurs(held) && message.token === held.token - 1 && isFree;
  }

  #isOurs({ delivery, owner, token }: ClaimedMessage): boolean {
    const hold = this.#holds.get(delivery.key);
    return hold !== undefined && hold.owner === owner && hold.token === token;
  }

  #isMarkedBy({ owner, token }: ClaimedMessage, message: DigestMessage): boolean {
    return message.token === token && message.held?.owner === owner;
  }

  #heldUntil(message: DigestMessage): number {
    const hold = this.#holds.get(message.delivery.key);
    const here = hold !== undefined && hold.token === message.token + 1 ? hold.until : 0;
    return Math.max(here, message.held?.until ?? 0);
  }

  /** A message that was marked as being sent together with another write, as whoever sends it gets it. */
  #heldOf(digest: string, { delivery, token, held }: DigestMessage): ClaimedMessage[] {
    if (held === null) return [];
    const { owner, until } = held;
    this.#holds.set(delivery.key, { digest, owner, token, until });
    return [{ delivery: beforeSending(delivery), owner, token, until, marked: true }];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  #at(id: string): DocumentPath {
    return [this.#parts.names.outbox, id];
  }

  #set(digest: Digest): Write {
    return { do: 'set', at: this.#at(digest.id), data: digestDocument(digest) };
  }
}

interface Created {
  readonly outcome: CreatedDigest['outcome'];
  readonly digest: Digest | null;
}

interface Change<T> {
  readonly value: T;
  /** `null`: nothing is written. */
  readonly digest: Digest | null;
  readonly writes?: readonly Write[];
}

/** As it stood before it was marked for the first time. */
function beforeSending(delivery: Delivery): Delivery {
  const attempts = delivery.attempts - 1;
  return {
    ...delivery,
    state: 'intended',
    attempts,
    firstTriedAt: attempts === 0 ? null : delivery.firstTriedAt,
  };
}

function marks(owner: string, token: number, until: number, attempt: string) {
  return { token, marked: token, held: { owner, until, attempt } };
}

function messageIn(digest: Digest, key: string): DigestMessage | undefined {
  return digest.messages.findLast(({ delivery }) => delivery.key === key);
}

function withMessage(digest: Digest, next: DigestMessage): Digest {
  const index = digest.messages.findLastIndex(({ delivery }) => delivery.key === next.delivery.key);
  return { ...digest, messages: digest.messages.with(index, next) };
}

/** A line in the history of each article of the message. */
function withLines(digest: Digest, delivery: Delivery, who: string, at: number): Digest {
  const told = deliveryLine(delivery, who, at);
  return {
    ...digest,
    articles: digest.articles.map((stored) =>
      delivery.itemKeys.includes(stored.item.key) ? withLine(stored, told) : stored,
    ),
  };
}

/** The next message of the same destination in the digest, if nothing but its turn was missing. */
function nextOf(digest: Digest, { destination }: Delivery, now: number): DigestMessage | null {
  const head = headOf([digest], destination)?.message ?? null;
  const isFree = head !== null && head.delivery.state === 'intended' && (head.held?.until ?? 0) <= now;
  return isFree && (head.delivery.dueAt ?? 0) <= now ? head : null;
}

function headOf(
  open: readonly Digest[],
  destination: string,
): { readonly digest: Digest; readonly message: DigestMessage } | null {
  for (const digest of open)
    for (const message of digest.messages)
      if (message.delivery.destination === destination && OPEN_DELIVERIES.includes(message.delivery.state))
        return { digest, message };
  return null;
}

export function deliveriesOf({ messages }: Digest, key: ItemKey): Delivery[] {
  return messages.map(({ delivery }) => delivery).filter(({ itemKeys }) => itemKeys.includes(key));
}

interface MessageCursor {
  readonly nth: number;
  readonly id: string;
  readonly index: number;
}

function readCursor(cursor: string | undefined): MessageCursor | null {
  if (cursor === undefined) return null;
  // Cursors of earlier versions name a message by its number and the ID of its document, which was its own.
  const parts = /^(\d{1,16})(?:~([0-9a-f]{64})(?:~(\d{1,4}))?)?$/.exec(cursor);
  if (parts === null) throw new BadCursorError(cursor);
  return { nth: Number(parts[1]), id: parts[2] ?? '', index: Number(parts[3] ?? 0) };
}

function isBehind(digest: Digest, index: number, from: MessageCursor): boolean {
  if (digest.nth !== from.nth) return digest.nth < from.nth;
  return digest.id === from.id ? index < from.index : digest.id < from.id;
}
