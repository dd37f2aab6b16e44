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
import { documentOf, ledgerMap, storedOf } from './document.ts';
import type { Layout } from './layouts/layout.ts';
import { MetSources } from './met-sources.ts';
import type { Order } from './order.ts';
import { type LedgerQueries, queriesOf } from './queries.ts';
import type { StoredItem } from './stored-item.ts';

/** `next` is what is to be stored; nothing is when it is absent. */
export interface Decision<T> {
  readonly value: T;
  readonly next?: StoredItem;
  /** What changes is nothing that the contract's fields tell. */
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

  async read(key: ItemKey): Promise<StoredItem | null> {
    return this.storedOf(await this.connection.get(this.placeOf(key)));
  }

  storedOf(snapshot: DocumentSnapshot): StoredItem | null {
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

  #ledgerOnly(snapshot: DocumentSnapshot, next: StoredItem): Write[] {
    const [asOf, data] = [snapshot.updateTime, snapshot.data()];
    if (asOf === undefined || data === undefined) return [];
    const ledger = ledgerMap(this.layout, next, data);
    return [{ do: 'patch', at: [this.layout.items, snapshot.id], data: { ledger }, asOf }];
  }

  #foreign(snapshot: DocumentSnapshot): StoredItem | null {
    const data = snapshot.data();
    if (data === undefined || this.layout.shared === undefined) return null;
    const now = this.clock.now();
    const createdAt = snapshot.createTime?.toMillis() ?? now;
    const found = this.layout.shared.adopt({ id: snapshot.id, data, createdAt, now }, storedOf(snapshot));
    return found === null ? null : { nth: this.order.next(), ...found };
  }

  /**
   * Reads an item, decides, and stores, as long as nobody else changed it in between; otherwise reads and decides again.
   * So a decision also sees what an earlier try of its own did, and must recognise it. `first` saves the first reading.
   */
  async change<T>(
    key: ItemKey,
    decide: (stored: StoredItem | null) => Decision<T>,
    first?: DocumentSnapshot,
  ): Promise<T> {
    const place = this.placeOf(key);
    let snapshot = first ?? (await this.connection.get(place));
    for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
      const { value, next, isInternal } = decide(this.storedOf(snapshot));
      const { writes, isLast } =
        next === undefined
          ? { writes: this.adoption(snapshot), isLast: true }
          : isInternal
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
    next: StoredItem,
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
  async documentOf(stored: StoredItem, before?: DocumentData): Promise<DocumentData> {
    return documentOf(this.layout, stored, await this.connection.serverTime(), before);
  }
}
