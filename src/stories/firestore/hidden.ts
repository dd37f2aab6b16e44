import type { DocumentData } from '@google-cloud/firestore';
import {
  type FirestoreConnection,
  MOST_CONFLICTS,
  MOST_PER_CALL,
  type Place,
} from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import { chunked } from '../../item/chunked.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { HiddenAsk, HiddenPage, HiddenStory } from '../story-store.ts';
import { documentId, hiddenQueries } from './collections.ts';

/** Who hid fewer than this is read once and known altogether. */
const READ_AT_FIRST = 500;
/** How long what another copy hid may go unnoticed; asking costs a read. */
const LOOK_EVERY = MINUTE;
/** How long what another copy took back may go unnoticed: what is deleted is in no answer. */
const KNOWN_FOR = 30 * MINUTE;
/** The clocks of two copies may differ by so much. */
const SKEW = 2 * MINUTE;
const MOST_PEOPLE = 500;

interface NewDocument {
  readonly at: Place;
  readonly data: DocumentData;
}

/** What is known of one person's hidden stories. */
interface Known {
  readonly answers: Map<number, boolean>;
  /** All that the person hid is in `answers`: what is not there is not hidden. */
  complete: boolean;
  newest: number;
  readonly since: number;
  lookedAt: number;
}

/**
 * Hidden stories, a document each (E3). Of 200,000 only those are read that a page asks about, and once they were, they are
 * remembered for a while.
 */
export class FirestoreHidden {
  readonly #connection: FirestoreConnection;
  readonly #users: string;
  readonly #clock: Clock;
  readonly #people = new Map<string, Known>();
  readonly #made = new Set<string>();

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
    if (!this.#made.has(username)) documents.unshift({ at: [this.#users, documentId(username)], data: {} });
    for (const batch of chunked(documents, MOST_PER_CALL)) await this.#createMissing(batch);
    this.#made.add(username);
    for (const id of distinct) this.#people.get(username)?.answers.set(id, true);
  }

  async unhide(username: string, ids: readonly number[]): Promise<void> {
    const distinct = [...new Set(ids)];
    for (const batch of chunked(distinct, MOST_PER_CALL))
      await this.#connection.commit(batch.map((id) => ({ do: 'delete', at: this.#place(username, id) })));
    for (const id of distinct) this.#people.get(username)?.answers.set(id, false);
  }

  async among(username: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set();
    const known = await this.#known(username);
    const unknown = known.complete ? [] : ids.filter((id) => !known.answers.has(id));
    const places = unknown.map((id) => this.#place(username, id));
    for (const snapshot of await this.#connection.getAll(places))
      known.answers.set(Number(snapshot.id), snapshot.exists);
    return new Set(ids.filter((id) => known.answers.get(id) === true));
  }

  async list(username: string, { limit, after }: HiddenAsk): Promise<HiddenPage> {
    const found = await this.#list(username, limit + 1, after);
    return { stories: found.slice(0, limit), more: found.length > limit };
  }

  async #known(username: string): Promise<Known> {
    const now = this.#clock.now();
    const known = this.#people.get(username);
    if (known === undefined || now - known.since > KNOWN_FOR) return this.#learn(username, now);
    if (now - known.lookedAt < LOOK_EVERY) return known;
    known.lookedAt = now;
    const news = await this.#connection.query(hiddenQueries(this.#collection(username)).since, {
      where: [known.newest - SKEW],
      limit: READ_AT_FIRST,
    });
    // Too many at once: what is known says nothing about the rest.
    if (news.length === READ_AT_FIRST) return this.#learn(username, now);
    for (const snapshot of news) {
      known.answers.set(Number(snapshot.id), true);
      known.newest = Math.max(known.newest, Number(snapshot.get('addedAt')));
    }
    return known;
  }

  async #learn(username: string, now: number): Promise<Known> {
    const first = await this.#list(username, READ_AT_FIRST);
    const known: Known = {
      answers: new Map(first.map(({ id }) => [id, true])),
      complete: first.length < READ_AT_FIRST,
      newest: first[0]?.addedAt ?? now,
      since: now,
      lookedAt: now,
    };
    this.#people.delete(username);
    this.#people.set(username, known);
    const [oldest] = this.#people.keys();
    if (this.#people.size > MOST_PEOPLE && oldest !== undefined) this.#people.delete(oldest);
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

  /** Documents that exist stay as they are: hiding twice keeps the first `addedAt`, and a user's own fields are kept. */
  async #createMissing(documents: readonly NewDocument[]): Promise<void> {
    let missing = documents;
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
      const creates = missing.map(({ at, data }) => ({ do: 'create' as const, at, data }));
      if ((await this.#connection.commit(creates)) === 'committed') return;
      const found = await this.#connection.getAll(missing.map(({ at }) => at));
      missing = missing.filter((_, nth) => found[nth]?.exists !== true);
    }
    throw contention(this.#users, MOST_CONFLICTS);
  }

  #collection(username: string): string {
    return `${this.#users}/${documentId(username)}/hidden`;
  }

  #place(username: string, id: number): readonly [string, string] {
    return [this.#collection(username), String(id)];
  }
}
