import type { FirestoreConnection, Mutation, Place } from '../../firestore/connection.ts';
import { put } from '../../firestore/put.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { Revision, RevisionLine, RevisionOutcome, RevisionStore, WantedRevision } from '../revisions.ts';
import { idOf } from './ids.ts';
import { PRESS_QUERIES, REVISIONS } from './queries.ts';

const LOOKED_AT = 50;
const FORGOTTEN_AT_ONCE = 200;

interface Stored extends Revision {
  readonly held: { readonly owner: string; readonly until: number } | null;
}

/** A change of one document: what it answers, and what stands there afterwards. */
interface Change<T> {
  readonly value: T;
  readonly next?: Stored;
}

export class FirestoreRevisionStore implements RevisionStore {
  /** Each look costs a read for each destination, and an edit is no news. */
  readonly looksEveryMs = 15 * MINUTE;
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;

  /** The connection belongs to whoever made it. */
  constructor(connection: FirestoreConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  want(wanted: WantedRevision, basedOn: number): Promise<'wanted' | 'stale'> {
    return this.#change(wanted, (there) => {
      // A try of ours whose answer was lost went through.
      if (there?.version === basedOn + 1 && there.body === wanted.body) return { value: 'wanted' };
      if ((there?.version ?? 0) !== basedOn) return { value: 'stale' };
      const fresh = { version: basedOn + 1, attempts: 0, detail: null, dueAt: null };
      const next: Stored = {
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
    const places = messages.map((message) => placeOf({ pipeline, message }));
    const found = await this.#connection.getAll(places);
    return new Map(
      found.flatMap((snapshot) => {
        const stored = storedIn(snapshot.data());
        return stored === null ? [] : [[stored.message, withoutHold(stored)] as const];
      }),
    );
  }

  async take(line: RevisionLine, owner: string, leaseMs: number): Promise<Revision | null> {
    const found = await this.#connection.query(PRESS_QUERIES.wanted, {
      where: [waitsAt(line)],
      limit: LOOKED_AT,
    });
    const due = found
      .flatMap((snapshot) => storedIn(snapshot.data()) ?? [])
      .filter((stored) => this.#mayBeTaken(stored))
      .sort((a, b) => a.updatedAt - b.updatedAt);
    for (const one of due) {
      const taken = await this.#change<Revision | null>(one, (there) => {
        if (there === null || !this.#mayBeTaken(there)) return { value: null };
        const held = { owner, until: this.#clock.now() + leaseMs };
        const next: Stored = { ...there, attempts: there.attempts + 1, held };
        return { value: withoutHold(next), next };
      });
      if (taken !== null) return taken;
    }
    return null;
  }

  settle(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'settled' | 'stale'> {
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

  async forget(before: number): Promise<void> {
    for (;;) {
      const old = await this.#connection.query(PRESS_QUERIES.old, {
        where: [before],
        limit: FORGOTTEN_AT_ONCE,
      });
      await this.#connection.commit(old.map(({ id }) => ({ do: 'delete', at: [REVISIONS, id] })));
      if (old.length < FORGOTTEN_AT_ONCE) return;
    }
  }

  #mayBeTaken({ state, dueAt, held }: Stored): boolean {
    const now = this.#clock.now();
    return state === 'wanted' && (dueAt ?? 0) <= now && (held === null || held.until <= now);
  }

  #change<T>(
    of: Pick<WantedRevision, 'pipeline' | 'message'>,
    decide: (there: Stored | null) => Change<T>,
  ): Promise<T> {
    const at = placeOf(of);
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide(storedIn(snapshot.data()));
      if (next === undefined) return { value, writes: [] };
      const data = {
        content: JSON.stringify(next),
        waits_at: next.state === 'wanted' ? waitsAt(next) : null,
        settled_at: next.state === 'wanted' ? null : next.updatedAt,
      };
      return { value, writes: [put(snapshot, at, data)] };
    });
  }
}

function placeOf({ pipeline, message }: Pick<WantedRevision, 'pipeline' | 'message'>): Place {
  return [REVISIONS, idOf(pipeline, message)];
}

function waitsAt({ pipeline, destination }: RevisionLine): string {
  return idOf(pipeline, destination);
}

function storedIn(data: { readonly content?: unknown } | undefined): Stored | null {
  return typeof data?.content === 'string' ? (JSON.parse(data.content) as Stored) : null;
}

function withoutHold({ held: _, ...revision }: Stored): Revision {
  return revision;
}
