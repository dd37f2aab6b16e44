import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FirestoreConnection, Place } from '../../firestore/connection.ts';
import type { QueryForm } from '../../firestore/query.ts';
import type { SourceRecord, SourceStore } from '../source-store.ts';

const SOURCES = 'sources';

export const SOURCE_QUERIES: Readonly<Record<'all', QueryForm>> = {
  all: { collection: SOURCES, where: [], orderBy: [] },
};

/** What is longer than this is packed; a document of Firestore holds 1 MiB in all. */
const PACKED_FROM = 64 * 1024;

/** What is remembered of each source, one document for each: its ID and the record as it is, as JSON. */
export class FirestoreSourceStore implements SourceStore {
  readonly #connection: FirestoreConnection;

  /** The connection belongs to whoever made it. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async load(sourceId: string): Promise<SourceRecord | null> {
    return recordOf((await this.#connection.get(placeOf(sourceId))).get('content'));
  }

  async save(record: SourceRecord): Promise<void> {
    const json = JSON.stringify(record);
    const content = json.length < PACKED_FROM ? json : deflateRawSync(json);
    const data = { source_id: record.sourceId.toWellFormed(), content };
    await this.#connection.commit([{ do: 'set', at: placeOf(record.sourceId), data }]);
  }

  async list(): Promise<readonly SourceRecord[]> {
    const found = await this.#connection.query(SOURCE_QUERIES.all, { where: [] });
    return found
      .flatMap((snapshot) => recordOf(snapshot.get('content')) ?? [])
      .sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
  }

  async remove(sourceId: string): Promise<void> {
    await this.#connection.commit([{ do: 'delete', at: placeOf(sourceId) }]);
  }
}

function placeOf(sourceId: string): Place {
  return [SOURCES, createHash('sha256').update(sourceId).digest('hex')];
}

function recordOf(content: unknown): SourceRecord | null {
  if (typeof content === 'string') return JSON.parse(content) as SourceRecord;
  if (content instanceof Uint8Array)
    return JSON.parse(inflateRawSync(content).toString('utf8')) as SourceRecord;
  return null;
}
