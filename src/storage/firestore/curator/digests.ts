import { randomUUID } from 'node:crypto';
import type { ItemKey } from '../../../item/item.ts';
import { advance, type LifecyclePolicy, type Transition } from '../../../item/lifecycle.ts';
import { type ItemRecord, stepped } from '../../../ledger/item-record.ts';
import type { NewMessage } from '../../../ledger/ledger.ts';
import { hasSameContent, newMessage, repeatItem } from '../../../outbox/message-record.ts';
import type { Delivery } from '../../../outbox/outbox.ts';
import type { CreatedDigest, NewDigest } from '../../../pipelines/curator-store.ts';
import { eventForDeliveries, remoteIds } from '../../../pipelines/publish.ts';
import type { DocumentPath, Mutation, TransactionReads, Write } from '../connection.ts';
import { isArticle, isRefused, SNOWFLAKE } from '../ledger/article-layout.ts';
import { hashOf, recordOfDocument } from '../ledger/document.ts';
import { type CuratorArticles, hasSameStatus } from './articles.ts';
import { asMarked, claimsOn, deliveriesOf, headOf, messageIn } from './digest-messages.ts';
import {
  byAge,
  type CuratorBase,
  type Digest,
  type DigestMessage,
  digestDocument,
  digestOf,
  inChunks,
  unsentMessage,
} from './documents.ts';

interface DigestDependencies extends CuratorBase {
  readonly articles: CuratorArticles;
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
  #queue: Promise<unknown> = Promise.resolve();

  constructor(deps: DigestDependencies) {
    this.#deps = deps;
  }

