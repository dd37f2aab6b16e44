import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import { type ItemRecord, type StepResult, sourcesOf } from '../../../ledger/item-record.ts';
import type { Clock } from '../../../time/clock.ts';
import {
  type DocumentPath,
  type FirestoreConnection,
  MAX_PER_CALL,
  type Mutation,
  type Write,
} from '../connection.ts';
import { documentOf, hashOf, ledgerMap, recordOfDocument } from './document.ts';
import type { Layout } from './layouts.ts';
import { type LedgerQueries, queriesOf } from './queries.ts';

/**
 * Numbers that grow with every admission in this process, and by the clock between processes. A clock that is set back does
 * not set them back. They stay exact until the year 2255.
 */
export class SequenceNumbers {
  readonly #now: () => number;
  readonly #start: number;
  #last = 0;

  constructor(now: () => number, random: () => number = Math.random) {
    this.#now = now;
    // Two processes that admit in the same millisecond are unlikely to give the same numbers.
    this.#start = Math.floor(random() * 700);
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, this.#now() * 1000 + this.#start);
    return this.#last;
  }

  /** Makes the next number greater than this one of another process. */
  advancePast(nth: number): void {
    this.#last = Math.max(this.#last, nth);
  }
}

/**
 * The sources of swept items, one document each: a source stays known when none of its items is left. Written only by
 * sweeps, so that admission costs nothing more.
 */
export class SeenSources {
  readonly #connection: FirestoreConnection;
  readonly #collection: string;
  /** Sources whose document this process has written. */
  readonly #stored = new Set<string>();

  constructor(connection: FirestoreConnection, collection: string) {
    this.#connection = connection;
    this.#collection = collection;
  }

  async has(sourceId: string): Promise<boolean> {
    return (await this.#connection.get([this.#collection, hashOf(sourceId)])).exists;
  }

  /** Call before the items are deleted. */
  async addFrom(items: readonly ItemRecord[]): Promise<void> {
    const missing = [...new Set(items.flatMap(sourcesOf))].filter((sourceId) => !this.#stored.has(sourceId));
    for (let from = 0; from < missing.length; from += MAX_PER_CALL) {
      const some = missing.slice(from, from + MAX_PER_CALL);
      await this.#connection.commit(
        some.map(
          (source): Write => ({ do: 'set', at: [this.#collection, hashOf(source)], data: { source } }),
        ),
      );
      for (const source of some) this.#stored.add(source);
    }
  }
}

interface ChangeOptions {
  /** The document as a query has just read it: saves the first read. */
  readonly first?: DocumentSnapshot;
  /** The change is not visible in the contract's fields. */
  readonly isInternal?: boolean;
  /**
   * Further writes of the same commit, computed between reading the item and writing it: if another worker changes the item
   * meanwhile, nothing is written and they are computed again. There is no lock, so workers on different items never wait.
   */
  beside?(): Promise<readonly Write[]>;
}

/** The documents of one pipeline, shared by its ledger and its outbox. */
export class LedgerStore {
  readonly connection: FirestoreConnection;
  readonly layout: Layout;
  readonly queries: LedgerQueries;
  readonly seenSources: SeenSources;
  readonly clock: Clock;
  readonly order: SequenceNumbers;
  /** A unique name. */
  readonly newId: () => string;
  /** In [0, 1). */
  readonly random: () => number;

  constructor(parts: {
    readonly connection: FirestoreConnection;
    readonly layout: Layout;
    readonly clock: Clock;
    readonly order: SequenceNumbers;
    readonly newName: () => string;
    readonly random: () => number;
  }) {
    this.connection = parts.connection;
    this.layout = parts.layout;
    this.queries = queriesOf(parts.layout);
    this.seenSources = new SeenSources(parts.connection, parts.layout.sources);
    this.clock = parts.clock;
    this.order = parts.order;
    this.newId = parts.newName;
    this.random = parts.random;
  }

  itemPath(key: ItemKey): DocumentPath {
    return [this.layout.items, this.layout.idOf(key)];
  }

  tombstonePath(key: ItemKey): DocumentPath {
    return [this.layout.tombstones, this.layout.idOf(key)];
  }

  async read(key: ItemKey): Promise<ItemRecord | null> {
    return this.recordOf(await this.connection.get(this.itemPath(key)));
  }

  recordOf(snapshot: DocumentSnapshot): ItemRecord | null {
    return this.#foreign(snapshot) ?? recordOfDocument(snapshot);
  }

  /**
   * The write that adopts another program's document, so that queries find it; the contract's fields stay unchanged. None
   * where there is nothing to adopt.
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
    const found = this.layout.shared.adopt(
      { id: snapshot.id, data, createdAt, now },
      recordOfDocument(snapshot),
    );
    return found === null ? null : { nth: this.order.next(), ...found };
  }

  /**
   * Compare-and-set on an item: reads it, applies a step and stores the result if the document is unchanged; otherwise
   * repeats. Returns `absent` where there is no such item.
   */
  change<T>(
    key: ItemKey,
    absent: T,
    step: (record: ItemRecord, now: number) => StepResult<T>,
    { first, isInternal, beside }: ChangeOptions = {},
  ): Promise<T> {
    const decide = async (snapshot: DocumentSnapshot): Promise<Mutation<T>> => {
      const record = this.recordOf(snapshot);
      const { value, next } = record === null ? { value: absent } : step(record, this.clock.now());
      if (next === undefined) return { value, writes: this.adoption(snapshot) };
      if (isInternal) return { value, writes: this.#ledgerOnly(snapshot, next) };
      const { writes, isPartial } = await this.writesFor(snapshot, next);
      return { value, isPartial, writes: isPartial ? writes : [...writes, ...((await beside?.()) ?? [])] };
    };
    return this.connection.mutate(this.itemPath(key), decide, first);
  }

  /** The writes from the document to the record; where the layout has an intermediate stop, only up to there. */
  async writesFor(
    from: DocumentSnapshot,
    next: ItemRecord,
  ): Promise<{ readonly writes: Write[]; readonly isPartial: boolean }> {
    const at = this.itemPath(next.item.key);
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
