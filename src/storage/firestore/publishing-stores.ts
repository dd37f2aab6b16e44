import { createHash } from 'node:crypto';
import type {
  DayCounter,
  PublishingStores,
  RequestedRevision,
  Revision,
  RevisionOutcome,
  RevisionStore,
  RevisionTarget,
} from '../../outbox/publishing-stores.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { DocumentPath, FirestoreConnection, Mutation } from './connection.ts';
import { createOrReplace, type QueryForm } from './query.ts';

/** One document for each edited message. */
export const REVISIONS = 'press_revisions';
/** One document for each destination: today's count. */
export const DAY_COUNTS = 'press_day_counts';

export const PUBLISHING_QUERIES: Readonly<Record<'wanted' | 'old', QueryForm>> = {
  wanted: { collection: REVISIONS, where: [['waits_at', '==']], orderBy: [] },
  old: { collection: REVISIONS, where: [['settled_at', '<']], orderBy: [] },
};

/** A document ID for these names, whatever characters are in them. */
export function hashedId(...names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}

interface StoredCount {
  readonly day: number;
  readonly n: number;
}

/** One write for each message. A lost reply may count one twice: then the day has one message less, never one more. */
export function createFirestoreDayCounter(connection: FirestoreConnection): DayCounter {
  const change = <T>(
    destination: string,
    decide: (count: StoredCount | null) => { readonly value: T; readonly next?: StoredCount },
  ): Promise<T> => {
    const at: DocumentPath = [DAY_COUNTS, hashedId(destination)];
    return connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide((snapshot.data() as StoredCount | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [createOrReplace(snapshot, at, next)] };
    });
  };
  return {
    tryIncrement: (destination, day, most) =>
      change(destination, (count) => {
        const n = count?.day === day ? count.n : 0;
        return n >= most ? { value: false } : { value: true, next: { day, n: n + 1 } };
      }),
    decrement: (destination, day) =>
      change(destination, (count) =>
        count?.day === day && count.n > 0
          ? { value: undefined, next: { day, n: count.n - 1 } }
          : { value: undefined },
      ),
  };
}

const SCAN_SIZE = 50;
const PURGE_BATCH_SIZE = 200;

interface StoredRevision extends Revision {
  readonly held: { readonly owner: string; readonly until: number } | null;
}

/** A change of one document: the value returned, and the new content. */
interface Change<T> {
  readonly value: T;
  readonly next?: StoredRevision;
}

export class FirestoreRevisionStore implements RevisionStore {
  /** Each poll costs one read for each destination, and edits are not urgent. */
  readonly pollIntervalMs = 15 * MINUTE;
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  request(wanted: RequestedRevision, basedOn: number): Promise<'wanted' | 'stale'> {
    return this.#change(wanted, (stored) => {
      // An earlier attempt succeeded, but its reply was lost.
      if (stored?.version === basedOn + 1 && stored.body === wanted.body) return { value: 'wanted' };
      if ((stored?.version ?? 0) !== basedOn) return { value: 'stale' };
      const fresh = { version: basedOn + 1, attempts: 0, detail: null, dueAt: null };
      const next: StoredRevision = {
        ...wanted,
        ...fresh,
        state: 'wanted',
        updatedAt: this.#clock.now(),
        held: stored?.held ?? null,
      };
      return { value: 'wanted', next };
    });
  }

  async of(pipeline: string, messages: readonly string[]): Promise<ReadonlyMap<string, Revision>> {
    const places = messages.map((message) => revisionPath({ pipeline, message }));
    const found = await this.#connection.getAll(places);
    return new Map(
      found.flatMap((snapshot) => {
        const stored = readRevision(snapshot.data());
        return stored === null ? [] : [[stored.message, withoutLease(stored)] as const];
      }),
    );
  }

  async claimNext(line: RevisionTarget, owner: string, leaseMs: number): Promise<Revision | null> {
    const found = await this.#connection.query(PUBLISHING_QUERIES.wanted, {
      where: [targetId(line)],
      limit: SCAN_SIZE,
    });
    const due = found
      .flatMap((snapshot) => readRevision(snapshot.data()) ?? [])
      .filter((stored) => this.#isClaimable(stored))
      .sort((a, b) => a.updatedAt - b.updatedAt);
    for (const one of due) {
      const claimed = await this.#change<Revision | null>(one, (stored) => {
        if (stored === null || !this.#isClaimable(stored)) return { value: null };
        const held = { owner, until: this.#clock.now() + leaseMs };
        const next: StoredRevision = { ...stored, attempts: stored.attempts + 1, held };
        return { value: withoutLease(next), next };
      });
      if (claimed !== null) return claimed;
    }
    return null;
  }

  finish(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'finished' | 'stale'> {
    return this.#change(revision, (stored) => {
      if (stored === null) return { value: 'stale' };
      const same = stored.version === revision.version;
      if (stored.held?.owner !== owner)
        return { value: same && stored.state === outcome.state ? 'finished' : 'stale' };
      if (!same) return { value: 'stale', next: { ...stored, held: null } };
      const { state, detail } = outcome;
      const dueAt = outcome.state === 'wanted' ? outcome.dueAt : null;
      return {
        value: 'finished',
        next: { ...stored, state, detail, dueAt, updatedAt: this.#clock.now(), held: null },
      };
    });
  }

  async purge(before: number): Promise<void> {
    for (;;) {
      const old = await this.#connection.query(PUBLISHING_QUERIES.old, {
        where: [before],
        limit: PURGE_BATCH_SIZE,
      });
      await this.#connection.commit(old.map(({ id }) => ({ do: 'delete', at: [REVISIONS, id] })));
      if (old.length < PURGE_BATCH_SIZE) return;
    }
  }

  #isClaimable({ state, dueAt, held }: StoredRevision): boolean {
    const now = this.#clock.now();
    return state === 'wanted' && (dueAt ?? 0) <= now && (held === null || held.until <= now);
  }

  #change<T>(
    of: Pick<RequestedRevision, 'pipeline' | 'message'>,
    decide: (stored: StoredRevision | null) => Change<T>,
  ): Promise<T> {
    const at = revisionPath(of);
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide(readRevision(snapshot.data()));
      if (next === undefined) return { value, writes: [] };
      const data = {
        content: JSON.stringify(next),
        waits_at: next.state === 'wanted' ? targetId(next) : null,
        settled_at: next.state === 'wanted' ? null : next.updatedAt,
      };
      return { value, writes: [createOrReplace(snapshot, at, data)] };
    });
  }
}

function revisionPath({ pipeline, message }: Pick<RequestedRevision, 'pipeline' | 'message'>): DocumentPath {
  return [REVISIONS, hashedId(pipeline, message)];
}

function targetId({ pipeline, destination }: RevisionTarget): string {
  return hashedId(pipeline, destination);
}

function readRevision(data: { readonly content?: unknown } | undefined): StoredRevision | null {
  return typeof data?.content === 'string' ? (JSON.parse(data.content) as StoredRevision) : null;
}

function withoutLease({ held: _, ...revision }: StoredRevision): Revision {
  return revision;
}

/** Publishing stores on Firestore, shared by all replicas. The caller owns the connection. */
export function openFirestorePublishingStores(
  connection: FirestoreConnection,
  clock: Clock,
): PublishingStores {
  return {
    revisions: new FirestoreRevisionStore(connection, clock),
    counter: createFirestoreDayCounter(connection),
    [Symbol.asyncDispose]: async () => {},
  };
}
