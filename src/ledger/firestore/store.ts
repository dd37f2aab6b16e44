import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { FirestoreConnection, Mutation, Place, Write } from '../../firestore/connection.ts';
import type { ItemKey } from '../../item/item.ts';
import type { Clock } from '../../time/clock.ts';
import type { ItemRecord, StepResult } from '../item-record.ts';
import { documentOf, ledgerMap, storedOf } from './document.ts';
import type { Layout } from './layouts/layout.ts';
import { MetSources } from './met-sources.ts';
import type { Order } from './order.ts';
import { type LedgerQueries, queriesOf } from './queries.ts';

interface ChangeOptions {
  /** The document as a query has just read it: saves the first reading. */
  readonly first?: DocumentSnapshot;
  /** The contract's fields show nothing of this change. */
  readonly isInternal?: boolean;
  /**
   * Further writes of the same commit, found between reading the item and writing it: if another worker changes the item
   * meanwhile, nothing is written and they are found again. No lock is held, so workers on different items never wait.
   */
  beside?(): Promise<readonly Write[]>;
}

/** The documents of one pipeline: what its ledger and its outbox share. */
export class LedgerStore {
  readonly connection: FirestoreConnection;
  readonly layout: Layout;
  readonly queries: LedgerQueries;
  readonly metSources: MetSources;
  readonly clock: Clock;
  readonly order: Order;
  /** A name that nobody else gives. */
  readonly newName: () => string;
  /** In [0, 1). */
  readonly random: () => number;

  constructor(parts: {
    readonly connection: FirestoreConnection;
    readonly layout: Layout;
    readonly clock: Clock;
    readonly order: Order;
    readonly newName: () => string;
    readonly random: () => number;
  }) {
    this.connection = parts.connection;
    this.layout = parts.layout;
    this.queries = queriesOf(parts.layout);
    this.metSources = new MetSources(parts.connection, parts.layout.sources);
    this.clock = parts.clock;
    this.order = parts.order;
    this.newName = parts.newName;
    this.random = parts.random;
  }

  placeOf(key: ItemKey): Place {
    return [this.layout.items, this.layout.idOf(key)];
  }

  graveOf(key: ItemKey): Place {
    return [this.layout.tombstones, this.layout.idOf(key)];
  }

  async read(key: ItemKey): Promise<ItemRecord | null> {
    return this.storedOf(await this.connection.get(this.placeOf(key)));
  }

  storedOf(snapshot: DocumentSnapshot): ItemRecord | null {
    return this.#foreign(snapshot) ?? storedOf(snapshot);
  }

  /**
   * The write that makes another program's document one of the ledger's, so that queries find it; the contract's fields
   * stay as they are. None where there is nothing to adopt.
   */
  adoption(snapshot: DocumentSnapshot): Write[] {
    const stored = this.#foreign(snapshot);
    return stored === null ? [] : this.#ledgerOnly(snapshot, stored);
  }

  #ledgerOnly(snapshot: DocumentSnapshot, next: ItemRecord): Write[] {
    const [asOf, data] = [snapshot.updateTime, snapshot.data()];
    if (asOf === undefined || data === undefined) return [];
    const ledger = ledgerMap(this.layout, next, data);
    return [{ do: 'patch', at: [this.layout.items, snapshot.id], data: { ledger }, asOf }];
  }

  #foreign(snapshot: DocumentSnapshot): ItemRecord | null {
    const data = snapshot.data();
    if (data === undefined || this.layout.shared === undefined) return null;
    const now = this.clock.now();
    const createdAt = snapshot.createTime?.toMillis() ?? now;
    const found = this.layout.shared.adopt({ id: snapshot.id, data, createdAt, now }, storedOf(snapshot));
    return found === null ? null : { nth: this.order.next(), ...found };
  }

  /**
   * Reads an item, applies a step and stores its result if the document is unchanged since it was read; otherwise reads it
   * again and repeats the step. Answers `absent` where there is no such item.
   */
  change<T>(
    key: ItemKey,
    absent: T,
    step: (record: ItemRecord, now: number) => StepResult<T>,
    { first, isInternal, beside }: ChangeOptions = {},
  ): Promise<T> {
    const decide = async (snapshot: DocumentSnapshot): Promise<Mutation<T>> => {
      const record = this.storedOf(snapshot);
      const { value, next } = record === null ? { value: absent } : step(record, this.clock.now());
      if (next === undefined) return { value, writes: this.adoption(snapshot) };
      if (isInternal) return { value, writes: this.#ledgerOnly(snapshot, next) };
      const { writes, isPartial } = await this.writesFor(snapshot, next);
      return { value, isPartial, writes: isPartial ? writes : [...writes, ...((await beside?.()) ?? [])] };
    };
    return this.connection.mutate(this.placeOf(key), decide, first);
  }

  /** What leads from the document to the record; where the layout has a stop in between, only up to there. */
  async writesFor(
    from: DocumentSnapshot,
    next: ItemRecord,
  ): Promise<{ readonly writes: Write[]; readonly isPartial: boolean }> {
    const at = this.placeOf(next.item.key);
    const before = from.data();
    const asOf = from.updateTime;
    if (before === undefined || asOf === undefined)
      return { writes: [{ do: 'create', at, data: await this.documentOf(next) }], isPartial: false };
    const [stop] = this.layout.between?.(before, next, await this.connection.serverTime()) ?? [];
    if (stop !== undefined) return { writes: [{ do: 'patch', at, data: stop, asOf }], isPartial: true };
    const data = await this.documentOf(next, before);
    return { writes: [{ do: 'replace', at, data, asOf }], isPartial: false };
  }

  /** The document of an item; `before` is what it replaces. */
  async documentOf(stored: ItemRecord, before?: DocumentData): Promise<DocumentData> {
    return documentOf(this.layout, stored, await this.connection.serverTime(), before);
  }
}
