import type { DocumentData } from '@google-cloud/firestore';
import { chunked } from '../../item/chunked.ts';
import type { HiddenPage, HiddenRequest, HiddenStory } from '../../stories/story-store.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { type DocumentPath, type FirestoreConnection, MAX_CONFLICTS, MAX_PER_CALL } from './connection.ts';
import { contentionError } from './errors.ts';
import { documentId, hiddenQueries } from './story-documents.ts';

/** The hidden stories of a user with fewer than this are read once and cached completely. */
const INITIAL_READ_LIMIT = 500;
/** Maximum delay until what another replica hid is seen; polling costs a read. */
const POLL_INTERVAL_MS = MINUTE;
/** Maximum delay until what another replica unhid is seen: queries do not return deleted documents. */
const CACHE_TTL_MS = 30 * MINUTE;
/** Maximum clock difference between replicas. */
const MAX_CLOCK_SKEW_MS = 2 * MINUTE;
const MAX_CACHED_PEOPLE = 500;

interface NewDocument {
  readonly at: DocumentPath;
  readonly data: DocumentData;
}

/** Cached hidden stories of one user. */
interface CachedPerson {
  readonly answers: Map<number, boolean>;
  /** `answers` is complete: a story that is not in it is not hidden. */
  complete: boolean;
  newest: number;
  readonly since: number;
  polledAt: number;
}

/**
 * Hidden stories, one document each (E3). Of 200,000 only those on a requested page are read, and then cached for a while.
 */
export class FirestoreHiddenStories {
  readonly #connection: FirestoreConnection;
  readonly #users: string;
  readonly #clock: Clock;
  readonly #people = new Map<string, CachedPerson>();
  readonly #created = new Set<string>();

  constructor(connection: FirestoreConnection, users: string, clock: Clock) {
    this.#connection = connection;
    this.#users = users;
    this.#clock = clock;
  }

  async hide(username: string, ids: readonly number[], at: number): Promise<void> {
    const distinct = [...new Set(ids)];
    const documents: NewDocument[] = distinct.map((id) => ({
      at: this.#place(username, id),
      data: { addedAt: at },
    }));
    if (!this.#created.has(username))
      documents.unshift({ at: [this.#users, documentId(username)], data: {} });
    for (const batch of chunked(documents, MAX_PER_CALL)) await this.#createMissing(batch);
    this.#created.add(username);
    for (const id of distinct) this.#people.get(username)?.answers.set(id, true);
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    const distinct = [...new Set(ids)];
    for (const batch of chunked(distinct, MAX_PER_CALL))
      await this.#connection.commit(batch.map((id) => ({ do: 'delete', at: this.#place(username, id) })));
    for (const id of distinct) this.#people.get(username)?.answers.set(id, false);
  }

  async among(username: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set();
    const known = await this.#cached(username);
    const unknown = known.complete ? [] : ids.filter((id) => !known.answers.has(id));
    const places = unknown.map((id) => this.#place(username, id));
    for (const snapshot of await this.#connection.getAll(places))
      known.answers.set(Number(snapshot.id), snapshot.exists);
    return new Set(ids.filter((id) => known.answers.get(id) === true));
  }

  async list(username: string, { limit, after }: HiddenRequest): Promise<HiddenPage> {
    const found = await this.#list(username, limit + 1, after);
    return { stories: found.slice(0, limit), more: found.length > limit };
  }

  async #cached(username: string): Promise<CachedPerson> {
    const now = this.#clock.now();
    const known = this.#people.get(username);
    if (known === undefined || now - known.since > CACHE_TTL_MS) return this.#load(username, now);
    if (now - known.polledAt < POLL_INTERVAL_MS) return known;
    known.polledAt = now;
    const news = await this.#connection.query(hiddenQueries(this.#collection(username)).since, {
      where: [known.newest - MAX_CLOCK_SKEW_MS],
      limit: INITIAL_READ_LIMIT,
    });
    // Too many at once: the cache is no longer complete.
    if (news.length === INITIAL_READ_LIMIT) return this.#load(username, now);
    for (const snapshot of news) {
      known.answers.set(Number(snapshot.id), true);
      known.newest = Math.max(known.newest, Number(snapshot.get('addedAt')));
    }
    return known;
  }

  async #load(username: string, now: number): Promise<CachedPerson> {
    const first = await this.#list(username, INITIAL_READ_LIMIT);
    const known: CachedPerson = {
      answers: new Map(first.map(({ id }) => [id, true])),
      complete: first.length < INITIAL_READ_LIMIT,
      newest: first[0]?.addedAt ?? now,
      since: now,
      polledAt: now,
    };
    this.#people.delete(username);
    this.#people.set(username, known);
    const [oldest] = this.#people.keys();
    if (this.#people.size > MAX_CACHED_PEOPLE && oldest !== undefined) this.#people.delete(oldest);
    return known;
  }

  async #list(username: string, limit: number, after?: HiddenStory): Promise<HiddenStory[]> {
    const found = await this.#connection.query(hiddenQueries(this.#collection(username)).list, {
      where: [],
      limit,
      ...(after !== undefined && { startAfter: [after.addedAt, String(after.id)] }),
    });
    return found.map((snapshot) => ({ id: Number(snapshot.id), addedAt: Number(snapshot.get('addedAt')) }));
  }

  /** Existing documents stay unchanged: hiding twice keeps the first `addedAt`, and a user's own fields are kept. */
  async #createMissing(documents: readonly NewDocument[]): Promise<void> {
    let missing = documents;
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const creates = missing.map(({ at, data }) => ({ do: 'create' as const, at, data }));
      if ((await this.#connection.commit(creates)) === 'committed') return;
      const found = await this.#connection.getAll(missing.map(({ at }) => at));
      missing = missing.filter((_, nth) => found[nth]?.exists !== true);
    }
    throw contentionError(this.#users, MAX_CONFLICTS);
  }

  #collection(username: string): string {
    return `${this.#users}/${documentId(username)}/hidden`;
  }

  #place(username: string, id: number): readonly [string, string] {
    return [this.#collection(username), String(id)];
  }
}
