import { setTimeout as realPause } from 'node:timers/promises';
import type {
  DocumentData,
  DocumentReference,
  DocumentSnapshot,
  Firestore,
  Precondition,
  QueryDocumentSnapshot,
  Timestamp,
  Transaction,
} from '@google-cloud/firestore';
import { chunked } from '../../item/chunked.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import { jitteredBackoff } from '../../time/retry.ts';
import {
  contentionError,
  errorActionFor,
  FirestoreError,
  firestoreErrorFor,
  GoogleCredentialsError,
  goNameOf,
  isMissingIndex,
  stoppingError,
} from './errors.ts';
import { applyQuery, type QueryForm, type QueryValues } from './query.ts';
import { OpenCalls, statusOf, withoutSdkRetries } from './sdk-retries.ts';
import {
  addToMeter,
  addUsage,
  mergeUsage,
  NO_USAGE,
  quotaDay,
  type Usage,
  type UsageByCollection,
  usageOfPaths,
  usageOfWrites,
} from './usage.ts';

export interface FirestoreOptions {
  readonly project: string;
  readonly database?: string;
  /** Host and port of the emulator; the real service when absent. */
  readonly emulator?: string;
  /** Prefix of every collection name. */
  readonly prefix?: string;
  /** A service account key, as in Google's JSON file; the machine's own identity when absent. */
  readonly credentials?: string;
  /** A client of the caller; created on first use when absent. */
  readonly client?: Firestore;
  readonly clock: Clock;
  readonly events: Events;
  /** Sleeps after a conflict. In real time by default: the other writers are real, whatever the clock says. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** A document's name: its collection without the prefix, and its ID. */
export type DocumentPath = readonly [collection: string, id: string];

/** One change of a document. `asOf`: precondition on its update time. */
export type Write =
  | { readonly do: 'create' | 'set'; readonly at: DocumentPath; readonly data: DocumentData }
  | {
      readonly do: 'replace';
      readonly at: DocumentPath;
      readonly data: DocumentData;
      readonly asOf: Timestamp;
    }
  | {
      readonly do: 'patch';
      readonly at: DocumentPath;
      readonly data: DocumentData;
      readonly asOf?: Timestamp;
    }
  | { readonly do: 'delete'; readonly at: DocumentPath; readonly asOf?: Timestamp };

/** `conflict`: another writer was first, or an earlier attempt of this call succeeded. Read back to see which. */
export type Committed = 'committed' | 'conflict';

/** The most documents in one call (A11). */
export const MAX_PER_CALL = 500;
const USAGE = 'firestore_usage';
const FLUSH_INTERVAL_MS = 5 * MINUTE;
/** Compare-and-set attempts before giving up. */
export const MAX_CONFLICTS = 60;
const MAX_ABORTED = 10;
/** Retry delay once the program stops. */
const STOPPING_RETRY_MS = 250;
/** Backoff after a conflict with other writers. */
const CONFLICT_BACKOFF = { baseMs: 20, capMs: 2 * SECOND };

interface CallInfo {
  readonly operation: string;
  readonly collection: string;
  /** A write, which another writer may precede; then the result is `null`. */
  readonly mayConflict?: boolean;
  /** ABORTED means that nothing was written: a write without a precondition is retried. */
  readonly retriesAborted?: boolean;
  /** Fails at once instead of being retried. */
  readonly once?: boolean;
}

/**
 * The connection to one Firestore database. Every call goes through `#call`, which applies the retry policy of A16, counts
 * what Firestore counts (A17, A19) and emits the events. The SDK is loaded and the client created with the first call.
 */
export class FirestoreConnection implements AsyncDisposable {
  readonly #options: FirestoreOptions;
  readonly #prefix: string;
  #opening: Promise<Firestore> | null = null;
  #failedAt: number | null = null;
  #day = '';
  #used: Usage = NO_USAGE;
  #toFlush: Usage = NO_USAGE;
  #flushedAt: number;
  #closed = new AbortController();
  readonly #stopping = new AbortController();
  /** On the monotonic clock: no call is retried after this time. */
  #stopBy = Number.POSITIVE_INFINITY;
  readonly #calls = new OpenCalls();

