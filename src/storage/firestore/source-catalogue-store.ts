import { createHash, randomUUID } from 'node:crypto';
import {
  decodeStoredSource,
  encodeStoredSource,
  type NewStoredSource,
  type SourceCatalogueStore,
  type StoredSource,
} from '../../sources/source-catalogue-store.ts';
import { OperationalError } from '../../telemetry/errors.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { DocumentPath, FirestoreConnection, Write } from './connection.ts';
import type { QueryForm } from './query.ts';

const CATALOGUE = 'source_catalogue';
/** Written with every change, and read alone to see whether there was one. */
const REVISION: DocumentPath = ['source_catalogue_revision', 'revision'];

const WATCH_RETRY_MS = 30 * SECOND;

export const SOURCE_CATALOGUE_QUERIES: Readonly<Record<'all', QueryForm>> = {
  all: { collection: CATALOGUE, where: [], orderBy: [] },
};

/** The sources that people added or changed, one document each, shared by all replicas. */
export class FirestoreSourceCatalogueStore implements SourceCatalogueStore {
  readonly #connection: FirestoreConnection;
  readonly #clock: Pick<Clock, 'sleep'>;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection, clock: Pick<Clock, 'sleep'> = systemClock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  async list(): Promise<readonly StoredSource[]> {
    const found = await this.#connection.query(SOURCE_CATALOGUE_QUERIES.all, { where: [] });
    return found
      .map((snapshot) =>
        decodeStoredSource(
          String(snapshot.get('source_id') ?? snapshot.id),
          versionOf(snapshot.get('version')) ?? 0,
          String(snapshot.get('content')),
        ),
      )
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  put(source: NewStoredSource, expectedVersion: number | null): Promise<boolean> {
    return this.#write([source], expectedVersion);
  }

  async add(sources: readonly NewStoredSource[]): Promise<boolean> {
    return sources.length === 0 || this.#write(sources, null);
  }

  remove(id: string): Promise<boolean> {
    const at = pathOf(id);
    const attempt = randomUUID();
    let removed = false;
    return this.#connection.transact(CATALOGUE, async (reads) => {
      const [snapshot] = await reads.getAll([at]);
      // Absent in a later attempt: the first one succeeded, and its reply was lost.
      if (snapshot?.exists !== true) return { value: removed, writes: [] };
      removed = true;
      return { value: true, writes: [{ do: 'delete', at }, revisionWrite(attempt)] };
    });
  }

  async revision(): Promise<string> {
    return String((await this.#connection.get(REVISION)).get('revision') ?? '');
  }

  /** Firestore reports the change: only that costs a read. Where the stream fails, the revision is polled. */
  async waitForChange(revision: string, signal: AbortSignal): Promise<void> {
    const changed = new AbortController();
    const over = AbortSignal.any([signal, changed.signal]);
    const compare = (now: unknown): void => {
      if (String(now ?? '') !== revision) changed.abort();
    };
    while (!over.aborted) {
      try {
        await this.#connection.watch(REVISION, (snapshot) => compare(snapshot.get('revision')), over);
      } catch (error) {
        if (!(error instanceof OperationalError)) throw error;
        await this.#clock.sleep(WATCH_RETRY_MS, over).catch(() => {});
        if (!over.aborted) compare(await this.revision());
      }
    }
  }

  /** All of the records, if each has the expected version. */
  #write(sources: readonly NewStoredSource[], expectedVersion: number | null): Promise<boolean> {
    const attempt = randomUUID();
    const paths = sources.map(({ id }) => pathOf(id));
    return this.#connection.transact(CATALOGUE, async (reads) => {
      const found = await reads.getAll(paths);
      // Written by an earlier attempt of this call, whose reply was lost.
      if (found.every((snapshot) => snapshot.get('attempt') === attempt)) return { value: true, writes: [] };
      if (found.some((snapshot) => versionOf(snapshot.get('version')) !== expectedVersion))
        return { value: false, writes: [] };
      const writes = sources.map((source): Write => {
        const data = {
          source_id: source.id.toWellFormed(),
          version: (expectedVersion ?? 0) + 1,
          content: encodeStoredSource(source),
          attempt,
        };
        return { do: 'set', at: pathOf(source.id), data };
      });
      return { value: true, writes: [...writes, revisionWrite(attempt)] };
    });
  }
}

function pathOf(id: string): DocumentPath {
  return [CATALOGUE, createHash('sha256').update(id).digest('hex')];
}

function revisionWrite(revision: string): Write {
  return { do: 'set', at: REVISION, data: { revision } };
}

function versionOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
