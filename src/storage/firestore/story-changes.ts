import { randomUUID } from 'node:crypto';
import type { ChangePage, ChangePosition, StoryChange } from '../../stories/story-store.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import type { FirestoreConnection, Write } from './connection.ts';
import {
  bytesOf,
  type Collections,
  listedData,
  loadToTimestamp,
  positionMs,
  positionOf,
  storyQueries,
  type ToTimestamp,
  toListed,
} from './story-documents.ts';

/** Retention of the feed. */
const RETENTION_MS = 2 * DAY;
const MAX_DOCUMENT_BYTES = 900_000;
/** A server timestamp in a document is slightly earlier than the commit of its change. */
const CLOCK_MARGIN_MS = 2 * MINUTE;
const PRUNE_BATCH_SIZE = 400;
/** Batches read to catch up; a reader that is farther behind ranks again instead. */
const MAX_BATCHES_READ = 200;

/**
 * The change feed of stories, one document for each batch. Positions are server commit times, which order all changes and
 * can be compared with the write time of a cache document.
 */
export class FirestoreStoryChanges {
  readonly #connection: FirestoreConnection;
  readonly #collection: string;
  readonly #queries: ReturnType<typeof storyQueries>;
  readonly #clock: Clock;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: FirestoreConnection, collections: Collections, clock: Clock) {
    this.#connection = connection;
    this.#collection = collections.changes;
    this.#queries = storyQueries(collections);
    this.#clock = clock;
  }

  /** The documents that describe these changes. */
  async writesFor(changes: readonly StoryChange[]): Promise<Write[]> {
    const at = await this.#connection.serverTime();
    return inDocuments(changes).map((some) => ({
      // The ID is unique, and a commit without a precondition is retried when it is aborted.
      do: 'set',
      at: [this.#collection, `${this.#clock.now()}-${randomUUID()}`],
      data: { at, changes: some.map(toData) },
    }));
  }

  async head(): Promise<ChangePosition> {
    const [newest] = await this.#connection.query(this.#queries.head, { where: [], limit: 1 });
    if (newest !== undefined) return positionOf(newest.createTime);
    return positionOf((await loadToTimestamp())(this.#clock.now() - CLOCK_MARGIN_MS));
  }

  async since(place: ChangePosition): Promise<ChangePage | null> {
    const ms = positionMs(place);
    if (ms === null || ms < this.#clock.now() - RETENTION_MS) return null;
    const from = (await loadToTimestamp())(ms - CLOCK_MARGIN_MS);
    const found = await this.#connection.query(this.#queries.changes, {
      where: [from],
      limit: MAX_BATCHES_READ,
    });
    if (found.length === MAX_BATCHES_READ) return null;
    const after = found
      .map((snapshot) => ({
        place: positionOf(snapshot.createTime),
        changes: snapshot.get('changes') as unknown,
      }))
      .filter((part) => part.place > place)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    return {
      changes: after.flatMap(({ changes }) => (Array.isArray(changes) ? changes.map(toChange) : [])),
      position: after.at(-1)?.place ?? place,
    };
  }

  /** Deletes entries older than any reader needs; once a day, since the query costs reads. */
  async prune(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#prunedAt < DAY) return;
    this.#prunedAt = now;
    const timestamp: ToTimestamp = await loadToTimestamp();
    for (;;) {
      const old = await this.#connection.query(this.#queries.old, {
        where: [timestamp(now - RETENTION_MS - CLOCK_MARGIN_MS)],
        limit: PRUNE_BATCH_SIZE,
      });
      await this.#connection.commit(old.map(({ id }) => ({ do: 'delete', at: [this.#collection, id] })));
      if (old.length < PRUNE_BATCH_SIZE) return;
    }
  }
}

function inDocuments(changes: readonly StoryChange[]): StoryChange[][] {
  const documents: StoryChange[][] = [];
  let room = 0;
  for (const change of changes) {
    const bytes =
      (change.before ? bytesOf(change.before) : 0) + (change.after ? bytesOf(change.after) : 0) + 40;
    if (bytes > room || documents.length === 0) {
      documents.push([]);
      room = MAX_DOCUMENT_BYTES;
    }
    documents.at(-1)?.push(change);
    room -= bytes;
  }
  return documents;
}

function toData({ before, after }: StoryChange): unknown {
  return { before: before && listedData(before), after: after && listedData(after) };
}

function toChange(data: unknown): StoryChange {
  const { before, after } = data as { before?: unknown; after?: unknown };
  return { before: toListed(before), after: toListed(after) };
}
