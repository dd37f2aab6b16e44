import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import {
  type FirestoreConnection,
  MOST_CONFLICTS,
  type Place,
  type Write,
} from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { ItemKey } from '../../item/item.ts';
import type { Clock } from '../../time/clock.ts';
import type { ItemRecord, StepResult } from '../item-record.ts';
import { documentOf, ledgerMap, storedOf } from './document.ts';
import type { Layout } from './layouts/layout.ts';
import { MetSources } from './met-sources.ts';
import type { Order } from './order.ts';
import { type LedgerQueries, queriesOf } from './queries.ts';

export interface ChangeOptions {
  /** The document as a query has just read it: saves the first reading. */
  readonly first?: DocumentSnapshot;
  /** The contract's fields show nothing of this change. */
  readonly isInternal?: boolean;
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
  async change<T>(
    key: ItemKey,
    absent: T,
    step: (record: ItemRecord, now: number) => StepResult<T>,
    options: ChangeOptions = {},
  ): Promise<T> {
    const place = this.placeOf(key);
    let snapshot = options.first ?? (await this.connection.get(place));
    for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
      const record = this.storedOf(snapshot);
      const { value, next }: StepResult<T> =
        record === null ? { value: absent } : step(record, this.clock.now());
      const { writes, isLast } =
        next === undefined
          ? { writes: this.adoption(snapshot), isLast: true }
          : options.isInternal
            ? { writes: this.#ledgerOnly(snapshot, next), isLast: true }
            : await this.writesFor(snapshot, next);
      if (writes.length === 0) return value;
      if ((await this.connection.commit(writes)) === 'committed' && isLast) return value;
      snapshot = await this.connection.get(place);
    }
    throw contention(place[0], MOST_CONFLICTS);
  }

  /** What leads from the document to the item as it shall be; where the layout has a stop in between, only up to there. */
  async writesFor(
    from: DocumentSnapshot,
    next: ItemRecord,
  ): Promise<{ readonly writes: Write[]; readonly isLast: boolean }> {
    const at = this.placeOf(next.item.key);
    const before = from.data();
    const asOf = from.updateTime;
    if (before === undefined || asOf === undefined)
      return { writes: [{ do: 'create', at, data: await this.documentOf(next) }], isLast: true };
    const [stop] = this.layout.between?.(before, next, await this.connection.serverTime()) ?? [];
    if (stop !== undefined) return { writes: [{ do: 'patch', at, data: stop, asOf }], isLast: false };
    const data = await this.documentOf(next, before);
    return { writes: [{ do: 'replace', at, data, asOf }], isLast: true };
  }

  /** The document of an item; `before` is what it replaces. */
  async documentOf(stored: ItemRecord, before?: DocumentData): Promise<DocumentData> {
    return documentOf(this.layout, stored, await this.connection.serverTime(), before);
  }
}
