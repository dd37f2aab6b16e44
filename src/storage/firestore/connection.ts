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
  /** Put before the name of every collection. */
  readonly prefix?: string;
  /** A service account's key, as Google's JSON file has it; the machine's own identity when absent. */
  readonly credentials?: string;
  /** A client of the caller's own; made on first use when absent. */
  readonly client?: Firestore;
  readonly clock: Clock;
  readonly events: Events;
  /** Waits after a conflict. In real time by default: the others are real, whatever the clock says. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** A document's name: its collection without the prefix, and its ID. */
export type DocumentPath = readonly [collection: string, id: string];

/** One change of a document. `asOf`: only if it is still as it was at this update time. */
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

/** `conflict`: another writer was first, or an earlier try of this very call went through. Read back to see which. */
export type Committed = 'committed' | 'conflict';

/** The most documents that one call carries (A11). */
export const MAX_PER_CALL = 500;
const USAGE = 'firestore_usage';
const FLUSH_INTERVAL_MS = 5 * MINUTE;
/** So often a change is decided again because others were first. */
export const MAX_CONFLICTS = 60;
const MAX_ABORTED = 10;
/** Between tries once the program stops. */
const STOPPING_RETRY_MS = 250;
/** Backoff after a conflict with other writers. */
const CONFLICT_BACKOFF = { baseMs: 20, capMs: 2 * SECOND };

interface CallInfo {
  readonly operation: string;
  readonly collection: string;
  /** It writes, so that somebody else may be first; then the answer is `null`. */
  readonly mayConflict?: boolean;
  /** ABORTED says that nothing was written: what has no precondition is written by another try. */
  readonly retriesAborted?: boolean;
  /** Not worth waiting for: it fails at once. */
  readonly once?: boolean;
}

/**
 * The way to one Firestore database. Every call goes through `#call`, which keeps the policy of A16, counts what Firestore
 * counts (A17, A19) and tells the events. The SDK is loaded and the client made with the first call.
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
  /** On the monotonic clock: from then on no call is tried again. */
  #stopBy = Number.POSITIVE_INFINITY;
  readonly #calls = new OpenCalls();

  constructor(options: FirestoreOptions) {
    this.#options = options;
    this.#prefix = options.prefix ?? '';
    this.#flushedAt = options.clock.now();
  }

  /** The documents at these places, in order, in calls of at most 500. */
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
    if (snapshot === undefined) throw new Error('Firestore answered without an answer.');
    return snapshot;
  }

  async query(form: QueryForm, values: QueryValues): Promise<QueryDocumentSnapshot[]> {
    return this.#call({ operation: 'query', collection: form.collection }, async (db) => {
      const { docs } = await applyQuery(db.collection(this.#prefix + form.collection), form, values).get();
      // A query without results is counted as one read.
      return { value: docs, bills: { [form.collection]: { reads: Math.max(1, docs.length) } } };
    });
  }

  /** How many documents answer a query, counted by Firestore: one read for each thousand. */
  async count(form: QueryForm, values: readonly unknown[]): Promise<number> {
    return this.#call({ operation: 'count', collection: form.collection }, async (db) => {
      const query = applyQuery(db.collection(this.#prefix + form.collection), form, { where: values });
      const { count } = (await query.count().get()).data();
      return { value: count, bills: { [form.collection]: { reads: Math.max(1, Math.ceil(count / 1000)) } } };
    });
  }

  /** The sum of a field of the documents that answer a query without values, as `count` counts them. */
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
   * All of the writes or none. Never `conflict` where no write has a precondition and every patched document is there: such
   * a commit is retried when Firestore aborts it, and fails when it is aborted again and again.
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
   * Reads and then writes, as if nobody else did anything meanwhile. `body` may run several times; what it returns is the
   * answer, its writes are applied all or none.
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
      // Who begins again at once meets the same others again: transactions that hold what each other wants would never end.
      await this.#backOffAfterConflict(conflicts + 1);
    }
    throw contentionError(collection, MAX_CONFLICTS, 'transaction');
  }

  /**
   * The compare-and-set loop: reads one document, decides, and writes; again from the start when another writer was first, at
   * once after the first conflict and with backoff after the others. So a decision also sees what an earlier try of its own
   * has written, and must recognise it. `first` is the document as it was just read, which saves a read.
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

  /** What this program used today by the calendar of Firestore's quota, all of its copies together. */
  async usageToday(): Promise<Usage> {
    await this.#flush();
    const day = quotaDay(this.#options.clock.now());
    const stored: Partial<Usage> = (await this.get([USAGE, day])).data() ?? {};
    return addUsage({ ...NO_USAGE, ...stored }, this.#toFlush);
  }

  /** What this connection used since it was made. */
  get used(): Usage {
    return this.#used;
  }

  /** A value that Firestore replaces by its own time. */
  async serverTime(): Promise<unknown> {
    const { FieldValue } = await import('@google-cloud/firestore');
    return FieldValue.serverTimestamp();
  }

  /**
   * The program stops: calls that fail are tried again in short steps, and what has no answer when this time is over is
   * cancelled. Whatever is not written is done again after the next start, as after a crash.
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
      // A document is replaced by updating all of its fields: a plain set knows no precondition.
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

  /** One call, tried again as A16 says. `null`, for writes alone: what was to be changed is gone or changed already. */
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
        // A query without its index is refused with the same code as a write that came too late.
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

  /** The meter never fails nor holds up what it measures: what could not be written is written the next time. */
  async #flushOnce(): Promise<void> {
    const before = this.#toFlush;
    try {
      await this.#flush(true);
    } catch (error) {
      if (!(error instanceof FirestoreError)) throw error;
      this.#toFlush = addUsage(before, this.#toFlush);
    }
  }

  /** Adds what was used since the last time to the day's document, which all copies share. */
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
        // Looking for an identity takes seconds where there is none: not at every call.
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
  /** The writes go only a part of the way: decide again once they are committed. */
  readonly isPartial?: boolean;
}

/** What a batch and a transaction have in common. */
interface Writer {
  create(ref: DocumentReference, data: DocumentData): unknown;
  set(ref: DocumentReference, data: DocumentData): unknown;
  update(ref: DocumentReference, data: DocumentData, precondition: Precondition): unknown;
  delete(ref: DocumentReference, precondition: Precondition): unknown;
}

/** The SDK looks for the machine's identity too, but outside of any call: an error there ends the process. */
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
