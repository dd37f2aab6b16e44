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

/** One document for each message that was to read differently. */
export const REVISIONS = 'press_revisions';
/** One document for each destination: today's count. */
export const DAY_COUNTS = 'press_day_counts';

export const PUBLISHING_QUERIES: Readonly<Record<'wanted' | 'old', QueryForm>> = {
  wanted: { collection: REVISIONS, where: [['waits_at', '==']], orderBy: [] },
  old: { collection: REVISIONS, where: [['settled_at', '<']], orderBy: [] },
};

/** An ID for a document that stands for these names, whatever characters are in them. */
export function hashedId(...names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}

interface StoredCount {
  readonly day: number;
  readonly n: number;
}

/** One write for each message. A lost answer may count one twice: then the day has one message less, never one more. */
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

/** A change of one document: what it answers, and what stands there afterwards. */
interface Change<T> {
  readonly value: T;
  readonly next?: StoredRevision;
}

export class FirestoreRevisionStore implements RevisionStore {
  /** Each look costs a read for each destination, and an edit is no news. */
  readonly pollIntervalMs = 15 * MINUTE;
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;

  /** The connection belongs to whoever made it. */
  constructor(connection: FirestoreConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  request(wanted: RequestedRevision, basedOn: number): Promise<'wanted' | 'stale'> {
    return this.#change(wanted, (there) => {
      // A try of ours whose answer was lost went through.
      if (there?.version === basedOn + 1 && there.body === wanted.body) return { value: 'wanted' };
      if ((there?.version ?? 0) !== basedOn) return { value: 'stale' };
      const fresh = { version: basedOn + 1, attempts: 0, detail: null, dueAt: null };
      const next: StoredRevision = {
        ...wanted,
        ...fresh,
        state: 'wanted',
        updatedAt: this.#clock.now(),
        held: there?.held ?? null,
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
      const taken = await this.#change<Revision | null>(one, (there) => {
        if (there === null || !this.#isClaimable(there)) return { value: null };
        const held = { owner, until: this.#clock.now() + leaseMs };
        const next: StoredRevision = { ...there, attempts: there.attempts + 1, held };
        return { value: withoutLease(next), next };
      });
      if (taken !== null) return taken;
    }
    return null;
  }

  finish(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'settled' | 'stale'> {
    return this.#change(revision, (there) => {
      if (there === null) return { value: 'stale' };
      const same = there.version === revision.version;
      if (there.held?.owner !== owner)
        return { value: same && there.state === outcome.state ? 'settled' : 'stale' };
      if (!same) return { value: 'stale', next: { ...there, held: null } };
      const { state, detail } = outcome;
      const dueAt = outcome.state === 'wanted' ? outcome.dueAt : null;
      return {
        value: 'settled',
        next: { ...there, state, detail, dueAt, updatedAt: this.#clock.now(), held: null },
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
    decide: (there: StoredRevision | null) => Change<T>,
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

/** The memory of the press on Firestore, shared by all copies. The connection belongs to whoever made it. */
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