  constructor(options: FirestoreOptions) {
    this.#options = options;
    this.#prefix = options.prefix ?? '';
    this.#flushedAt = options.clock.now();
  }

  /** The documents at these paths, in order, in calls of at most 500. */
  async getAll(places: readonly DocumentPath[]): Promise<DocumentSnapshot[]> {
    const all: DocumentSnapshot[] = [];
    for (const some of chunked(places, MAX_PER_CALL)) {
      all.push(
        ...(await this.#call({ operation: 'getAll', collection: collectionsOf(some) }, async (db) => ({
          value: await db.getAll(...some.map((place) => this.#ref(db, place))),
          bills: usageOfPaths(some, 'reads'),
        }))),
      );
    }
    return all;
  }

  async get(place: DocumentPath): Promise<DocumentSnapshot> {
    const [snapshot] = await this.getAll([place]);
    if (snapshot === undefined) throw new Error('Firestore returned no document.');
    return snapshot;
  }

  /**
   * Calls the listener with the document as it is now and after each change, until the signal; each costs a read. Rejects when
   * Firestore ends the stream.
   */
  async watch(
    place: DocumentPath,
    listener: (snapshot: DocumentSnapshot) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const db = await this.#open();
    const call: CallInfo = { operation: 'listen', collection: place[0] };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) return;
    const unsubscribe = this.#ref(db, place).onSnapshot((snapshot) => {
      this.#reportCall(call, usageOfPaths([place], 'reads'), 0);
      listener(snapshot);
    }, reject);
    try {
      await promise;
    } catch (error) {
      throw firestoreErrorFor({ ...call, code: statusOf(error) ?? 'UNKNOWN' }, error);
    } finally {
      unsubscribe();
    }
  }

  async query(form: QueryForm, values: QueryValues): Promise<QueryDocumentSnapshot[]> {
    return this.#call({ operation: 'query', collection: form.collection }, async (db) => {
      const { docs } = await applyQuery(db.collection(this.#prefix + form.collection), form, values).get();
      // A query without results is counted as one read.
      return { value: docs, bills: { [form.collection]: { reads: Math.max(1, docs.length) } } };
    });
  }

  /** The number of documents that match a query, counted by Firestore: one read for each thousand. */
  async count(form: QueryForm, values: readonly unknown[]): Promise<number> {
    return this.#call({ operation: 'count', collection: form.collection }, async (db) => {
      const query = applyQuery(db.collection(this.#prefix + form.collection), form, { where: values });
      const { count } = (await query.count().get()).data();
      return { value: count, bills: { [form.collection]: { reads: Math.max(1, Math.ceil(count / 1000)) } } };
    });
  }

  /** The sum of a field over the documents that match a query without values, billed like `count`. */
  async sum(form: QueryForm, field: string): Promise<number> {
    return this.#call({ operation: 'sum', collection: form.collection }, async (db) => {
      const { AggregateField } = await import('@google-cloud/firestore');
      const query = applyQuery(db.collection(this.#prefix + form.collection), form, { where: [] });
      const of = { count: AggregateField.count(), sum: AggregateField.sum(field) };
      const { count, sum } = (await query.aggregate(of).get()).data();
      const reads = Math.max(1, Math.ceil(count / 1000));
      return { value: sum, bills: { [form.collection]: { reads } } };
    });
  }

  /**
   * All of the writes or none. Never `conflict` where no write has a precondition and every patched document exists: such a
   * commit is retried when Firestore aborts it, and fails when it is aborted repeatedly.
   */
  async commit(writes: readonly Write[]): Promise<Committed> {
    if (writes.length === 0) return 'committed';
    const collection = collectionsOf(writes.map(({ at }) => at));
    const retriesAborted = !writes.some(hasPrecondition);
    const bill = { operation: 'commit', collection, mayConflict: true, retriesAborted };
    const done = await this.#call<'committed' | null>(bill, async (db) => {
      const batch = db.batch();
      for (const write of writes) this.#add(db, batch, write);
      await batch.commit();
      return { value: 'committed', bills: usageOfWrites(writes) };
    });
    return done ?? 'conflict';
  }

  /**
   * A serialisable read-write transaction. `body` may run several times; what it returns is the result, its writes are
   * applied all or none.
   */
  async transact<T>(
    collection: string,
    body: (reads: TransactionReads) => Promise<{ readonly value: T; readonly writes: readonly Write[] }>,
  ): Promise<T> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const done = await this.#call<{ value: T } | null>(
        { operation: 'transaction', collection, mayConflict: true },
        async (db) => {
          const bills: UsageByCollection = {};
          const value = await db.runTransaction(
            async (transaction) => {
              const answer = await body(this.#transactionReads(db, transaction, bills));
              for (const write of answer.writes) this.#add(db, transaction, write);
              mergeUsage(bills, usageOfWrites(answer.writes));
              return { value: answer.value };
            },
            { maxAttempts: 1 },
          );
          return { value, bills };
        },
      );
      if (done !== null) return done.value;
      // Without backoff, transactions that lock each other's documents would collide forever.
      await this.#backOffAfterConflict(conflicts + 1);
    }
    throw contentionError(collection, MAX_CONFLICTS, 'transaction');
  }

  /**
   * The compare-and-set loop: reads one document, decides, and writes; repeats when another writer was first, at once after
   * the first conflict and with backoff after the others. So a decision also sees what an earlier attempt of its own has
   * written, and must recognise it. `first` is the document as just read, which saves a read.
   */
  async mutate<T>(
    place: DocumentPath,
    decide: (now: DocumentSnapshot) => Mutation<T> | Promise<Mutation<T>>,
    first?: DocumentSnapshot,
  ): Promise<T> {
    let snapshot = first;
    for (let tries = 0, conflicts = 0; tries < MAX_CONFLICTS; tries++) {
      const { value, writes, isPartial } = await decide(snapshot ?? (await this.get(place)));
      snapshot = undefined;
      const committed = await this.commit(writes);
      if (committed === 'committed' && isPartial !== true) return value;
      if (committed === 'conflict' && conflicts++ > 0) await this.#backOffAfterConflict(conflicts - 1);
    }
    throw contentionError(place[0], MAX_CONFLICTS);
  }

  /** Usage of all replicas today, by the calendar of Firestore's quota. */
  async usageToday(): Promise<Usage> {
    await this.#flush();
    const day = quotaDay(this.#options.clock.now());
    const stored: Partial<Usage> = (await this.get([USAGE, day])).data() ?? {};
    return addUsage({ ...NO_USAGE, ...stored }, this.#toFlush);
  }

  /** Usage of this connection since it was created. */
  get used(): Usage {
    return this.#used;
  }

  /** A value that Firestore replaces by its own time. */
  async serverTime(): Promise<unknown> {
    const { FieldValue } = await import('@google-cloud/firestore');
    return FieldValue.serverTimestamp();
  }

  /**
   * Begins the shutdown: failed calls are retried with short delays, and calls without an answer are cancelled after this
   * time. Unfinished writes are redone after the next start, as after a crash.
   */
  stopWithin(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    const { clock } = this.#options;
    this.#stopBy = clock.monotonic() + ms;
    this.#stopping.abort();
    clock.sleep(ms, this.#closed.signal).then(
      () => this.#calls.cancelAll(),
      () => {},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#opening === null || this.#closed.signal.aborted) return;
    try {
      await this.#flushOnce();
    } finally {
      this.#closed.abort(new Error('The connection to Firestore was closed.'));
      this.#calls.cancelListeners();
      await (await this.#opening?.catch(() => null))?.terminate();
    }
  }

  #transactionReads(db: Firestore, transaction: Transaction, bills: UsageByCollection): TransactionReads {
    return {
      getAll: async (places) => {
        if (places.length === 0) return [];
        mergeUsage(bills, usageOfPaths(places, 'reads'));
        return transaction.getAll(...places.map((place) => this.#ref(db, place)));
      },
      query: async (form, values) => {
        const { docs } = await transaction.get(
          applyQuery(db.collection(this.#prefix + form.collection), form, values),
        );
        mergeUsage(bills, { [form.collection]: { reads: Math.max(1, docs.length) } });
        return docs;
      },
    };
  }

  #add(db: Firestore, to: Writer, write: Write): void {
    const ref = this.#ref(db, write.at);
    switch (write.do) {
      case 'create':
        to.create(ref, write.data);
        return;
      case 'set':
        to.set(ref, write.data);
        return;
      // A document is replaced by updating all of its fields: a plain set has no precondition.
      case 'replace':
        to.update(ref, write.data, { lastUpdateTime: write.asOf });
        return;
      case 'patch':
        to.update(ref, write.data, write.asOf === undefined ? {} : { lastUpdateTime: write.asOf });
        return;
      case 'delete':
        to.delete(ref, write.asOf === undefined ? {} : { lastUpdateTime: write.asOf });
        return;
    }
  }

  #ref(db: Firestore, [collection, id]: DocumentPath): DocumentReference {
    return db.collection(this.#prefix + collection).doc(id);
  }

  /** One call, retried according to A16. `null`, for writes alone: the precondition failed. */
  async #call<T>(
    bill: CallInfo,
    run: (db: Firestore) => Promise<{ readonly value: T; readonly bills: UsageByCollection }>,
  ): Promise<T> {
    const { clock, events } = this.#options;
    for (let failures = 1; ; failures++) {
      const started = clock.monotonic();
      if (started >= this.#stopBy) throw stoppingError(bill);
      try {
        const { value, bills } = await run(await this.#open());
        this.#reportCall(bill, bills, clock.monotonic() - started);
        await this.#flushWhenDue();
        return value;
      } catch (error) {
        const code = statusOf(error);
        if (code === null) throw error;
        const answer = errorActionFor(code, failures);
        const { operation, collection } = bill;
        const ms = clock.monotonic() - started;
        events.firestoreCalled({ operation, collection, ms, code: goNameOf(code) });
        if (code === 'ABORTED' && bill.retriesAborted === true && bill.once !== true) {
          if (failures >= MAX_ABORTED) throw contentionError(collection, failures, operation, error);
          await this.#backOffAfterConflict(failures);
          continue;
        }
        // A query without its index is refused with the same code as a failed precondition.
        if (answer.do === 'go on' && bill.mayConflict && !isMissingIndex(error)) return null as T;
        const isOver = clock.monotonic() >= this.#stopBy;
        if (answer.do !== 'try again' || bill.once === true || isOver)
          throw firestoreErrorFor({ ...bill, code }, error);
        await this.#waitBeforeTry(answer.afterMs);
      }
    }
  }

  async #waitBeforeTry(ms: number): Promise<void> {
    const { clock } = this.#options;
    if (this.#stopping.signal.aborted) return clock.sleep(STOPPING_RETRY_MS, this.#closed.signal);
    const ended = AbortSignal.any([this.#closed.signal, this.#stopping.signal]);
    await clock.sleep(ms, ended).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) throw error;
    });
    this.#closed.signal.throwIfAborted();
  }

  async #backOffAfterConflict(conflicts: number): Promise<void> {
    const { pause = realPause } = this.#options;
    await pause(jitteredBackoff(conflicts, CONFLICT_BACKOFF, Math.random()));
    this.#closed.signal.throwIfAborted();
  }

  #reportCall({ operation, collection }: CallInfo, bills: UsageByCollection, ms: number): void {
    const all = Object.entries(bills);
    if (all.length === 0) this.#options.events.firestoreCalled({ operation, collection, ms });
    for (const [of, usage] of all) {
      this.#options.events.firestoreCalled({ operation, collection: of, ms, ...usage });
      addToMeter(usage);
      this.#used = addUsage(this.#used, usage);
      this.#toFlush = addUsage(this.#toFlush, usage);
    }
  }

  async #flushWhenDue(): Promise<void> {
    const { clock } = this.#options;
    const today = quotaDay(clock.now());
    if (this.#day === '') this.#day = today;
    if (this.#day !== today || clock.now() - this.#flushedAt >= FLUSH_INTERVAL_MS) await this.#flushOnce();
  }

  /** The meter never fails or delays what it measures: usage that could not be written is written the next time. */
  async #flushOnce(): Promise<void> {
    const before = this.#toFlush;
    try {
      await this.#flush(true);
    } catch (error) {
      if (!(error instanceof FirestoreError)) throw error;
      this.#toFlush = addUsage(before, this.#toFlush);
    }
  }

  /** Adds the usage since the last time to the day's document, which all replicas share. */
  async #flush(once = false): Promise<void> {
    const { reads, writes, deletes } = this.#toFlush;
    const day = this.#day;
    this.#flushedAt = this.#options.clock.now();
    this.#day = quotaDay(this.#flushedAt);
    if (reads + writes + deletes === 0 || day === '') return;
    this.#toFlush = NO_USAGE;
    await this.#call({ operation: 'usage', collection: USAGE, once, retriesAborted: true }, async (db) => {
      const { FieldValue } = await import('@google-cloud/firestore');
      await this.#ref(db, [USAGE, day]).set(
        {
          reads: FieldValue.increment(reads),
          writes: FieldValue.increment(writes),
          deletes: FieldValue.increment(deletes),
        },
        { merge: true },
      );
      return { value: null, bills: { [USAGE]: { writes: 1 } } };
    });
  }

  #open(): Promise<Firestore> {
    this.#closed.signal.throwIfAborted();
    const { clock } = this.#options;
    if (this.#opening !== null && this.#failedAt !== null && clock.monotonic() - this.#failedAt > MINUTE)
      this.#opening = null;
    this.#opening ??= this.#make().then(
      (client) => {
        this.#failedAt = null;
        return client;
      },
      (error: unknown) => {
        // Detecting credentials takes seconds where there are none: not at every call.
        this.#failedAt = clock.monotonic();
        throw error;
      },
    );
    return this.#opening;
  }

  async #make(): Promise<Firestore> {
    const { project, database, emulator, credentials, client } = this.#options;
    if (client !== undefined) return client;
    if (emulator === undefined && credentials === undefined) await checkCredentials();
    const [{ Firestore }, grpc] = await Promise.all([
      import('@google-cloud/firestore'),
      import('@grpc/grpc-js'),
    ]);
    return new Firestore({
      projectId: project,
      ...(database !== undefined && database !== '(default)' && { databaseId: database }),
      ...(emulator !== undefined && { host: emulator, ssl: false }),
      ...(credentials !== undefined && {
        credentials: JSON.parse(credentials) as { client_email?: string; private_key?: string },
      }),
      ...withoutSdkRetries(grpc, this.#calls),
    });
  }
}

