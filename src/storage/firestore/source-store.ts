import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  type ClaimedSource,
  newSourceRecord,
  type SourceRecord,
  type SourceStore,
} from '../../sources/source.ts';
import { type Clock, endsTooLate, systemClock } from '../../time/clock.ts';
import type { DocumentPath, FirestoreConnection, Mutation, Write } from './connection.ts';
import type { QueryForm } from './query.ts';

const SOURCES = 'sources';

export const SOURCE_QUERIES: Readonly<Record<'all', QueryForm>> = {
  all: { collection: SOURCES, where: [], orderBy: [] },
};

/** Longer content is compressed; a Firestore document holds 1 MiB in all. */
const PACKED_FROM = 64 * 1024;

/** State of each source, one document each: its ID and the record as JSON. */
export class FirestoreSourceStore implements SourceStore {
  readonly #connection: FirestoreConnection;
  readonly #clock: Pick<Clock, 'now'>;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection, clock: Pick<Clock, 'now'> = systemClock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  async load(sourceId: string): Promise<SourceRecord | null> {
    return recordOf((await this.#connection.get(pathOf(sourceId))).get('content'));
  }

  async save(record: SourceRecord): Promise<void> {
    const json = JSON.stringify(record);
    const content = json.length < PACKED_FROM ? json : deflateRawSync(json);
    const data = { source_id: record.sourceId.toWellFormed(), content };
    await this.#connection.commit([{ do: 'set', at: pathOf(record.sourceId), data }]);
  }

  /** In the document of the record, so that a poll costs one read and two writes. */
  claim(sourceId: string, owner: string, leaseMs: number): Promise<ClaimedSource | null> {
    const at = pathOf(sourceId);
    return this.#connection.mutate(at, (snapshot): Mutation<ClaimedSource | null> => {
      const now = this.#clock.now();
      const { claimed_by, claimed_until } = snapshot.data() ?? {};
      // An end beyond any lease was set by a clock that was ahead.
      const isClaimed =
        typeof claimed_until === 'number' && claimed_until > now && !endsTooLate(claimed_until, leaseMs, now);
      if (isClaimed && claimed_by !== owner) return { value: null, writes: [] };
      const data = { source_id: sourceId.toWellFormed(), claimed_by: owner, claimed_until: now + leaseMs };
      const asOf = snapshot.updateTime;
      const write: Write = asOf === undefined ? { do: 'create', at, data } : { do: 'patch', at, data, asOf };
      return { value: { record: recordOf(snapshot.get('content')) }, writes: [write] };
    });
  }

  async list(): Promise<readonly SourceRecord[]> {
    const found = await this.#connection.query(SOURCE_QUERIES.all, { where: [] });
    return found
      .flatMap((snapshot) => recordOf(snapshot.get('content')) ?? [])
      .sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
  }

  async remove(sourceId: string): Promise<void> {
    await this.#connection.commit([{ do: 'delete', at: pathOf(sourceId) }]);
  }
}

function pathOf(sourceId: string): DocumentPath {
  return [SOURCES, createHash('sha256').update(sourceId).digest('hex')];
}

function recordOf(content: unknown): SourceRecord | null {
  if (typeof content === 'string') return withDefaults(JSON.parse(content) as SourceRecord);
  if (content instanceof Uint8Array)
    return withDefaults(JSON.parse(inflateRawSync(content).toString('utf8')) as SourceRecord);
  return null;
}

/** Earlier versions wrote fewer fields. */
function withDefaults(record: SourceRecord): SourceRecord {
  return { ...newSourceRecord(record.sourceId), ...record };
}
