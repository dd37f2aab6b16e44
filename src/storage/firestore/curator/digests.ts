import { randomUUID } from 'node:crypto';
import type { ItemKey } from '../../../item/item.ts';
import { advance, type LifecyclePolicy, type Transition } from '../../../item/lifecycle.ts';
import { type ItemRecord, stepped } from '../../../ledger/item-record.ts';
import type { NewMessage } from '../../../ledger/ledger.ts';
import { asSending, hasSameContent, newMessage, repeatItem } from '../../../outbox/message-record.ts';
import type { Delivery } from '../../../outbox/outbox.ts';
import type { CreatedDigest, NewDigest } from '../../../pipelines/curator-store.ts';
import { eventForDeliveries, remoteIds } from '../../../pipelines/publish.ts';
import type { Clock } from '../../../time/clock.ts';
import type { DocumentPath, FirestoreConnection, TransactionReads, Write } from '../connection.ts';
import { isArticle, isRefused, SNOWFLAKE } from '../ledger/article-layout.ts';
import { hashOf, recordOfDocument } from '../ledger/document.ts';
import type { SequenceNumbers } from '../ledger/ledger-store.ts';
import { type CuratorArticles, isSameStanding } from './articles.ts';
import { deliveriesOf, headOf, heldOf, marks, messageIn } from './digest-messages.ts';
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
} from './documents.ts';

export interface DigestDependencies {
  readonly connection: FirestoreConnection;
  readonly names: CuratorCollections;
  readonly queries: CuratorQueries;
  readonly articles: CuratorArticles;
  readonly clock: Clock;
  readonly order: SequenceNumbers;
  readonly policy: LifecyclePolicy;
  /** Destinations on Discord, whose messages have the IDs of A13. */
  readonly discord: ReadonlySet<string>;
}

/** An article that goes into a digest. */
export interface DigestArticle {
  readonly stored: ItemRecord;
  /** The path of its document; `null` where it has none. */
  readonly at: DocumentPath | null;
}

/**
 * The digests of a curator: one document for each, with its messages to all destinations and those of its articles that are not
 * recorded yet. When all messages of an article are finished, the write that finishes the last one records the article.
 */
