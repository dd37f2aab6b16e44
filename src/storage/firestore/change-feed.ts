import type { DocumentSnapshot } from '@google-cloud/firestore';
import { traceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import {
  type Change,
  type ChangeFeed,
  type ChangeSink,
  dropCreated,
  type FeedChange,
  RelayLoop,
} from '../../timelines/change-feed.ts';
import { type FirestoreConnection, MAX_PER_CALL, type Write } from './connection.ts';
import { changeAt, dropAt, isDeleted, SOCIAL_QUERIES, toDrop } from './social-documents.ts';

/** Poll interval for changes left by another replica. Every poll costs a read. */
const POLL_INTERVAL_MS = 5 * MINUTE;
/** Poll interval after Firestore failed. */
const POLL_AFTER_FAILURE_MS = 30 * SECOND;
/** Changes kept in memory while the sink is unavailable; later ones are read from Firestore. */
const MAX_WAITING = 1000;

/** A change before its transaction. */
export interface PreparedChange extends FeedChange {
  readonly id: string;
  /** Part of the commit of the change itself: both are stored, or neither. */
  readonly write: Write;
}

/**
 * One document for each change, deleted once it was relayed. A replica relays its own changes from memory without reading
 * them, and queries at the start and at intervals for what another one left. Two replicas may relay the same document;
 * events are idempotent.
 */
export class FirestoreChangeFeed implements ChangeFeed {
  readonly betweenProcesses = false;
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #nextId: () => string;
  readonly #loop: RelayLoop;
  /** Not relayed yet, by ID, in order; `null` where nothing is left to relay. */
  readonly #waiting = new Map<string, FeedChange | null>();
  /** More are stored than were read or kept in memory. */
  #isMore = false;
  #pollAt = Number.NEGATIVE_INFINITY;
  /** Result of the last poll: the reply of a commit at the same moment may arrive after the poll. */
  #found: ReadonlySet<string> = new Set();

  /** `nextId` gives increasing document names, close to the clock. */
  constructor(connection: FirestoreConnection, clock: Clock, nextId: () => string) {
    this.#connection = connection;
    this.#clock = clock;
    this.#nextId = nextId;
    this.#loop = new RelayLoop(clock);
  }

  prepare(change: Change): PreparedChange {
    const [id, at, trace] = [this.#nextId(), this.#clock.now(), traceHeaders()];
    const data = { seq: id, change: JSON.stringify(change), at, traceparent: trace.traceparent ?? null };
    return { id, change, at, trace, write: { do: 'set', at: changeAt(id), data } };
  }

  /** The transaction with this change was committed. */
  committed({ id, change, at, trace }: PreparedChange): void {
    if (this.#found.has(id)) return;
    if (this.#waiting.size < MAX_WAITING) this.#waiting.set(id, { change, at, trace });
    else this.#isMore = true;
    this.#loop.wake();
  }

  async append(change: Change): Promise<void> {
    const prepared = this.prepare(change);
    await this.#connection.commit([prepared.write]);
    this.committed(prepared);
  }

  async relay(sink: ChangeSink, signal: AbortSignal): Promise<void> {
    const pass = async (): Promise<number> => {
      await this.#drain(sink);
      while (this.#isMore || this.#clock.monotonic() >= this.#pollAt) {
        await this.#poll();
        await this.#drain(sink);
      }
      return Math.max(0, this.#pollAt - this.#clock.monotonic());
    };
    await this.#loop.run(pass, sink.log, signal);
  }

  async waiting(): Promise<number> {
    return this.#waiting.size;
  }

  async #drain(sink: ChangeSink): Promise<void> {
    const relayed: string[] = [];
    try {
      for (const [id, change] of this.#waiting) {
        if (change !== null) await sink.accept(change);
        this.#waiting.delete(id);
        relayed.push(id);
        if (relayed.length === MAX_PER_CALL) await this.#remove(relayed.splice(0));
      }
    } finally {
      await this.#remove(relayed);
    }
  }

  /** Reads stored changes. While the sink refuses them, they stay in memory and are not read again. */
  async #poll(): Promise<void> {
    this.#pollAt = this.#clock.monotonic() + POLL_AFTER_FAILURE_MS;
    const found = await this.#connection.query(SOCIAL_QUERIES.changes, { where: [], limit: MAX_PER_CALL });
    this.#found = new Set(found.map(({ id }) => id));
    this.#isMore = found.length === MAX_PER_CALL;
    this.#pollAt = this.#clock.monotonic() + POLL_INTERVAL_MS;
    for (const document of found)
      if (!this.#waiting.has(document.id)) this.#waiting.set(document.id, await this.#read(document));
  }

  /** Where it fails, the next poll finds them and relays them once more. */
  async #remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.#connection.commit(ids.map((id) => ({ do: 'delete', at: changeAt(id) })));
    } catch (error) {
      this.#pollAt = this.#clock.monotonic() + POLL_AFTER_FAILURE_MS;
      throw error;
    }
  }

  async #read(document: DocumentSnapshot): Promise<FeedChange | null> {
    const change = await this.#toChange(JSON.parse(String(document.get('change'))) as Change | EarlierChange);
    if (change === null) return null;
    const traceparent: unknown = document.get('traceparent');
    return {
      change,
      at: Number(document.get('at') ?? this.#clock.now()),
      trace: typeof traceparent === 'string' ? { traceparent } : {},
    };
  }

  /** Also reads a document of an earlier version; `null` where its drop was deleted meanwhile. */
  async #toChange(change: Change | EarlierChange): Promise<Change | null> {
    if ('type' in change) return change;
    switch (change.kind) {
      case 'posted': {
        const found = await this.#connection.get(dropAt(change.dropId));
        const drop = isDeleted(found) ? null : toDrop(found);
        return drop === null ? null : dropCreated(drop);
      }
      case 'deleted':
        return { type: 'drop_deleted', drop_id: change.dropId, user_id: change.userId };
      default:
        return { type: change.kind, user_id: change.userId, author_id: change.authorId };
    }
  }
}

/** The format of earlier versions, before a change was an event. */
type EarlierChange =
  | { readonly kind: 'posted'; readonly dropId: string }
  | { readonly kind: 'deleted'; readonly dropId: string; readonly userId: string }
  | { readonly kind: 'followed' | 'unfollowed'; readonly userId: string; readonly authorId: string };