  /** Creates a digest, see `CuratorStore.createDigest`. */
  async create(
    { messages, sender }: Omit<NewDigest, 'articles'>,
    articles: readonly DigestArticle[],
  ): Promise<CreatedDigest> {
    if (repeatItem(messages)) return { outcome: 'taken', held: [] };
    const id = hashOf(randomUUID());
    const created = await this.transact<Created>(async (reads) => {
      const existing = await this.#read(id, reads);
      // An earlier attempt succeeded, but its reply was lost.
      if (existing !== null) return { value: { outcome: 'created', digest: existing }, writes: [] };
      const free = await this.#freeOf(messages, reads);
      if (free === 'taken') return { value: { outcome: 'taken', digest: null }, writes: [] };
      if (free.messages.length === 0) return { value: { outcome: 'there', digest: null }, writes: [] };
      const stale = await this.#staleAmong(articles, reads);
      if (stale !== null) return { value: { outcome: 'taken', digest: null }, writes: stale };
      const digest = await this.#newDigest(id, { messages: free.messages, sender }, articles, reads);
      const deletes = articles.flatMap(({ at }): Write[] => (at === null ? [] : [{ do: 'delete', at }]));
      const write: Write = { do: 'create', at: this.#at(id), data: digestDocument(digest) };
      return { value: { outcome: 'created', digest }, writes: [write, ...deletes, ...free.writes] };
    });
    return { outcome: created.outcome, held: created.digest?.messages.flatMap(claimsOn) ?? [] };
  }

  /** Adds messages to a digest, see `CuratorStore.updateDigest`. */
  add(id: string, messages: readonly NewMessage[]): Promise<void> {
    return this.transact(async (reads) => {
      const digest = await this.#read(id, reads);
      const free = digest === null ? 'taken' : await this.#freeOf(messages, reads);
      if (digest === null || free === 'taken' || free.messages.length === 0)
        return { value: undefined, writes: [] };
      const keys = free.messages.flatMap(({ itemKeys }) => itemKeys);
      const { articles, deletes } = await this.candidatesAmong(keys, digest, reads);
      const next = {
        ...digest,
        articles: [...digest.articles, ...articles],
        messages: [...digest.messages, ...free.messages.map((message) => this.#newMessage(message))],
      };
      const others = free.writes.filter(({ at }) => at[1] !== id);
      return { value: undefined, writes: [this.set(next), ...deletes, ...others] };
    });
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

  /** The digest that has this message; a message that was dropped and enqueued again is in the latest one. */
  async ofMessage(key: string, reads: TransactionReads): Promise<Digest | null> {
    const found = await reads.query(this.#deps.queries.digestOfMessage, { where: [hashOf(key)] });
    return (
      found
        .flatMap((snapshot) => digestOf(snapshot) ?? [])
        .sort(byAge)
        .at(-1) ?? null
    );
  }

  /** Moves an article out of a digest, in one commit; false where it is no longer in the digest. */
  moveOut(
    id: string,
    before: ItemRecord,
    write: (reads: TransactionReads) => Promise<Write>,
  ): Promise<boolean> {
    return this.transact(async (reads) => {
      const digest = await this.#read(id, reads);
      const existing = digest?.articles.find(({ item }) => item.key === before.item.key);
      if (digest === null || existing === undefined || !hasSameStatus(existing.item, before.item))
        return { value: false, writes: [] };
      const next = { ...digest, articles: digest.articles.filter((stored) => stored !== existing) };
      return { value: true, writes: [this.set(next), await write(reads)] };
    });
  }

  /** Changes the digest of a message. `id` is that of the digest, if known. */
  change<T>(
    id: string | undefined,
    key: string,
    decide: (
      digest: Digest,
      message: DigestMessage,
      reads: TransactionReads,
    ) => Change<T> | Promise<Change<T>>,
  ): Promise<T> {
    return this.transact(async (reads) => {
      const digest = id === undefined ? await this.ofMessage(key, reads) : await this.#read(id, reads);
      const message = digest === null ? undefined : messageIn(digest, key);
      if (digest === null || message === undefined) throw new Error(`There is no message ${key}.`);
      const change = await decide(digest, message, reads);
      const writes = change.digest === null ? [] : [this.set(change.digest), ...(change.writes ?? [])];
      return { value: change.value, writes };
    });
  }

  /** Accepted candidates among these that are not in the digest, and the writes that delete their own documents. */
  async candidatesAmong(
    keys: readonly ItemKey[],
    digest: Digest,
    reads: TransactionReads,
  ): Promise<{ readonly articles: readonly ItemRecord[]; readonly deletes: readonly Write[] }> {
    const outside = [...new Set(keys)].filter((key) => !digest.articles.some(({ item }) => item.key === key));
    const paths = outside.map((key) => this.#deps.articles.candidatePath(key));
    const articles: ItemRecord[] = [];
    const deletes: Write[] = [];
    for (const [index, snapshot] of (await reads.getAll(paths)).entries()) {
      const stored = snapshot.exists ? recordOfDocument(snapshot) : null;
      const at = paths[index];
      if (stored === null || at === undefined || stored.item.state !== 'accepted') continue;
      articles.push(stored);
      deletes.push({ do: 'delete', at });
    }
    return { articles, deletes };
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
      writes.push(await articles.record(recorded, { messageId }, reads, writes));
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
    const notified = this.#deps.articles.notifiedPaths(articles.map(({ stored }) => stored.item));
    const snapshots = await reads.getAll([
      ...notified.map(({ path }) => path),
      ...articles.map(({ stored }) => this.#deps.articles.candidatePath(stored.item.key)),
    ]);
    const published = new Set(
      notified.flatMap(({ key, urls }, index) => {
        const data = snapshots[index]?.data();
        return data !== undefined && isArticle(data, urls) ? [key] : [];
      }),
    );
    const changed = articles.some(({ stored, at }, index) => {
      const existing = snapshots[notified.length + index];
      const found = existing?.exists === true ? recordOfDocument(existing) : null;
      if (at === null) return found !== null;
      return found === null || !hasSameStatus(found.item, stored.item);
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
      const claim = { owner: sender.owner, token: 1, until: now + sender.leaseMs };
      return asMarked(message, claim, now);
    });
    return {
      id,
      nth: order.next(),
      articles: articles.map(({ stored }) => ({ ...stored, claim: null })),
      messages: begun,
    };
  }

  #newMessage(message: NewMessage): DigestMessage {
    return unsentMessage(newMessage(message, 0, this.#deps.clock.now()).delivery);
  }

  /** Transaction on the outbox, serialised within this process: destinations share a document, and would only conflict. */
  transact<T>(body: (reads: TransactionReads) => Promise<Mutation<T>>): Promise<T> {
    const done = this.#queue.then(() => this.#deps.connection.transact(this.#deps.names.outbox, body));
    this.#queue = done.catch(() => {});
    return done;
  }

  async #read(id: string, reads: TransactionReads): Promise<Digest | null> {
    const [snapshot] = await reads.getAll([this.#at(id)]);
    return snapshot === undefined ? null : digestOf(snapshot);
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
