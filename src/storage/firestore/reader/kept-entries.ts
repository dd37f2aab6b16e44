import type { DocumentSnapshot } from '@google-cloud/firestore';
import { chunked } from '../../../item/chunked.ts';
import type { EntryId } from '../../../reader/entry-store.ts';
import { type FirestoreConnection, MAX_CONFLICTS, type Write } from '../connection.ts';
import { contentionError } from '../errors.ts';
import { entryAt, keepersOf, READER_QUERIES, toStoredEntry } from './documents.ts';
import type { EntryDocuments } from './entry-documents.ts';

const ENTRIES_PER_STEP = 200;

/**
 * Records in the documents of entries who starred them or wants to read them later, so that retention keeps them. It is written
 * before a person's state says so, and removed after: a crash in between keeps an entry too long, and loses none.
 */
export class KeptEntries {
  readonly #connection: FirestoreConnection;
  readonly #documents: EntryDocuments;

  constructor(connection: FirestoreConnection, documents: EntryDocuments) {
    this.#connection = connection;
    this.#documents = documents;
  }

  async set(person: string, ids: Iterable<EntryId>, isKept: boolean): Promise<void> {
    for (const some of chunked([...new Set(ids)], ENTRIES_PER_STEP))
      await this.#untilCommitted(async () =>
        (await this.#documents.snapshots(some)).flatMap((found) => keeperWrite(found, person, isKept)),
      );
  }

  async removePerson(person: string): Promise<void> {
    for (let isMore = true; isMore; )
      await this.#untilCommitted(async () => {
        const found = await this.#connection.query(READER_QUERIES.keptBy, {
          where: [person],
          limit: ENTRIES_PER_STEP,
        });
        isMore = found.length === ENTRIES_PER_STEP;
        return found.flatMap((one) => keeperWrite(one, person, false));
      });
  }

  async #untilCommitted(read: () => Promise<Write[]>): Promise<void> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++)
      if ((await this.#connection.commit(await read())) === 'committed') return;
    throw contentionError(READER_QUERIES.keptBy.collection, MAX_CONFLICTS);
  }
}

function keeperWrite(found: DocumentSnapshot, person: string, isKept: boolean): Write[] {
  const keepers = keepersOf(found);
  const key = toStoredEntry(found)?.entry.key;
  if (keepers.includes(person) === isKept || key === undefined || found.updateTime === undefined) return [];
  const kept_by = isKept ? [...keepers, person] : keepers.filter((one) => one !== person);
  return [{ do: 'patch', at: entryAt(key), data: { kept_by }, asOf: found.updateTime }];
}
