import { randomUUID } from 'node:crypto';
import type { DocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import type { ItemKey, Sighting } from '../../../item/item.ts';
import { type ItemRecord, newItem, seenAgain } from '../../../ledger/item-record.ts';
import { type DocumentPath, MAX_CONFLICTS, type Write } from '../connection.ts';
import { contentionError } from '../errors.ts';
import { pack, unpack } from '../ledger/document.ts';
import type { CuratorBase } from './documents.ts';

/** Maximum size of a batch, so that rewriting it stays cheap. */
const MAX_PER_BATCH = 200;
const MAX_BATCH_CHARACTERS = 250_000;

/** A document of articles that are admitted and not judged, oldest first. */
interface Batch {
  readonly at: DocumentPath;
  /** `undefined`: it is not written yet. */
  readonly asOf: Timestamp | undefined;
  readonly items: readonly ItemRecord[];
}

interface Change<T> {
  readonly value: T;
  readonly batches: readonly Batch[];
}

/** How one sighting was admitted. */
type WaitingOutcome = 'new' | 'known';

/**
 * Articles that wait for their verdict, many to a document: admitting the result of a poll costs one write. All changes are
 * compare-and-set, so of several processes that admit one article exactly one adds it.
 */
export class WaitingArticles {
  readonly #deps: CuratorBase;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(deps: CuratorBase) {
    this.#deps = deps;
  }

  /** Each article once. */
  async all(): Promise<ItemRecord[]> {
    return [...itemsOf(await this.#read()).values()];
  }

  /** Adds those that are absent, and notes other sources of those that are present. `isNew` decides which may be added. */
  async add(
    sightings: readonly Sighting[],
    isNew: (key: ItemKey) => boolean,
  ): Promise<Map<ItemKey, WaitingOutcome>> {
    const { clock, order } = this.#deps;
    const admission = randomUUID();
    return this.#change((batches) => {
      const existing = itemsOf(batches);
      const outcomes = new Map<ItemKey, WaitingOutcome>();
      const added = new Map<ItemKey, ItemRecord>();
      const changed = new Map<ItemKey, ItemRecord>();
      for (const sighting of sightings) {
        const { key } = sighting;
        const known = added.get(key) ?? changed.get(key) ?? existing.get(key);
        if (known === undefined) {
          if (!isNew(key)) continue;
          const facts = { now: clock.now(), nth: order.next(), baseline: false, handOver: false };
          added.set(key, newItem(sighting, { ...facts, admission }));
          outcomes.set(key, 'new');
          continue;
        }
        // An earlier attempt succeeded, but its reply was lost.
        if (!outcomes.has(key)) outcomes.set(key, known.admission === admission ? 'new' : 'known');
        const next = seenAgain(known, sighting, clock.now());
        if (next !== null) (added.has(key) ? added : changed).set(key, next);
      }
      return {
        value: outcomes,
        batches: withAdded(replaced(batches, changed), [...added.values()], this.#deps.names.waiting),
      };
    });
  }

  /** Adds an unjudged article as loaded, unless one has its key. */
  load(stored: ItemRecord): Promise<void> {
    return this.#change((batches) => {
      const added = itemsOf(batches).has(stored.item.key) ? [] : [stored];
      return { value: undefined, batches: withAdded(batches, added, this.#deps.names.waiting) };
    });
  }

  /** Removes articles, and stores others with their new content. */
  async update(removed: ReadonlySet<ItemKey>, changed: readonly ItemRecord[]): Promise<void> {
    const next = new Map(changed.map((stored) => [stored.item.key, stored]));
    await this.#change((batches) => ({
      value: undefined,
      batches: replaced(batches, next).map((batch) => {
        const items = batch.items.filter(({ item }) => !removed.has(item.key));
        return items.length === batch.items.length ? batch : { ...batch, items };
      }),
    }));
  }

  /** The write that removes an article, for a commit that stores it elsewhere; `null` where it does not wait. */
  async removal(key: ItemKey): Promise<Write | null> {
    for (const batch of await this.#read()) {
      const stored = batch.items.find(({ item }) => item.key === key);
      if (stored === undefined) continue;
      const [write] = writesFor([batch], [{ ...batch, items: batch.items.filter((one) => one !== stored) }]);
      return write ?? null;
    }
    return null;
  }

  /** Serialises changes of this process: they share a document, and would only conflict. */
  #change<T>(decide: (batches: readonly Batch[]) => Change<T>): Promise<T> {
    const done = this.#queue.then(() => this.#changeNow(decide));
    this.#queue = done.catch(() => {});
    return done;
  }

  async #changeNow<T>(decide: (batches: readonly Batch[]) => Change<T>): Promise<T> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const before = await this.#read();
      const { value, batches } = decide(before);
      const writes = writesFor(before, batches);
      if ((await this.#deps.connection.commit(writes)) === 'committed') return value;
    }
    throw contentionError(this.#deps.names.waiting, MAX_CONFLICTS);
  }

  async #read(): Promise<Batch[]> {
    const snapshots = await this.#deps.connection.query(this.#deps.queries.waiting, { where: [] });
    return snapshots.map((snapshot: DocumentSnapshot) => ({
      at: [this.#deps.names.waiting, snapshot.id],
      asOf: snapshot.updateTime,
      items: (unpack(snapshot.get('content')) as { readonly items: readonly ItemRecord[] }).items,
    }));
  }
}

