import { type FirestoreConnection, MOST_PER_CALL, type Write } from '../../firestore/connection.ts';
import { type ItemRecord, sourcesOf } from '../item-record.ts';
import { hashOf } from './layouts/items.ts';

/**
 * The sources of swept items, a document each: a source stays known when none of its items is left. Written by sweeps alone, so that
 * admitting costs nothing more.
 */
export class MetSources {
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
    for (let from = 0; from < missing.length; from += MOST_PER_CALL) {
      const some = missing.slice(from, from + MOST_PER_CALL);
      await this.#connection.commit(
        some.map(
          (source): Write => ({ do: 'set', at: [this.#collection, hashOf(source)], data: { source } }),
        ),
      );
      for (const source of some) this.#stored.add(source);
    }
  }
}