export class CuratorDigests {
  readonly #deps: DigestDependencies;
  /** Serialises changes of this process: destinations share a document, and would only conflict. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(deps: DigestDependencies) {
    this.#deps = deps;
  }

  /** Creates a digest, see `CuratorStore.createDigest`. */
  create(digest: Omit<NewDigest, 'articles'>, articles: readonly DigestArticle[]): Promise<CreatedDigest> {
    const { messages, sender } = digest;
    if (repeatItem(messages)) return Promise.resolve({ outcome: 'taken', held: [] });
    const id = hashOf(randomUUID());
    return this.inTurn(async () => {
      const created = await this.#deps.connection.transact<Created>(
        this.#deps.names.outbox,
        async (reads) => {
          const [own] = await reads.getAll([this.#at(id)]);
          const ours = own === undefined ? null : digestOf(own);
          // An earlier attempt succeeded, but its reply was lost.
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
      const held = created.digest?.messages.flatMap(heldOf) ?? [];
      return { outcome: created.outcome, held };
    });
  }

  /** Adds messages to a digest, see `CuratorStore.updateDigest`. */
  async add(id: string, messages: readonly NewMessage[]): Promise<void> {
    await this.inTurn(() =>
      this.#deps.connection.transact(this.#deps.names.outbox, async (reads) => {
        const [snapshot] = await reads.getAll([this.#at(id)]);
        const digest = snapshot === undefined ? null : digestOf(snapshot);
        const free = digest === null ? 'taken' : await this.#freeOf(messages, reads);
        if (digest === null || free === 'taken' || free.messages.length === 0)
          return { value: undefined, writes: [] };
        const keys = free.messages.flatMap(({ itemKeys }) => itemKeys);
        const { articles, away } = await this.candidatesAmong(keys, digest, reads);
        const next = {
          ...digest,
          articles: [...digest.articles, ...articles],
          messages: [...digest.messages, ...free.messages.map((message) => this.#newMessage(message))],
        };
        const others = free.writes.filter(({ at }) => at[1] !== id);
        return { value: undefined, writes: [this.set(next), ...away, ...others] };
      }),
    );
  }

  /** Digests with unfinished messages. */
  async open(reads: Pick<TransactionReads, 'query'> = this.#deps.connection): Promise<Digest[]> {
    const found = await reads.query(this.#deps.queries.openDigests, { where: [true] });
    return found.flatMap((snapshot) => digestOf(snapshot) ?? []).sort(byAge);
  }

  /** Digests that name one of these items, the oldest first. */
  async ofItems(
    keys: readonly ItemKey[],
    reads: Pick<TransactionReads, 'query'> = this.#deps.connection,
  ): Promise<Digest[]> {
    const found = new Map<string, Digest>();
    for (const ids of inChunks([...new Set(keys)].map((key) => hashOf(key))))
      for (const snapshot of await reads.query(this.#deps.queries.digestsOfItems, { where: [ids] })) {
        const digest = digestOf(snapshot);
        if (digest !== null) found.set(digest.id, digest);
      }
    return [...found.values()].sort(byAge);
  }

  /** Moves an article out of a digest, in one commit; false where it is no longer in the digest. */
  async takeOut(
    id: string,
    before: ItemRecord,
    write: (reads: TransactionReads) => Promise<Write>,
  ): Promise<boolean> {
    return this.inTurn(() =>
      this.#deps.connection.transact(this.#deps.names.outbox, async (reads) => {
        const [snapshot] = await reads.getAll([this.#at(id)]);
        const digest = snapshot === undefined ? null : digestOf(snapshot);
        const existing = digest?.articles.find(({ item }) => item.key === before.item.key);
        if (digest === null || existing === undefined || !isSameStanding(existing.item, before.item))
          return { value: false, writes: [] };
        const next = { ...digest, articles: digest.articles.filter((stored) => stored !== existing) };
        return { value: true, writes: [this.set(next), await write(reads)] };
      }),
    );
  }

  change<T>(
    id: string | undefined,
    key: string,
    decide: (
      digest: Digest,
      message: DigestMessage,
      reads: TransactionReads,
    ) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    const { connection, names, queries } = this.#deps;
    return this.inTurn(() =>
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
        if (digest === undefined || message === undefined) throw new Error(`There is no message ${key}.`);
        const { value, digest: next, writes = [] } = await decide(digest, message, reads);
        return { value, writes: next === null ? [] : [this.set(next), ...writes] };
      }),
    );
  }

  /** Accepted candidates among these that are not in the digest, and the writes that delete their own documents. */
  async candidatesAmong(
    keys: readonly ItemKey[],
    digest: Digest,
    reads: TransactionReads,
  ): Promise<{ readonly articles: readonly ItemRecord[]; readonly away: readonly Write[] }> {
    const outside = [...new Set(keys)].filter((key) => !digest.articles.some(({ item }) => item.key === key));
    const places = outside.map((key) => candidatePlace(this.#deps.names, key));
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

  /** Removes articles whose messages are all finished from the digest, with the writes that record them. */
  async recordFinished(
    digest: Digest,
    owner: string,
    reads: TransactionReads,
    steps: [ItemKey, Transition][],
  ): Promise<{ readonly digest: Digest; readonly writes: readonly Write[] }> {
    const { policy, clock, articles } = this.#deps;
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

  /** Discord's message ID of an article that is published or was refused elsewhere; `null` where Discord has none. */
  messageIdFor({ item }: ItemRecord, deliveries: readonly Delivery[]): string | null {
    if (item.state !== 'published' && !isRefused(item)) return null;
    const sent = deliveries.filter(
      ({ state, destination }) => state === 'sent' && this.#deps.discord.has(destination),
    );
    return sent.map(({ remoteId }) => remoteId).find((id) => id !== null && SNOWFLAKE.test(id)) ?? null;
  }

  /**
   * Messages that are not enqueued yet and have no content that was enqueued before; `taken` where one of them has. `writes`
   * delete dropped messages of the same keys.
   */
  async #freeOf(
    messages: readonly NewMessage[],
    reads: TransactionReads,
  ): Promise<{ readonly messages: readonly NewMessage[]; readonly writes: readonly Write[] } | 'taken'> {
    const beside = await this.ofItems(
      messages.flatMap(({ itemKeys }) => itemKeys),
      reads,
    );
    for (const { nth } of beside) this.#deps.order.advancePast(nth);
    const enqueued = beside.flatMap((digest) => digest.messages.map(({ delivery }) => delivery));
    const free = messages.filter(
      ({ key }) => !enqueued.some((one) => one.key === key && one.state !== 'dropped'),
    );
    if (free.some((message) => enqueued.some((delivery) => hasSameContent(delivery, message))))
      return 'taken';
    const keys = new Set(free.map(({ key }) => key));
    const writes = beside.flatMap((digest): Write[] => {
      const left = digest.messages.filter(({ delivery }) => !keys.has(delivery.key));
      if (left.length === digest.messages.length) return [];
      if (left.length === 0 && digest.articles.length === 0)
        return [{ do: 'delete', at: this.#at(digest.id) }];
      return [this.set({ ...digest, messages: left })];
    });
    return { messages: free, writes };
  }

  /** `null`: all of them can go into a digest. Otherwise the writes that delete candidates which were published before. */
  async #staleAmong(articles: readonly DigestArticle[], reads: TransactionReads): Promise<Write[] | null> {
    const places = this.#deps.articles.notifiedPlaces(articles.map(({ stored }) => stored.item));
    const snapshots = await reads.getAll([
      ...places.map(({ place }) => place),
      ...articles.map(({ stored }) => candidatePlace(this.#deps.names, stored.item.key)),
    ]);
    const published = new Set(
      places.flatMap(({ key, urls }, index) => {
        const data = snapshots[index]?.data();
        return data !== undefined && isArticle(data, urls) ? [key] : [];
      }),
    );
    const changed = articles.some(({ stored, at }, index) => {
      const existing = snapshots[places.length + index];
      const found = existing?.exists === true ? recordOfDocument(existing) : null;
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
    const { clock, order } = this.#deps;
    const open = await this.open(reads);
    for (const { nth } of open) order.advancePast(nth);
    const now = clock.now();
    // Earlier messages of the destination are sent first.
    const startable = new Set(
      sender.destinations.filter((destination) => headOf(open, destination) === null),
    );
    const begun = messages.map((requested) => {
      const message = this.#newMessage(requested);
      if (!startable.delete(requested.destination)) return message;
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

  #newMessage(message: NewMessage): DigestMessage {
    return {
      delivery: newMessage(message, 0, this.#deps.clock.now()).delivery,
      token: 0,
      marked: null,
      held: null,
    };
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  #at(id: string): DocumentPath {
    return [this.#deps.names.outbox, id];
  }

  set(digest: Digest): Write {
    return { do: 'set', at: this.#at(digest.id), data: digestDocument(digest) };
  }
}

interface Created {
  readonly outcome: CreatedDigest['outcome'];
  readonly digest: Digest | null;
}

export interface Change<T> {
  readonly value: T;
  /** `null`: nothing is written. */
  readonly digest: Digest | null;
  readonly writes?: readonly Write[];
}