function itemsOf(batches: readonly Batch[]): Map<ItemKey, ItemRecord> {
  const items = new Map<ItemKey, ItemRecord>();
  for (const stored of batches.flatMap((batch) => batch.items))
    if (!items.has(stored.item.key)) items.set(stored.item.key, stored);
  return items;
}

function replaced(batches: readonly Batch[], changed: ReadonlyMap<ItemKey, ItemRecord>): readonly Batch[] {
  if (changed.size === 0) return batches;
  return batches.map((batch) =>
    batch.items.some(({ item }) => changed.has(item.key))
      ? { ...batch, items: batch.items.map((stored) => changed.get(stored.item.key) ?? stored) }
      : batch,
  );
}

/** Fills the last batch, the rest goes into new ones. */
function withAdded(
  batches: readonly Batch[],
  added: readonly ItemRecord[],
  collection: string,
): readonly Batch[] {
  if (added.length === 0) return batches;
  const all: Batch[] = [...batches];
  let characters = lengthOf(all.at(-1)?.items ?? []);
  for (const stored of added) {
    const last = all.at(-1);
    const length = lengthOf([stored]);
    if (
      last === undefined ||
      last.items.length >= MAX_PER_BATCH ||
      (last.items.length > 0 && characters + length > MAX_BATCH_CHARACTERS)
    ) {
      all.push({ at: pathAfter(last, collection), asOf: undefined, items: [stored] });
      characters = length;
    } else {
      all[all.length - 1] = { ...last, items: [...last.items, stored] };
      characters += length;
    }
  }
  return all;
}

/** Two processes that begin a batch at once use the same name, so that one of them gets a conflict. */
function pathAfter(last: Batch | undefined, collection: string): DocumentPath {
  const nth = last === undefined ? 0 : Number(last.at[1]) + 1;
  return [collection, String(nth).padStart(9, '0')];
}

function lengthOf(items: readonly ItemRecord[]): number {
  return items.length === 0 ? 0 : JSON.stringify(items).length;
}

function writesFor(before: readonly Batch[], after: readonly Batch[]): Write[] {
  return after.flatMap((batch): Write[] => {
    if (before.includes(batch)) return [];
    const { at, asOf, items } = batch;
    const data = { content: pack({ items }), count: items.length };
    if (asOf === undefined) return [{ do: 'create', at, data }];
    return [items.length === 0 ? { do: 'delete', at, asOf } : { do: 'replace', at, data, asOf }];
  });
}