export interface TransactionReads {
  getAll(places: readonly DocumentPath[]): Promise<DocumentSnapshot[]>;
  query(form: QueryForm, values: QueryValues): Promise<QueryDocumentSnapshot[]>;
}

export interface Mutation<T> {
  readonly value: T;
  readonly writes: readonly Write[];
  /** The writes are only the first part: decide again once they are committed. */
  readonly isPartial?: boolean;
}

/** The common methods of a batch and a transaction. */
interface Writer {
  create(ref: DocumentReference, data: DocumentData): unknown;
  set(ref: DocumentReference, data: DocumentData): unknown;
  update(ref: DocumentReference, data: DocumentData, precondition: Precondition): unknown;
  delete(ref: DocumentReference, precondition: Precondition): unknown;
}

/** The SDK detects credentials too, but outside of any call: an error there ends the process. */
async function checkCredentials(): Promise<void> {
  const { GoogleAuth } = await import('google-auth-library');
  await new GoogleAuth().getApplicationDefault().catch((error: unknown) => {
    throw new GoogleCredentialsError(error);
  });
}

function hasPrecondition(write: Write): boolean {
  return write.do === 'create' || ('asOf' in write && write.asOf !== undefined);
}

function collectionsOf(places: readonly DocumentPath[]): string {
  return [...new Set(places.map(([collection]) => collection))].sort().join(',');
}
