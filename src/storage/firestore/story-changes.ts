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

/** How far back the feed reaches. */
const RETENTION_MS = 2 * DAY;
const MAX_DOCUMENT_BYTES = 900_000;
/** A server's stamp in a document is taken a little before its change is in force. */
const CLOCK_MARGIN_MS = 2 * MINUTE;
const PRUNE_BATCH_SIZE = 400;
/** Batches of changes that are read to catch up; who is farther behind had better rank anew. */
const MAX_BATCHES_READ = 200;

/**
 * What changed, a document for each batch. Places are the server's own times of change, which put all changes into one
 * order and can be compared with the time at which a cache document was written.
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

  /** The documents that tell of these changes. */
  async writesFor(changes: readonly StoryChange[]): Promise<Write[]> {
    const at = await this.#connection.serverTime();
    return inDocuments(changes).map((some) => ({
      // Nothing else has this ID, and without a precondition the commit is retried when it is aborted.
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

  /** Ends what is older than anybody asks for; once a day, since looking costs. */
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
