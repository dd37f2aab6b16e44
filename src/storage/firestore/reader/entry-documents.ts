import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import { chunked } from '../../../item/chunked.ts';
import type { Entry, EntryId } from '../../../reader/entry-store.ts';
import type { FirestoreConnection } from '../connection.ts';
import { MAX_IN, READER_QUERIES, toStoredEntry } from './documents.ts';

const MAX_CACHED_ENTRIES = 20_000;

/** Reads the documents of entries, and caches the entries until their index says that they changed. */
export class EntryDocuments {
  readonly #connection: FirestoreConnection;
  readonly #cached = new Map<EntryId, Entry>();
  /** Grows whenever entries are evicted: what was read before may be out of date. */
  #generation = 0;

  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  cached(id: EntryId): Entry | undefined {
    return this.#cached.get(id);
  }

  /** By ID; missing ones are left out. */
  async entries(ids: Iterable<EntryId>): Promise<Map<EntryId, Entry>> {
    const wanted = [...new Set(ids)];
    const missing = wanted.filter((id) => !this.#cached.has(id));
    const found = new Map(wanted.flatMap((id) => this.#use(id) ?? []).map((entry) => [entry.id, entry]));
    const generation = this.#generation;
    for (const snapshot of await this.snapshots(missing)) {
      const entry = toStoredEntry(snapshot)?.entry;
      if (entry === undefined) continue;
      found.set(entry.id, entry);
      if (generation === this.#generation) this.remember(entry);
    }
    return found;
  }

  /** The documents as they are now. */
  async snapshots(ids: Iterable<EntryId>): Promise<QueryDocumentSnapshot[]> {
    const groups = chunked([...new Set(ids)], MAX_IN);
    const found = await Promise.all(
      groups.map((group) => this.#connection.query(READER_QUERIES.byId, { where: [group] })),
    );
    return found.flat();
  }

  remember(entry: Entry): void {
    this.#cached.delete(entry.id);
    this.#cached.set(entry.id, entry);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED_ENTRIES && oldest !== undefined) this.#cached.delete(oldest);
  }

  evict(ids: Iterable<EntryId>): void {
    this.#generation++;
    for (const id of ids) this.#cached.delete(id);
  }

  #use(id: EntryId): Entry | undefined {
    const entry = this.#cached.get(id);
    if (entry !== undefined) this.remember(entry);
    return entry;
  }
}
